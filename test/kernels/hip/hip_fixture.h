// The common part of the HIP kernels' tests, in addition to ../gpu/gpu_fixture.h.
#pragma once

#include <climits>
#include <memory>

#include "../gpu/gpu_fixture.h"
#include "gpu.h"
#include "hip/ops_hip.h"

namespace test::gpu {

/// gpu_ops() as HipOps, for the functions that only HipOps has.
std::unique_ptr<kernels::hip::HipOps> hip_ops(int max_processors = INT_MAX);

}  // namespace test::gpu
