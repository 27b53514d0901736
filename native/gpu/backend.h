// Finds a GPU that can run the model: looks for runtimes and devices, loads the kernels and runs
// the self-test. If a GPU cannot be used, the user is told why.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ops.h"

namespace hearth::gpu {

struct GpuOptions {
  std::string backend = "auto";  // or "hip" (only AMD) or "cuda" (only NVIDIA)
  std::string device;            // part of the GPU's name; empty: the best
  std::string kernels;           // folder of code objects (scripts/build-gpu.mjs)
  uint64_t n_bytes = 0;          // memory that the model will need
  /// Whether a GPU with so much free memory is of use; empty: if it has n_bytes.
  std::function<bool(uint64_t free_bytes)> fits{};
};

/// The Ops of the best GPU that fits the options. Throws std::runtime_error if there is none; its
/// message tells the user why, in the status bar and in `hearth doctor`.
std::unique_ptr<kernels::Ops> make_ops(const GpuOptions& options);

/// Bytes of a matrix in a GPU's memory, which are more than in the file (kernels/hip/formats.h).
uint64_t packed_bytes(kernels::BlockType type, int n_rows, int n_cols);

/// Whether there seems to be the driver of a backend, "hip" or "cuda"; calls no driver.
bool has_driver(const std::string& backend);

/// All GPUs of a backend, or of all, and their runtimes, or the reasons why there are none. A first
/// use of each GPU belongs to it, so that a process which only describes them shows whether the
/// driver hangs or ends the process.
std::string describe_gpus(const std::string& backend = "auto");

}  // namespace hearth::gpu
