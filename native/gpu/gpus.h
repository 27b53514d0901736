// Lists the GPUs of the machine, from all runtimes, and reads the kernels for them.
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
  int number = 0;  // among those of its model, from 1; 0: it is the only one

  std::string model() const { return device.architecture + " " + device.name; }
  /// No other GPU has it: "sm_90 NVIDIA H200 #2".
  std::string name() const {
    return number == 0 ? model() : model() + " #" + std::to_string(number);
  }
  /// Tells it and its driver from others, even from a GPU of the same model.
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
  std::string reasons;                // why other GPUs or runtimes are missing

  void add_reason(const std::string& reason);
};

/// backend: "hip", "cuda", or "auto" for both. "auto" loads a runtime only if its driver's device
/// file exists, since loading it in vain takes up to 70 ms.
Gpus find_gpus(const std::string& backend);

}  // namespace hearth::gpu
