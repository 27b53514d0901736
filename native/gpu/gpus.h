// The GPUs of the machine, of all runtimes, and the kernels for each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hip/device.h"
#include "runtime.h"

namespace hearth::gpu {

struct Candidate {
  const char* backend;  // "hip", "cuda"
  const Runtime* runtime;
  GpuDevice device;

  std::string name() const { return device.architecture + " " + device.name; }
  const kernels::hip::GpuApi& api() const { return runtime->api; }
  /// Its kernels from the folder. Throws std::runtime_error when there are none.
  std::vector<char> read_code(const std::string& folder) const;
  /// The code must outlive what is made of the choice.
  kernels::hip::DeviceChoice choice(const std::vector<char>& code) const;
};

/// Best first: discrete before integrated, then by memory.
struct Gpus {
  std::vector<std::unique_ptr<Runtime>> runtimes;
  std::vector<Candidate> candidates;
  std::string reasons;  // why there are not more

  void add_reason(const std::string& reason);
};

/// backend: "hip", "cuda", or "auto" for both, which looks for a driver's device file first:
/// loading a runtime only to hear "no device" takes up to 70 ms.
Gpus find_gpus(const std::string& backend);

}  // namespace hearth::gpu
