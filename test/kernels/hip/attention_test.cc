// Attention of the HIP kernels, over q, k and v that they make themselves: against the CPU's, and
// in batches of every kind.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cpu/half.h"
#include "hip/plain.h"
#include "hip_fixture.h"

using namespace hearth::kernels;
using namespace test::gpu;
using test::random_floats, test::TestBatch, test::to_buffer;

namespace {

/// Runs q, k, v and attention over a context in batches of the given sizes; the last batch's
/// outputs.
struct AttentionRun {
  std::vector<float> q, out;
};

AttentionRun run_attention(Ops& ops, const AttentionShape& shape, const TestMatrix& qkv,
                           const std::vector<int>& batches, const std::vector<float>& x_all) {
  const int n_q = shape.n_heads * shape.head_dim, n_cols = qkv.n_cols;
  int context = 0;
  for (int n : batches) context += n;
  const int n_pages = (context + kPageTokens - 1) / kPageTokens;
  ops.make_kv_pool(shape, n_pages);
  const auto matrix = ops.pack(std::vector{qkv.source()});
  const auto norm = to_buffer(ops, random_floats(n_cols, 2, 1));
  const auto bias = to_buffer(ops, random_floats(qkv.n_rows, 9));
  const auto x = ops.buffer(kMaxBatch * size_t(n_cols)), q = ops.buffer(kMaxBatch * size_t(n_q)),
             out = ops.buffer(kMaxBatch * size_t(n_q));
  AttentionRun run;
  int first = 0;
  for (int n : batches) {
    ops.write(x->data, std::span(x_all).subspan(first * size_t(n_cols), n * size_t(n_cols)));
    const TestBatch step(first, n, n_pages);
    ops.begin(step.batch());
    for (int layer = 0; layer < shape.n_layers; layer++)
      ops.norm_qkv(layer, norm->data, 1e-6f, *matrix, bias->data, x->data, q->data);
    ops.attention(shape.n_layers - 1, q->data, out->data, matrix.get());
    for (const auto& [buffer, to] : {std::pair(q.get(), &run.q), std::pair(out.get(), &run.out)}) {
      std::vector<float> values(n * size_t(n_q));
      ops.read(values, buffer->data);
      to->insert(to->end(), values.begin(), values.end());
    }
    first += n;
  }
  return run;
}

}  // namespace

TEST("GPU attention over its own q, k and v is the CPU's, at every head size") {
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
      for (int row = 0; row < n_q; row++) {  // RoPE mixes two
        const int other = row % head_dim < head_dim / 2 ? row + head_dim / 2 : row - head_dim / 2;
        check_near(got.q, expected.q, token * n_q + row, bounds[row] + bounds[other] + 1e-4, what);
      }
    }
    // Attention is a mean of f16 values: an f16 step of the greatest, and what steps in q and k
    // move.
    check_all_near(got.out, expected.out, greatest_of(expected.out) * 0.01, "attention");
  }
}

TEST("GPU heads are normalized before RoPE, as on the CPU, with the same bits in any batch") {
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
    // int8 inputs: about a hundredth of a value.
    check_all_near(got.q, expected.q, greatest_of(expected.q) * 0.02, "normalized q");
    check_all_near(got.out, expected.out, greatest_of(expected.out) * 0.03, "attention");
    const auto cut = run_attention(*gpu_ops(1), shape, qkv, {33, 8, 1, 9, 2, 7}, x);
    CHECK(got.q == cut.q);
    CHECK(got.out == cut.out);
  }
}

TEST("a GPU token's attention has the same bits in any batch") {
  // 256 positions are one part of attention. With few blocks each has one part, else all; up to
  // eight tokens, or with fewer blocks than processors, another kernel is at work, of which there
  // is one for more blocks than processors, too.
  constexpr int kTokens = 300;
  const auto x = random_floats(kTokens * 256, 78);
  for (const auto& [head_dim, n_heads] :
       std::vector<std::array<int, 2>>{{64, 6}, {128, 2}, {32, 3}, {256, 1}}) {
    const AttentionShape shape{1, n_heads, 1, head_dim, 512, 10000};
    const TestMatrix qkv(BlockType::kQ4_K, (n_heads + 2) * head_dim, 256, 41);
    const auto whole = run_attention(*gpu_ops(1), shape, qkv, {100, 200}, x);
    for (int most_processors : {INT_MAX, 1}) {
      const auto cut = run_attention(*gpu_ops(most_processors), shape, qkv,
                                     {200, 33, 8, 1, 1, 2, 5, 34, 9, 1, 6}, x);
      CHECK(whole.q == cut.q);
      CHECK(whole.out == cut.out);
    }
  }
}

TEST("GPU attention is the plain sum over what a token attends to") {
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
    // Pages are K then V, of kPageTokens positions each; run_attention() uses the last page first.
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

TEST("GPU attention through a sliding window is the CPU's, with the same bits in any batch") {
  // Windows that begin in the first chunk, in a later one, and in a later part; the layer that
  // slides has a RoPE of its own.
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
    for (int most_processors : {INT_MAX, 1}) {
      const auto cut = run_attention(*gpu_ops(most_processors), shape, qkv,
                                     {200, 33, 8, 1, 1, 2, 41, 34, 9, 1}, x);
      CHECK(whole.q == cut.q);
      CHECK(whole.out == cut.out);
    }
  }
}

TEST("GPU tokens of two sequences in one batch attend to their own positions") {
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
  ops->attention(0, q->data, out->data, matrix.get());
  CHECK(from_buffer(*ops, *out) == alone);
}
