#include "gpus.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <tuple>

namespace hearth::gpu {
namespace {

// A compositor and a browser keep a few hundred megabytes of video memory.
constexpr size_t kReservedBytes = size_t{768} << 20;

/// Linux has /dev/kfd if an AMD GPU can compute, and WSL has /dev/dxg.
void require_amd_driver() {
  if (std::getenv("HEARTH_HIP_LIBRARY")) return;
  if (access("/dev/kfd", F_OK) != 0 && access("/dev/dxg", F_OK) != 0)
    throw std::runtime_error("no AMD GPU: its driver's /dev/kfd is not there");
  if (access("/dev/kfd", F_OK) == 0 && access("/dev/kfd", R_OK | W_OK) != 0)
    throw std::runtime_error(
        "the AMD GPU may not be used: add yourself to the groups \"render\" and \"video\", then "
        "log in again");
}

void require_nvidia_driver() {
  if (std::getenv("HEARTH_CUDA_LIBRARY")) return;
  if (access("/dev/nvidiactl", F_OK) != 0 && access("/dev/dxg", F_OK) != 0)
    throw std::runtime_error("no NVIDIA GPU: its driver's /dev/nvidiactl is not there");
}

struct Vendor {
  const char* backend;
  void (*require_driver)();
  Runtime (*open)();
};
constexpr Vendor kVendors[] = {{"hip", require_amd_driver, amd_runtime},
                               {"cuda", require_nvidia_driver, nvidia_runtime}};

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<char> Candidate::read_code(const std::string& folder) const {
  const std::string& file = device.code_file;
  std::vector<char> code = file.empty() ? std::vector<char>() : read_file(folder + "/" + file);
  if (code.empty())
    throw std::runtime_error("Hearth has no GPU kernels for " + device.architecture + " (" +
                             device.name + ")");
  return code;
}

kernels::hip::DeviceChoice Candidate::choice(const std::vector<char>& code) const {
  kernels::hip::DeviceChoice choice;
  choice.index = device.index;
  choice.backend = backend;
  choice.name = name();
  choice.n_processors = device.n_processors;
  choice.code_object = std::as_bytes(std::span(code));
  choice.reserved_bytes = kReservedBytes;
  choice.has_copies = device.has_copies;
  return choice;
}

void Gpus::add_reason(const std::string& reason) {
  reasons += (reasons.empty() ? "" : "; ") + reason;
}

Gpus find_gpus(const std::string& backend) {
  Gpus gpus;
  for (const Vendor& vendor : kVendors) {
    if (backend != "auto" && backend != vendor.backend) continue;
    try {
      if (backend == "auto") vendor.require_driver();
      gpus.runtimes.push_back(std::make_unique<Runtime>(vendor.open()));
    } catch (const std::runtime_error& error) {
      gpus.add_reason(error.what());
      continue;
    }
    const Runtime& runtime = *gpus.runtimes.back();
    for (const GpuDevice& device : runtime.devices)
      gpus.candidates.push_back({vendor.backend, &runtime, device});
  }
  std::stable_sort(gpus.candidates.begin(), gpus.candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return std::tuple(a.device.is_integrated, b.device.n_bytes) <
                            std::tuple(b.device.is_integrated, a.device.n_bytes);
                   });
  return gpus;
}

}  // namespace hearth::gpu
