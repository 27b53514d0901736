// Finds a GPU that can run the model: its runtime, the device, its kernels, and a self-test.
// Whatever rules a GPU out is reported in words.
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

/// The Ops of the best GPU that meets the wish. Throws std::runtime_error if there is none; its
/// message gives the reasons, for the status bar and `hearth doctor`.
std::unique_ptr<kernels::Ops> make_ops(const Wish& wish);

/// All GPUs and their runtimes, or the reasons why there are none, for `hearth doctor`.
std::string describe_gpus();

}  // namespace hearth::gpu
