// Tests when a Device submits, and when it considers submitted work done. Their own poll() replaces
// the library's, so the tests choose how slow the GPU seems.
#include <chrono>
#include <memory>

#include "../gpu/gpu_fixture.h"
#include "gpu/webgpu.h"
#include "webgpu/device.h"

using namespace hearth::kernels;
using namespace std::chrono_literals;

namespace {

constexpr size_t kPiece = webgpu::kFirstWork / 4;
// A Device measures the GPU's speed if there are at least this many pieces.
constexpr int kMeasuredPieces = 8;

struct FakeGpu {
  int n_submits = 0;
  int n_busy_polls = 0;  // the number of next polls that report a busy GPU
  std::chrono::steady_clock::time_point busy_until;
};
FakeGpu gpu;

/// Like wgpu-native's function, returns yes or no in the lowest byte of a register; the other bytes
/// are meaningless.
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

  /// Adds pieces of work, each a copy, and waits for them. Returns the number of submits.
  int submits(int n_pieces, size_t work = kPiece) {
    gpu.n_submits = 0;
    for (int i = 0; i < n_pieces; i++) {
      device.copy(to.buffer(), 0, from.buffer(), 0, 16);
      device.add_work(work);
    }
    device.wait();
    return gpu.n_submits;
  }

  /// Makes the GPU seem slow: just enough work to be measured takes 100 ms.
  void be_slow() {
    gpu.busy_until = std::chrono::steady_clock::now() + 100ms;
    submits(kMeasuredPieces);
  }
  /// Makes the GPU seem fast: runs so many units of work that even 15 seconds would be fast.
  void be_fast() { submits(1, size_t{1} << 24); }
};

}  // namespace

TEST("a WebGPU submit has as much work as the GPU does in a few milliseconds") {
  Worker worker;
  CHECK_EQUAL(worker.submits(7), 2);
  worker.be_slow();
  CHECK_EQUAL(worker.submits(7), 7);
  worker.be_fast();
  CHECK_EQUAL(worker.submits(7), 2);  // after each wait, a submit has at most four times as much
  worker.be_fast();
  CHECK_EQUAL(worker.submits(7), 1);
}

TEST("a Device does not measure the GPU with little work, or while a kernel is compiled") {
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

TEST("a WebGPU wait looks only at the lowest byte of what poll() returns") {
  Worker worker;
  gpu.n_busy_polls = 5;
  worker.submits(1);
  CHECK_EQUAL(gpu.n_busy_polls, 0);
}
