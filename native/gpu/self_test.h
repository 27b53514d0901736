// Known answers before trust: every kernel on the GPU (but those for
// matrices of thousands of rows) must give what the CPU's scalar kernels give.
// A driver or compiler that gets one wrong is found before it writes a word.
#pragma once

#include "hip/device.h"

namespace hearth::gpu {

/// Throws std::runtime_error naming the first result that is wrong.
void self_test(const kernels::hip::GpuApi& api, const kernels::hip::DeviceChoice& choice);

}  // namespace hearth::gpu
