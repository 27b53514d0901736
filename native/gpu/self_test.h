// A test before the GPU is trusted: every kernel (except those for matrices of thousands of rows)
// must give the results of the CPU's scalar kernels. So a driver or compiler that breaks a kernel
// is found before the GPU completes any code.
#pragma once

#include "hip/device.h"

namespace hearth::gpu {

/// Throws std::runtime_error naming the first result that is wrong.
void self_test(const kernels::hip::GpuApi& api, const kernels::hip::DeviceChoice& choice);

}  // namespace hearth::gpu
