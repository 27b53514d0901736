// The way to a GPU: a runtime, a device, its kernels, a self-test. Every "no" has its reason in
// words.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ops.h"

namespace hearth::gpu {

struct Wish {
  std::string backend = "auto";  // "hip": AMD's only; "cuda": NVIDIA's only
  std::string device;            // a part of its name; empty: the best
  std::string kernels;           // folder of code objects (scripts/build-gpu.mjs)
  uint64_t n_bytes = 0;          // of memory that will be asked for
};

/// The best GPU that can do it. Throws std::runtime_error with the reasons, for the status bar and
/// `hearth doctor`, when the CPU must do it.
std::unique_ptr<kernels::Ops> make_ops(const Wish& wish);

/// All GPUs with their runtimes, or why there are none, for `hearth doctor`.
std::string describe_gpus();

}  // namespace hearth::gpu
