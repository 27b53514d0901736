// A test before the GPU is trusted: every kernel (except those for matrices of thousands of rows)
// must give the results of the CPU's scalar kernels. So a driver or compiler that breaks a kernel
// is found before the GPU completes any code.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "hip/device.h"
#include "ops.h"

namespace hearth::gpu {

/// Throws std::runtime_error naming the first result that is wrong.
void self_test(const kernels::hip::GpuApi& api, const kernels::hip::DeviceChoice& choice);
using MakeOps = std::function<std::unique_ptr<kernels::Ops>()>;
/// Told each result, and whether it is right.
using Judge = std::function<void(const std::string& what, bool is_right)>;

/// The same for a backend without experts, adapters and sliding windows, which leaves attention's
/// output to the next product alone; with these types. Here the bits must also be the same,
/// whichever tokens share a batch, since the driver's compiler is not ours.
void self_test_dense(const MakeOps& make_gpu, std::span<const kernels::BlockType> types);
/// The same, to its end.
void judge_dense(const MakeOps& make_gpu, std::span<const kernels::BlockType> types,
                 const Judge& judge);

}  // namespace hearth::gpu
