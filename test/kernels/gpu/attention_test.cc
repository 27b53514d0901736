// Compares attention on a GPU, over q, k and v of its own kernels, with the CPU's, in batches of
// every kind.
#include <array>
#include <climits>
#include <vector>

#include "attention_run.h"

using namespace hearth::kernels;
using namespace test::gpu;
using test::random_floats, test::to_buffer;

TEST("GPU attention over its own q, k and v equals the CPU's, at every head size") {
  for (const auto& [head_dim, n_heads, n_kv_heads] :
       std::vector<std::array<int, 3>>{{64, 7, 1}, {128, 6, 2}, {32, 20, 2}, {256, 4, 4}}) {
    const AttentionShape shape{2, n_heads, n_kv_heads, head_dim, 256, 10000};
    const TestMatrix qkv(BlockType::kQ8_0, (n_heads + 2 * n_kv_heads) * head_dim, 128, 31);
    const auto x = random_floats(150 * 128, 77);
    const std::vector<int> batches{test::kIsSanitized ? 33 : 100, test::kIsSanitized ? 32 : 49, 1};
    const auto expected = run_attention(*cpu_ops(), shape, qkv, batches, x);
    const auto got = run_attention(*gpu_ops(1), shape, qkv, batches, x);
    const std::string what = "q, heads of " + std::to_string(head_dim);
    const auto norm = random_floats(128, 2, 1);
    const int n_q = n_heads * head_dim;
    for (size_t token = 0; token < got.q.size() / n_q; token++) {
      const auto h = normed(&x[token * 128], norm);
      std::vector<double> bounds;
      for (int row = 0; row < n_q; row++) bounds.push_back(product_bound(qkv, row, h.data(), true));
      for (int row = 0; row < n_q; row++) {  // RoPE mixes two rows
        const int other = row % head_dim < head_dim / 2 ? row + head_dim / 2 : row - head_dim / 2;
        check_near(got.q, expected.q, token * n_q + row, bounds[row] + bounds[other] + 1e-4, what);
      }
    }
    // Attention is a mean of f16 values. Its error may be an f16 step of the greatest value, plus
    // the effect of steps in q and k.
    check_all_near(got.out, expected.out, greatest_of(expected.out) * 0.01, "attention");
  }
}

TEST("a GPU normalizes heads before RoPE, as the CPU does, with the same bits in any batch") {
  for (const auto& [head_dim, n_heads, n_kv_heads] :
       std::vector<std::array<int, 3>>{{64, 6, 1}, {128, 4, 2}, {32, 5, 5}, {256, 2, 1}}) {
    AttentionShape shape{2, n_heads, n_kv_heads, head_dim, 256, 10000};
    shape.norm_eps = 1e-5f;
    shape.q_norms = random_floats(size_t(2) * head_dim, 11, 1);
    shape.k_norms = random_floats(size_t(2) * head_dim, 12, 1);
    const TestMatrix qkv(BlockType::kQ8_0, (n_heads + 2 * n_kv_heads) * head_dim, 128, 31);
    const auto x = random_floats(60 * 128, 77);
    const auto expected = run_attention(*cpu_ops(), shape, qkv, {40, 20}, x);
    const auto got = run_attention(*gpu_ops(1), shape, qkv, {40, 20}, x);
    // int8 inputs: the error is about a hundredth of a value.
    check_all_near(got.q, expected.q, greatest_of(expected.q) * 0.02, "normalized q");
    check_all_near(got.out, expected.out, greatest_of(expected.out) * 0.03, "attention");
    const auto cut = run_attention(*gpu_ops(1), shape, qkv, {33, 8, 1, 9, 2, 7}, x);
    CHECK(got.q == cut.q);
    CHECK(got.out == cut.out);
  }
}

TEST("on a GPU, a token's attention has the same bits in any batch") {
  // A part of attention is 256 positions. With few thread blocks, each takes one part; otherwise
  // each takes all parts. For up to eight tokens, or with fewer thread blocks than processors, a
  // different kernel runs. It has a second version for more thread blocks than processors.
  constexpr int kTokens = 300;
  const auto x = random_floats(kTokens * 256, 78);
  for (const auto& [head_dim, n_heads] :
       std::vector<std::array<int, 2>>{{64, 6}, {128, 2}, {32, 3}, {256, 1}}) {
    const AttentionShape shape{1, n_heads, 1, head_dim, 512, 10000};
    const TestMatrix qkv(BlockType::kQ4_K, (n_heads + 2) * head_dim, 256, 41);
    const auto whole = run_attention(*gpu_ops(1), shape, qkv, {100, 200}, x);
    for (int max_processors : {INT_MAX, 1}) {
      const auto cut = run_attention(*gpu_ops(max_processors), shape, qkv,
                                     {200, 33, 8, 1, 1, 2, 5, 34, 9, 1, 6}, x);
      CHECK(whole.q == cut.q);
      CHECK(whole.out == cut.out);
    }
  }
}

TEST("on a GPU, tokens of two sequences in one batch attend to their own positions") {
  constexpr int kLong = 90, kShort = 20, kCols = 128, kHeads = 6, kHeadDim = 64;
  const AttentionShape shape{1, kHeads, 2, kHeadDim, 256, 10000};
  const TestMatrix qkv(BlockType::kQ8_0, (kHeads + 4) * kHeadDim, kCols, 31);
  const auto x = random_floats((kLong + kShort) * kCols, 77);
  const auto x_short = std::vector<float>(x.begin() + kLong * kCols, x.end());
  auto alone = run_attention(*gpu_ops(1), shape, qkv, {kLong}, x).out;
  const auto second = run_attention(*gpu_ops(1), shape, qkv, {kShort}, x_short).out;
  alone.insert(alone.end(), second.begin(), second.end());

  const auto ops = gpu_ops(1);
  ops->make_kv_pool(shape, 4);
  const auto matrix = ops->pack(std::vector{qkv.source()});
  const auto norm = to_buffer(*ops, random_floats(kCols, 2, 1));
  const auto bias = to_buffer(*ops, random_floats(qkv.n_rows, 9));
  const auto in = to_buffer(*ops, x);
  const size_t n_out = size_t{kLong + kShort} * kHeads * kHeadDim;
  const auto q = ops->buffer(n_out), out = ops->buffer(n_out);
  const std::vector<uint32_t> tokens(kLong + kShort);
  std::vector<int32_t> positions(kLong + kShort), sequences(kLong + kShort);
  for (int i = 0; i < kLong + kShort; i++) {
    sequences[i] = i >= kLong;
    positions[i] = i - sequences[i] * kLong;
  }
  const std::vector<int32_t> pages[] = {{2, 0, 1}, {3}};
  const std::span<const int32_t> tables[] = {pages[0], pages[1]};
  ops->begin({tokens, positions, sequences, tables});
  ops->norm_qkv(0, norm->data, 1e-6f, *matrix, bias->data, in->data, q->data);
  ops->attention(0, q->data, out->data, nullptr);
  CHECK(from_buffer(*ops, *out) == alone);
}
