#include "system/libraries.h"

#include <cstdlib>

namespace hearth::system {

// Neither AMD nor NVIDIA has a runtime for macOS.
std::vector<std::string> amd_libraries() { return {}; }
std::vector<std::string> nvidia_libraries() { return {}; }
std::string amd_driver_problem() { return "no AMD GPU can be used on macOS"; }
std::string nvidia_driver_problem() { return "no NVIDIA GPU can be used on macOS"; }

std::string cache_folder() {
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/Library/Caches" : "";
}

}  // namespace hearth::system
