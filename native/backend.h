// Which processor computes: the GPU where it can, else the CPU.
#pragma once

#include <memory>
#include <string>

#include "ops.h"

namespace hearth {

struct LoadOptions;

/// Whether the options let the GPU have a try. Throws EngineError for a backend that is none.
bool wants_gpu(const LoadOptions& options);

/// Throws std::runtime_error with the reason, for people, when the CPU must do. n_bytes: what the
/// weights and the KV pool will take.
std::unique_ptr<kernels::Ops> make_gpu_ops(const LoadOptions& options, uint64_t n_bytes);

/// Throws EngineError for a variant that cannot run here.
std::unique_ptr<kernels::Ops> make_cpu_ops(const LoadOptions& options);

}  // namespace hearth
