// A test before the GPU is trusted: every kernel (except those for matrices of thousands of rows)
// must give the same results as the CPU's scalar kernels. So a driver or compiler that breaks a
// kernel is noticed before any completion is made with the GPU.
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
/// Called for each result, with what was tested and whether it is right.
using Judge = std::function<void(const std::string& what, bool is_right)>;

/// The same test with these types, for a backend without experts, adapters and sliding windows.
/// There, if attention is told the next product, only that product can read its output. Since the
/// driver's compiler is not ours, this also tests that the bits of a result do not depend on which
/// tokens share a batch.
void self_test_dense(const MakeOps& make_gpu, std::span<const kernels::BlockType> types);
/// The same test, but it goes on after wrong results and tells `judge` each result.
void judge_dense(const MakeOps& make_gpu, std::span<const kernels::BlockType> types,
                 const Judge& judge);

}  // namespace hearth::gpu
