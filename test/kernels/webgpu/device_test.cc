// When a Device submits, and when it takes what was submitted for done. The GPU is as slow as the
// tests say: its library answers their poll().
#include <chrono>
#include <memory>

#include "../gpu/gpu_fixture.h"
#include "gpu/webgpu.h"
#include "webgpu/device.h"

using namespace hearth::kernels;
using namespace std::chrono_literals;

namespace {

constexpr size_t kPiece = webgpu::kFirstWork / 4;
// The GPU is not measured by fewer.
constexpr int kMeasuredPieces = 8;

struct FakeGpu {
  int n_submits = 0;
  int n_busy_polls = 0;  // to come
  std::chrono::steady_clock::time_point busy_until;
};
FakeGpu gpu;

/// The C library says yes or no in one byte of the register, and leaves the others as they are.
uint32_t poll(webgpu::Handle, uint32_t, const void*) {
  const bool is_busy = gpu.n_busy_polls > 0 || std::chrono::steady_clock::now() < gpu.busy_until;
  if (gpu.n_busy_polls > 0) gpu.n_busy_polls--;
  return is_busy ? 0xabcdef00u : 0xabcdef01u;
}

webgpu::WgpuApi fake_api() {
  static webgpu::WgpuApi real = hearth::gpu::webgpu_runtime("").api;
  webgpu::WgpuApi api = real;
  api.submit = [](webgpu::Handle queue, size_t n, const webgpu::Handle* commands) {
    gpu.n_submits++;
    real.submit(queue, n, commands);
  };
  api.poll = reinterpret_cast<decltype(api.poll)>(reinterpret_cast<void*>(poll));
  return api;
}

struct Worker {
  webgpu::WgpuApi api = fake_api();
  webgpu::Device device{api,
                        hearth::gpu::choice_of(hearth::gpu::webgpu_runtime("").adapters.front())};
  webgpu::Memory from = device.allocate(16, "a test"), to = device.allocate(16, "a test");

  ~Worker() { gpu = {}; }

  /// How often pieces of work, a copy each, are submitted until they are awaited.
  int submits(int n_pieces, size_t work = kPiece) {
    gpu.n_submits = 0;
    for (int i = 0; i < n_pieces; i++) {
      device.copy(to.buffer(), 0, from.buffer(), 0, 16);
      device.add_work(work);
    }
    device.wait();
    return gpu.n_submits;
  }

  /// As much work as is measured, by a GPU that takes a tenth of a second for it.
  void be_slow() {
    gpu.busy_until = std::chrono::steady_clock::now() + 100ms;
    submits(kMeasuredPieces);
  }
  /// So much work that a GPU is fast that does it in 15 seconds.
  void be_fast() { submits(1, size_t{1} << 24); }
};

}  // namespace

TEST("a WebGPU submit has as much work as the GPU does in a few milliseconds") {
  Worker worker;
  CHECK_EQUAL(worker.submits(7), 2);
  worker.be_slow();
  CHECK_EQUAL(worker.submits(7), 7);
  worker.be_fast();
  CHECK_EQUAL(worker.submits(7), 2);  // four times as much, at most
  worker.be_fast();
  CHECK_EQUAL(worker.submits(7), 1);
}

TEST("a WebGPU submit is not measured by little work, nor while a kernel is compiled") {
  Worker worker;
  gpu.busy_until = std::chrono::steady_clock::now() + 100ms;
  worker.submits(kMeasuredPieces - 1);
  CHECK_EQUAL(worker.submits(7), 2);
  worker.device.pipeline({"argmax"}, {});
  worker.be_slow();
  CHECK_EQUAL(worker.submits(7), 2);
  worker.be_slow();
  CHECK_EQUAL(worker.submits(7), 7);
}

TEST("a WebGPU wait asks until the library says yes, which it does in one byte") {
  Worker worker;
  gpu.n_busy_polls = 5;
  worker.submits(1);
  CHECK_EQUAL(gpu.n_busy_polls, 0);
}
