// Ops by WebGPU, on a GPU that has passed its self-test.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backend.h"

namespace hearth::gpu {

/// These are make_ops(), packed_bytes() and describe_gpus() for it.
std::unique_ptr<kernels::Ops> make_webgpu_ops(const GpuOptions& options);
uint64_t webgpu_packed_bytes(kernels::BlockType type, int n_rows, int n_cols);
std::string describe_webgpu(const std::string& kernels);

}  // namespace hearth::gpu
