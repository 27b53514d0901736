// A test before the GPU is trusted: every kernel (except those for matrices of thousands of rows)
// must give the results of the CPU's scalar kernels. So a driver or compiler that breaks a kernel
// is found before the GPU completes any code.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "hip/device.h"
#include "ops.h"

namespace hearth::gpu {

/// Throws std::runtime_error naming the first result that is wrong.
void self_test(const kernels::hip::GpuApi& api, const kernels::hip::DeviceChoice& choice);
/// The same for a backend without experts, adapters and sliding windows, which leaves attention's
/// output to the next product alone; with these types.
void self_test_dense(const std::function<std::unique_ptr<kernels::Ops>()>& make_gpu,
                     std::span<const kernels::BlockType> types);

}  // namespace hearth::gpu
