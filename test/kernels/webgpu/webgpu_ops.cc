// gpu_ops() with WebGPU.
#include "../gpu/gpu_fixture.h"
#include "gpu/webgpu.h"
#include "webgpu/ops_webgpu.h"

namespace test::gpu {

std::unique_ptr<kernels::Ops> gpu_ops(int) {
  static const hearth::gpu::WebgpuRuntime runtime = hearth::gpu::webgpu_runtime("");
  static const hearth::gpu::WebgpuAdapter& adapter = runtime.adapters.front();
  static const auto device =
      std::make_shared<kernels::webgpu::Device>(runtime.api, hearth::gpu::choice_of(adapter));
  return std::make_unique<kernels::webgpu::WebgpuOps>(device);
}

}  // namespace test::gpu
