// Tests PreparedCommands: command buffers that are prepared while the GPU computes the last step.
#include <functional>
#include <memory>
#include <vector>

#include "../gpu/gpu_fixture.h"
#include "gpu/webgpu.h"
#include "webgpu/ops_webgpu.h"

using namespace hearth::kernels;
using namespace test::gpu;
using test::random_floats, test::to_buffer;

namespace {

constexpr int kCols = 64;
constexpr AttentionShape kShape{1, 2, 1, 64, 256, 10000};

webgpu::WgpuApi real_api;
int n_made = 0;

/// wgpu-native's functions, except that `finish` also counts the command buffers that are made.
webgpu::WgpuApi counting_api() {
  real_api = hearth::gpu::webgpu_runtime("").api;
  webgpu::WgpuApi api = real_api;
  api.finish = [](webgpu::Handle encoder, const void* descriptor) {
    n_made++;
    return real_api.finish(encoder, descriptor);
  };
  return api;
}

/// Runs one layer's attention over a sequence, one token at a time.
struct Steps {
  webgpu::WgpuApi api = counting_api();
  std::shared_ptr<webgpu::Device> device = std::make_shared<webgpu::Device>(
      api, hearth::gpu::choice_of(hearth::gpu::webgpu_runtime("").adapters.front()));
  webgpu::WebgpuOps ops{device};
  const TestMatrix qkv{BlockType::kQ8_0, 4 * 64, kCols, 31};
  std::unique_ptr<Matrix> matrix;
  std::unique_ptr<Buffer> norm, x, q, out;
  std::vector<int32_t> pages{3, 1, 0, 2};

  Steps() {
    ops.make_kv_pool(kShape, 4);
    matrix = ops.pack(std::vector{qkv.source()});
    norm = to_buffer(ops, random_floats(kCols, 2, 1));
    x = to_buffer(ops, random_floats(kMaxBatch * size_t{kCols}, 7));
    q = ops.buffer(kMaxBatch * size_t{128}), out = ops.buffer(kMaxBatch * size_t{128});
  }

  /// Returns the output at this position, and how many command buffers this step made. Calls
  /// before_read, if any, before the output is read.
  std::pair<std::vector<float>, int> at(int position,
                                        const std::function<void()>& before_read = {}) {
    const uint32_t token = 0;
    const int32_t sequence = 0;
    const std::span<const int32_t> table = pages;
    ops.begin({{&token, 1}, {&position, 1}, {&sequence, 1}, {&table, 1}});
    n_made = 0;
    ops.norm_qkv(0, norm->data, 1e-6f, *matrix, nullptr, x->data, q->data);
    ops.attention(0, q->data, out->data, nullptr);
    if (before_read) before_read();
    std::vector<float> values(128);
    ops.read(values, out->data);
    return {values, n_made};
  }
};

}  // namespace

TEST("a step that repeats the last one uses prepared command buffers, with the same bits") {
  Steps steps, others;
  std::vector<std::vector<float>> expected;
  for (int position = 0; position < 130; position++) {
    expected.push_back(others.at(position).first);
    others.ops.buffer(8);  // freed at once, which drops the prepared command buffers
  }
  for (int position = 0; position < 130; position++) {
    const auto [values, n] = steps.at(position);
    if (values != expected[position]) test::fail(__FILE__, __LINE__, std::to_string(position));
    // A new step makes its own command buffer. Its first repetition makes its own, too, and
    // prepares the next one. Each later repetition only prepares the next one. At every 64th
    // position, attention gets another part, which makes a new step.
    const int i = position % 64;
    CHECK_EQUAL(n, i == 1 ? 2 : 1);
  }
}

TEST("prepared command buffers are dropped when a buffer that they might use is freed") {
  Steps steps;
  for (int position = 0; position < 4; position++) steps.at(position);
  steps.out = steps.ops.buffer(kMaxBatch * size_t{128});
  const std::vector<float> values = steps.at(4).first;
  Steps others;
  for (int position = 0; position < 4; position++) others.at(position);
  CHECK(values == others.at(4).first);
}

TEST("a prepared command buffer is not submitted to a device that is lost") {
  Steps steps;
  for (int position = 0; position < 4; position++) steps.at(position);
  const auto lose = [&] { real_api.destroy_device(steps.device->handle()); };
  CHECK_THROWS(steps.at(4, lose), "has failed");
}

TEST("a wait ends when the GPU has nothing left to do") {
  Steps steps;
  for (int position = 0; position < 40; position++) {
    const uint32_t token = 0;
    const int32_t sequence = 0;
    const std::span<const int32_t> table = steps.pages;
    steps.ops.begin({{&token, 1}, {&position, 1}, {&sequence, 1}, {&table, 1}});
    for (int i = 0; i < 20; i++)
      steps.ops.norm_qkv(0, steps.norm->data, 1e-6f, *steps.matrix, nullptr, steps.x->data,
                         steps.q->data);
    steps.ops.wait();
    if (!real_api.poll(steps.device->handle(), 0, nullptr)) test::fail(__FILE__, __LINE__, "busy");
  }
}
