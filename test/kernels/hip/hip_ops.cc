#include <algorithm>

#include "hip_fixture.h"

namespace test::gpu {

std::unique_ptr<kernels::hip::HipOps> hip_ops(int max_processors) {
  kernels::hip::DeviceChoice choice = gpu_choice();
  choice.n_processors = std::min(choice.n_processors, max_processors);
  return std::make_unique<kernels::hip::HipOps>(gpu_api(), choice);
}

std::unique_ptr<kernels::Ops> gpu_ops(int max_processors) { return hip_ops(max_processors); }

}  // namespace test::gpu
