// Chooses the backend: a GPU if one can run the model, otherwise the CPU.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ops.h"

namespace hearth {

struct LoadOptions;

/// Whether the options allow a GPU. Throws EngineError for an unknown backend.
bool wants_gpu(const LoadOptions& options);

/// Throws std::runtime_error if no GPU can be used; its message tells the user why. n_bytes: the
/// GPU memory that the whole model takes. fits(free_bytes): whether a GPU with that much free
/// memory can be used, even if it holds only a part of the model.
std::unique_ptr<kernels::Ops> make_gpu_ops(const LoadOptions& options, uint64_t n_bytes,
                                           const std::function<bool(uint64_t)>& fits);

/// Throws EngineError for a variant that this processor cannot run.
std::unique_ptr<kernels::Ops> make_cpu_ops(const LoadOptions& options);

}  // namespace hearth
