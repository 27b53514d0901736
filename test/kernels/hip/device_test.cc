// A GPU that does not respond: waits end, and later calls neither wait again nor free anything. A
// GPU that is lost.
#include "hip/device.h"

#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "gpu.h"
#include "hip/ops_hip.h"
#include "test.h"

namespace {

namespace hip = hearth::kernels::hip;

bool hangs = false;
std::vector<std::unique_ptr<char[]>> owned;  // freed by the test, because a lost GPU frees nothing

int give(void** memory, size_t n_bytes) {
  owned.push_back(std::make_unique<char[]>(n_bytes));
  *memory = owned.back().get();
  return 0;
}
/// A real runtime would wait for the hanging kernel.
int release(void*) {
  if (hangs) std::abort();
  return 0;
}
int give_handle(void** handle, unsigned) { return give(handle, 1); }

hip::GpuApi hanging_api() {
  hip::GpuApi api = test::gpu_api();
  api.query_event = [](void*) { return hangs ? hip::kNotReady : 0; };
  api.allocate = give;
  api.allocate_host = [](void** memory, size_t n_bytes, unsigned) { return give(memory, n_bytes); };
  api.create_stream = api.create_event = give_handle;
  api.load_module = [](void** module, const void*) { return give(module, 1); };
  api.release = api.release_host = api.destroy_stream = api.destroy_event = api.unload_module =
      release;
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

TEST("a GPU that does not answer in time is given up for good") {
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
  owned.clear();
}

TEST("time during which the computer sleeps does not count as waiting for the GPU") {
  static bool has_slept;
  has_slept = hangs = false;
  hip::GpuApi api = hanging_api();
  api.query_event = [](void*) {
    if (std::exchange(has_slept, true)) return 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    return hip::kNotReady;
  };
  {
    hip::DeviceChoice choice = test::gpu_choice();
    choice.patience = std::chrono::milliseconds(20);
    hip::Device device(api, choice);
    device.wait();
    CHECK(has_slept);
    CHECK(!device.is_lost());
  }
  owned.clear();
}

TEST("a GPU that is lost when its first kernel is requested counts as failed") {
  hip::GpuApi api = test::gpu_api();
  api.find_function = [](void**, void*, const char*) { return 700; };
  const hip::Device device(api, test::gpu_choice());
  CHECK_EQUAL(message_of([&] { device.function("route_512"); }),
              "GPU emulation: looking up the kernel route_512 failed: emulated (700)");
}
