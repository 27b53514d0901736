// Finds a GPU that can run the model: looks for runtimes and devices, loads the kernels and runs
// the self-test.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ops.h"

namespace hearth::gpu {

struct GpuOptions {
  std::string backend = "auto";  // or "hip" (only AMD), "cuda" (only NVIDIA) or "webgpu"
  std::string device;            // part of the GPU's name; empty: the best GPU
  std::string kernels;           // folder of code objects (scripts/build-gpu.mjs)
  uint64_t n_bytes = 0;          // memory that the model will need
  /// Whether a GPU with this much free memory can be used even if the whole model does not fit.
  /// Empty: it cannot.
  std::function<bool(uint64_t free_bytes)> fits{};

  /// Whether the options allow a GPU with this name.
  bool allows(const std::string& gpu) const;
  bool can_use(uint64_t free_bytes) const {
    return n_bytes <= free_bytes || (fits && fits(free_bytes));
  }
};

/// Makes Ops on the best GPU that fits the options. Throws std::runtime_error if there is none; its
/// message tells the user why, in the status bar and in `hearth doctor`.
std::unique_ptr<kernels::Ops> make_ops(const GpuOptions& options);

/// Name and driver of the GPU that WebGPU would use. Empty if there is none, or if HIP or CUDA
/// (options.backend; "auto": both) has kernels for a GPU of this machine.
std::string unserved_gpu(const GpuOptions& options);

/// The bytes of a packed matrix in a GPU's memory. It is larger there than in the file.
uint64_t packed_bytes(const std::string& backend, kernels::BlockType type, int n_rows, int n_cols);

/// The bytes of an adapter's change to a matrix: see kernels::hip::low_rank_bytes().
uint64_t low_rank_bytes(int n_parts, int greatest_rank, int n_rows, int n_cols, bool is_quantized);

/// Whether the driver of a backend ("hip" or "cuda") seems to be installed. Calls no driver.
bool has_driver(const std::string& backend);

/// Describes all GPUs of a backend ("auto": of AMD and NVIDIA) and their runtimes, or says why
/// there are none. It uses each GPU once: a separate process that calls only this function reveals
/// a driver that hangs or ends its process.
std::string describe_gpus(const std::string& backend, const std::string& kernels);

}  // namespace hearth::gpu
