// Tests a GPU before its first use: every kernel (except those for matrices of thousands of rows)
// must give the same results as the CPU's scalar kernels. This detects a driver or compiler that
// breaks a kernel before any completion uses the GPU.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "hip/device.h"
#include "ops.h"

namespace hearth::gpu {

/// If a result is wrong, throws std::runtime_error, which names the first such result.
void self_test(const kernels::hip::GpuApi& api, const kernels::hip::DeviceChoice& choice);
using MakeOps = std::function<std::unique_ptr<kernels::Ops>()>;
/// Called for each result, with its description and whether it is right.
using Judge = std::function<void(const std::string& what, bool is_right)>;

/// The same test with these types, for a backend without experts, adapters and sliding windows. On
/// such a backend, only the product that attention is told about can read attention's output. Since
/// the driver compiles the kernels, this also tests that a token's bits do not depend on the other
/// tokens of its batch.
void self_test_dense(const MakeOps& make_gpu, std::span<const kernels::BlockType> types);
/// The same test, but it continues after wrong results and reports each result to `judge`.
void judge_dense(const MakeOps& make_gpu, std::span<const kernels::BlockType> types,
                 const Judge& judge);

}  // namespace hearth::gpu
