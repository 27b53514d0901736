// A KV pool with more pages than fit in one binding. Some drivers limit a binding to 128 MiB.
#include <memory>
#include <numeric>
#include <vector>

#include "../gpu/gpu_fixture.h"
#include "gpu/webgpu.h"
#include "webgpu/ops_webgpu.h"

using namespace hearth::kernels;
using namespace test::gpu;
using test::random_floats, test::to_buffer;

namespace {

constexpr int kTokens = 250, kPages = 16, kCols = 64;

std::unique_ptr<webgpu::WebgpuOps> ops_with(uint64_t page_bytes) {
  static const hearth::gpu::WebgpuRuntime runtime = hearth::gpu::webgpu_runtime("");
  webgpu::DeviceChoice choice = hearth::gpu::choice_of(runtime.adapters.front());
  choice.page_bytes = page_bytes;
  return std::make_unique<webgpu::WebgpuOps>(std::make_shared<webgpu::Device>(runtime.api, choice));
}

/// Runs attention over a sequence whose pages are scattered over the pool. Before the last token,
/// copies one page to another place, and moves one through the host.
std::vector<float> attend(webgpu::WebgpuOps& ops) {
  const AttentionShape shape{2, 2, 1, 64, 512, 10000};
  const TestMatrix qkv(BlockType::kQ8_0, 4 * 64, kCols, 31);
  ops.make_kv_pool(shape, kPages);
  const auto matrix = ops.pack(std::vector{qkv.source()});
  const auto norm = to_buffer(ops, random_floats(kCols, 2, 1));
  const auto x = to_buffer(ops, random_floats(kMaxBatch * size_t{kCols}, 7));
  const auto q = ops.buffer(kMaxBatch * size_t{128}), out = ops.buffer(kMaxBatch * size_t{128});
  std::vector<uint32_t> tokens(kTokens);
  std::vector<int32_t> positions(kTokens), sequences(kTokens), pages;
  std::iota(positions.begin(), positions.end(), 0);
  for (int i = 0; i < 8; i++) pages.push_back((5 * i + 3) % kPages);
  std::vector<float> values(kTokens * size_t{128});
  const auto run = [&](int first, int n) {
    const std::span<const int32_t> table = pages;
    ops.begin({std::span(tokens).subspan(first, n),
               std::span(positions).subspan(first, n),
               std::span(sequences).subspan(first, n),
               {&table, 1}});
    for (int layer = 0; layer < shape.n_layers; layer++)
      ops.norm_qkv(layer, norm->data, 1e-6f, *matrix, nullptr, x->data, q->data);
    ops.attention(1, q->data, out->data, nullptr);
    ops.read(values, out->data);
  };
  run(0, kTokens - 1);
  ops.copy_page(0, pages[1], kPageTokens);
  pages[1] = 0;
  std::vector<std::byte> page(ops.kv_page_bytes());
  ops.read_page(page, pages[4]);
  ops.write_page(kPages - 1, page);
  pages[4] = kPages - 1;
  const std::vector<float> before = values;
  run(kTokens - 1, 1);
  std::vector<float> all(before);
  all.insert(all.end(), values.begin(), values.begin() + 128);
  return all;
}

}  // namespace

TEST("attention gives the same bits whether the KV pool is in one binding or in several") {
  const auto one = ops_with(UINT64_MAX);
  const std::vector<float> expected = attend(*one);
  // A page has 8 KiB per layer. So a binding has six pages, and there are three bindings, the last
  // of which is shorter.
  const auto some = ops_with(50 << 10);
  CHECK(attend(*some) == expected);
}

TEST("a KV pool that needs too many bindings is refused before anything is allocated") {
  const auto ops = ops_with(20 << 10);
  CHECK_THROWS(ops->make_kv_pool({2, 2, 1, 64, 512, 10000}, kPages),
               "no more than 0 MiB of the KV cache");
}
