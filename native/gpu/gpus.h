// Lists the GPUs of the machine, from all runtimes, and reads their kernels.
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
  int number = 0;  // among the GPUs of the same model, from 1; 0: it is the only one

  std::string model() const { return device.architecture + " " + device.name; }
  /// A name that no other GPU of the machine has: "sm_90 NVIDIA H200 #2".
  std::string name() const {
    return number == 0 ? model() : model() + " #" + std::to_string(number);
  }
  /// Identifies the GPU with its driver, even among GPUs of the same model.
  std::string identity() const {
    return model() + " " + std::to_string(device.index) + " " + runtime->versions;
  }
  const kernels::hip::GpuApi& api() const { return runtime->api; }
  /// Reads the GPU's kernels from the folder. Throws std::runtime_error if there are none.
  std::vector<char> read_code(const std::string& folder) const;
  /// The result points into code, which must outlive it.
  kernels::hip::DeviceChoice choice(const std::vector<char>& code) const;
};

struct Gpus {
  std::vector<std::unique_ptr<Runtime>> runtimes;
  std::vector<Candidate> candidates;  // best first: discrete before integrated, then by memory
  std::string reasons;                // why other GPUs or runtimes cannot be used

  void add_reason(const std::string& reason);
};

/// backend: "hip", "cuda", or "auto" for both. "auto" loads a runtime only if its driver's device
/// file exists: loading a useless runtime takes up to 70 ms.
Gpus find_gpus(const std::string& backend);

}  // namespace hearth::gpu
