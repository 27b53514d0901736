// Attention in the HIP kernels: compared with the plain sum, and with sliding windows.
#include <array>
#include <climits>
#include <cmath>
#include <vector>

#include "../gpu/attention_run.h"
#include "cpu/half.h"
#include "hip/plain.h"
#include "hip_fixture.h"

using namespace hearth::kernels;
using namespace test::gpu;
using test::random_floats, test::to_buffer;

TEST("GPU attention equals the plain sum over the positions that a token attends to") {
  constexpr int kHeadDim = 64, kHeads = 4, kTokens = 300;
  const auto x = random_floats(kTokens * 128, 80);
  for (const int window : {0, 70}) {
    AttentionShape shape{1, kHeads, 1, kHeadDim, 512, 10000};
    if (window > 0) shape.is_sliding = {1};
    shape.window = window;
    shape.sliding_rope_base = 500;
    const TestMatrix qkv(BlockType::kQ8_0, (kHeads + 2) * kHeadDim, 128, 44);
    const auto ops = gpu_ops(1);
    const AttentionRun run = run_attention(*ops, shape, qkv, {200, kTokens - 205, 4, 1}, x);
    // A page has its keys, then its values, for kPageTokens positions; run_attention() uses the
    // last page first.
    std::vector<float> cache[2];
    const int n_pages = (kTokens + kPageTokens - 1) / kPageTokens;
    for (int page = n_pages - 1; page >= 0; page--) {
      std::vector<std::byte> bytes(ops->kv_page_bytes());
      ops->read_page(bytes, page);
      const auto* halves = reinterpret_cast<const uint16_t*>(bytes.data());
      for (int i = 0; i < 2 * kPageTokens * kHeadDim; i++)
        cache[i / (kPageTokens * kHeadDim)].push_back(cpu::f16_to_f32(halves[i]));
    }
    for (const int token : {0, 63, 69, 70, 256, kTokens - 2, kTokens - 1}) {
      for (int head = 0; head < kHeads; head++) {
        const size_t at = (size_t(token) * kHeads + head) * kHeadDim;
        const size_t n = size_t(token + 1) * kHeadDim;
        const auto expected = hip::plain::attention(
            std::span(run.q).subspan(at, kHeadDim), std::span(cache[0]).first(n),
            std::span(cache[1]).first(n), size_t(window), shape.softmax_scale());
        for (size_t i = 0; i < kHeadDim; i++)
          check_near(run.out[at + i], expected[i], 1e-4,
                     "window " + std::to_string(window) + ", token " + std::to_string(token));
      }
    }
  }
}

TEST("GPU attention with a sliding window equals the CPU's, with the same bits in any batch") {
  // The windows begin in the first chunk, in a later one, and in a later part; the layer with a
  // sliding window has its own RoPE.
  constexpr int kTokens = 330;
  const auto x = random_floats(kTokens * 128, 79);
  for (const auto& [head_dim, n_heads, window] :
       std::vector<std::array<int, 3>>{{64, 6, 50}, {128, 2, 9}, {32, 3, 200}, {256, 1, 64}}) {
    AttentionShape shape{2, n_heads, 1, head_dim, 512, 10000};
    shape.is_sliding = {0, 1};
    shape.window = window;
    shape.sliding_rope_base = 500;
    shape.rope_magnitude = 1.2f;
    const TestMatrix qkv(BlockType::kQ8_0, (n_heads + 2) * head_dim, 128, 43);
    const auto expected = run_attention(*cpu_ops(), shape, qkv, {130, 200}, x);
    const auto whole = run_attention(*gpu_ops(1), shape, qkv, {130, 200}, x);
    check_all_near(
        whole.out, expected.out, greatest_of(expected.out) * 0.01,
        "window of " + std::to_string(window) + ", heads of " + std::to_string(head_dim));
    for (int max_processors : {INT_MAX, 1}) {
      const auto cut = run_attention(*gpu_ops(max_processors), shape, qkv,
                                     {200, 33, 8, 1, 1, 2, 41, 34, 9, 1}, x);
      CHECK(whole.q == cut.q);
      CHECK(whole.out == cut.out);
    }
  }
}
