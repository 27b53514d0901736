// Known answers before trust: a matmul of every type on the GPU must be what the CPU's scalar
// kernels say. A driver or compiler that gets a kernel wrong is found before it writes a word.
#pragma once

#include "ops.h"

namespace hearth::hip {

/// Throws std::runtime_error naming the first type whose result is wrong.
void self_test(kernels::Ops& gpu);

}  // namespace hearth::hip
