#include "system/libraries.h"

#include <unistd.h>

#include <cstdlib>

namespace hearth::system {
namespace {

bool exists(const char* device) { return access(device, F_OK) == 0; }

}  // namespace

// AMD's own packages install the last one.
std::vector<std::string> amd_libraries() {
  return {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so",
          "/opt/rocm/lib/libamdhip64.so"};
}

std::vector<std::string> nvidia_libraries() { return {"libcuda.so.1"}; }

// Linux has /dev/kfd if an AMD GPU can compute, and WSL has /dev/dxg.
std::string amd_driver_problem() {
  if (!exists("/dev/kfd") && !exists("/dev/dxg"))
    return "no AMD GPU: its driver's /dev/kfd is not there";
  if (exists("/dev/kfd") && access("/dev/kfd", R_OK | W_OK) != 0)
    return "the AMD GPU may not be used: add yourself to the groups \"render\" and \"video\", then "
           "log in again";
  return "";
}

std::string nvidia_driver_problem() {
  const bool is_there = exists("/dev/nvidiactl") || exists("/dev/dxg");
  return is_there ? "" : "no NVIDIA GPU: its driver's /dev/nvidiactl is not there";
}

std::string cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') return cache;
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.cache" : "";
}

}  // namespace hearth::system
