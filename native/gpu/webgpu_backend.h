// Makes Ops with WebGPU, on a GPU that has passed its self-test.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backend.h"

namespace hearth::gpu {

/// The types that the self-test tries, one for each layout of weights (kernels/webgpu/packed.h).
inline constexpr kernels::BlockType kWebgpuTypes[] = {
    kernels::BlockType::kQ4_K, kernels::BlockType::kQ6_K, kernels::BlockType::kQ8_0,
    kernels::BlockType::kQ4_1, kernels::BlockType::kQ2_K, kernels::BlockType::kF16};

/// make_ops(), packed_bytes() and describe_gpus() for WebGPU.
std::unique_ptr<kernels::Ops> make_webgpu_ops(const GpuOptions& options);
uint64_t webgpu_packed_bytes(kernels::BlockType type, int n_rows, int n_cols);
std::string describe_webgpu(const std::string& kernels);

/// "NAME (DRIVER)" of the first GPU that the options allow; empty if there is none.
std::string first_webgpu_adapter(const GpuOptions& options);

}  // namespace hearth::gpu
