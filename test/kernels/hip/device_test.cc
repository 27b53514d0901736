// A GPU that does not answer: waits end, and what follows neither waits again nor frees anything.
#include "hip/device.h"

#include <cstdlib>

#include "gpu.h"
#include "hip/ops_hip.h"
#include "test.h"

namespace {

namespace hip = hearth::kernels::hip;

bool hangs = false;

/// Everything that a real runtime would do only after the kernel that hangs.
hip::GpuApi hanging_api() {
  hip::GpuApi api = test::gpu_api();
  api.query_event = [](void*) { return hangs ? hip::kNotReady : 0; };
  api.release = [](void* memory) {
    return hangs ? (std::abort(), 1) : test::gpu_api().release(memory);
  };
  api.destroy_stream = api.destroy_event = api.release;
  return api;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
    return "";
  } catch (const hearth::kernels::BackendError& error) {
    return error.what();
  }
}

}  // namespace

TEST("a GPU that does not answer is given up after a while, and for good") {
  const hip::GpuApi api = hanging_api();
  hip::DeviceChoice choice = test::gpu_choice();
  choice.patience = std::chrono::milliseconds(20);
  hangs = false;
  {
    hip::HipOps ops(api, choice);
    const auto buffer = ops.buffer(64);
    std::vector<float> values(64);
    ops.read(values, buffer->data);
    hangs = true;
    CHECK_EQUAL(message_of([&] { ops.read(values, buffer->data); }),
                "GPU emulation: did not answer for 20 ms");
    CHECK_EQUAL(message_of([&] { ops.write(buffer->data, values); }),
                "GPU emulation does not answer any more");
  }
  hangs = false;
}
