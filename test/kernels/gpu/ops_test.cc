// Compares a GPU's kernels with the CPU's scalar ones, op by op, for every type of weight.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "gpu_fixture.h"
#include "hip/plain.h"

using namespace hearth::kernels;
using namespace test::gpu;
using test::random_floats, test::TestBatch, test::to_buffer;

namespace {

/// matmul_add for n random tokens, on the GPU and on the CPU.
void check_matmul_add(const TestMatrix& w, int n, int max_processors = INT_MAX) {
  const auto in = random_floats(n * size_t(w.n_cols), n);
  const auto x = random_floats(n * size_t(w.n_rows), 5);
  std::vector<float> results[2];
  for (int k = 0; k < 2; k++) {
    const std::unique_ptr<Ops> ops = k ? cpu_ops() : gpu_ops(max_processors);
    const auto matrix = ops->pack(std::vector{w.source()});
    const auto in_buffer = to_buffer(*ops, in), x_buffer = to_buffer(*ops, x);
    const TestBatch step(0, n, 2);
    ops->begin(step.batch());
    ops->matmul_add(*matrix, in_buffer->data, x_buffer->data);
    results[k] = from_buffer(*ops, *x_buffer);
  }
  for (size_t i = 0; i < results[0].size(); i++)
    check_near(results[0], results[1], i,
               product_bound(w, i % w.n_rows, &in[i / w.n_rows * w.n_cols], false) + 1e-6,
               title(w.type, w.n_rows, w.n_cols, n));
}

/// Column counts with every kind of tail: half a unit, odd numbers of units, several slices.
std::vector<int> column_counts(BlockType type) {
  if (block_traits(type).weights == 256) return {256, 1280};
  return {32, 96, 448, 2112};
}

}  // namespace

TEST("a GPU embedding equals the dequantized row") {
  for (BlockType type : hearth::kernels::kBlockTypes) {
    for (int n_cols : column_counts(type)) {
      const TestMatrix table(type, 40, n_cols, 7);
      auto ops = gpu_ops();
      const auto matrix = ops->pack(std::vector{table.source()});
      const TestBatch batch(0, 5, 1);
      auto x = ops->buffer(5 * size_t(n_cols));
      ops->begin(batch.batch());
      ops->embed(*matrix, x->data);
      const auto got = from_buffer(*ops, *x);
      for (size_t i = 0; i < got.size(); i++) {
        const float weight = table.weights[batch.tokens[i / n_cols] * size_t(n_cols) + i % n_cols];
        check_near(got[i], weight, 0, title(type, 40, n_cols, 5) + at(i));
      }
    }
  }
}

TEST("a GPU matmul adds what the CPU adds, for every type, shape and batch") {
  for (BlockType type : hearth::kernels::kBlockTypes) {
    for (int n_cols : column_counts(type)) {
      for (int n : {1, 3, 8, 9, 33}) {
        if (test::kIsSanitized && n % 8 == 1 && n_cols > 1000) continue;
        check_matmul_add(TestMatrix(type, 50, n_cols, 3), n);
      }
    }
  }
}

TEST("a GPU product equals the plain product, whichever kernel multiplies") {
  for (const BlockType type : kBlockTypes) {
    const size_t n_per_scale = block_traits(type).weights == 256 ? 256 : 32;
    const TestMatrix w(type, 48, 512, 3);
    for (const int n : {1, 5, 20}) {  // GEMV, a few tokens, GEMM
      const auto in = random_floats(size_t(n) * 512, 1);
      const auto ops = gpu_ops();
      const auto matrix = ops->pack(std::vector{w.source()});
      const auto in_buffer = to_buffer(*ops, in);
      const auto x_buffer = to_buffer(*ops, std::vector<float>(size_t(n) * 48));
      const TestBatch step(0, n, 2);
      ops->begin(step.batch());
      ops->matmul_add(*matrix, in_buffer->data, x_buffer->data);
      const auto got = from_buffer(*ops, *x_buffer);
      for (int token = 0; token < n; token++) {
        const auto x = std::span(in).subspan(size_t(token) * 512, 512);
        const auto expected =
            w.is_float() ? hip::plain::product(w.weights, hip::plain::Doubles(x.begin(), x.end()))
                         : hip::plain::product(w.weights, hip::plain::quantized(x, n_per_scale));
        for (int row = 0; row < 48; row++)
          check_near(got[size_t(token) * 48 + row], expected[row],
                     product_bound(w, row, x.data(), true), title(type, 48, 512, n) + at(row));
      }
    }
  }
}

TEST("a GPU matmul multiplies its results by residual_scale") {
  for (BlockType type : {BlockType::kQ8_0, BlockType::kQ4_K, BlockType::kF16}) {
    const TestMatrix w(type, 48, 256, 3);
    for (int n : {1, 5, 40}) {
      const auto in = random_floats(size_t(n) * 256, 1), x = random_floats(size_t(n) * 48, 5);
      const auto added = [&](float scale) {
        const auto ops = gpu_ops();
        ops->residual_scale = scale;
        const auto matrix = ops->pack(std::vector{w.source()});
        const auto in_buffer = to_buffer(*ops, in), x_buffer = to_buffer(*ops, x);
        const TestBatch step(0, n, 2);
        ops->begin(step.batch());
        ops->matmul_add(*matrix, in_buffer->data, x_buffer->data);
        return from_buffer(*ops, *x_buffer);
      };
      const auto whole = added(1), part = added(0.25f);
      auto expected = x;
      for (size_t i = 0; i < x.size(); i++) {
        expected[i] += (whole[i] - x[i]) * 0.25f;
        check_near(part, expected, i, 1e-5, title(type, 48, 256, n));
      }
    }
  }
}

TEST("GPU products with more tiles than processors equal the CPU's") {
  for (BlockType type : hearth::kernels::kBlockTypes) {
    for (int n : {1, 5, 20, 40}) {
      if (test::kIsSanitized && n > 5 && type != BlockType::kQ6_K) continue;
      check_matmul_add(TestMatrix(type, 144, 1280, 3), n, 1);
    }
  }
}

TEST("GPU logits equal the CPU's, for all tokens or some candidates") {
  for (BlockType type : hearth::kernels::kBlockTypes) {
    const int n_cols = 512, n_rows = 100, n = 5;
    const TestMatrix head(type, n_rows, n_cols, 11);
    const auto x = random_floats(n * size_t(n_cols), 1), norm = random_floats(n_cols, 2, 1);
    const std::vector<int32_t> rows{1, 4};
    const std::vector<uint32_t> candidates{0, 3, 16, 50, 51, 99};
    std::vector<float> results[2], some;
    for (int k = 0; k < 2; k++) {
      const std::unique_ptr<Ops> ops = k ? cpu_ops() : gpu_ops();
      const auto matrix = ops->pack(std::vector{head.source()});
      const auto x_buffer = to_buffer(*ops, x), norm_buffer = to_buffer(*ops, norm);
      const auto logits = ops->buffer(2 * n_rows), few = ops->buffer(candidates.size());
      const TestBatch step(0, n, 1);
      ops->begin(step.batch());
      ops->norm_head(norm_buffer->data, 1e-6f, *matrix, x_buffer->data, rows, logits->data);
      ops->norm_head_candidates(norm_buffer->data, 1e-6f, *matrix, x_buffer->data, rows[1],
                                candidates, few->data);
      results[k] = from_buffer(*ops, *logits);
      if (k == 0) some = from_buffer(*ops, *few);
    }
    for (int i = 0; i < 2 * n_rows; i++) {
      const auto h = normed(&x[rows[i / n_rows] * size_t(n_cols)], norm);
      check_near(results[0], results[1], i, product_bound(head, i % n_rows, h.data(), true),
                 title(type, n_rows, n_cols, n));
    }
    for (size_t i = 0; i < candidates.size(); i++)
      CHECK_EQUAL(some[i], results[0][n_rows + candidates[i]]);
  }
}

TEST("GPU SwiGLU equals the CPU's") {
  for (BlockType type : hearth::kernels::kBlockTypes) {
    for (int n : {1, 9, 40}) {
      const int n_cols = 256, n_ff = 48;
      const TestMatrix gate(type, n_ff, n_cols, 21), up(type, n_ff, n_cols, 22);
      const auto x = random_floats(n * size_t(n_cols), 1), norm = random_floats(n_cols, 2, 1);
      std::vector<float> results[2];
      for (int k = 0; k < 2; k++) {
        const std::unique_ptr<Ops> ops = k ? cpu_ops() : gpu_ops();
        const auto matrix = ops->pack(std::vector{gate.source(), up.source()});
        const auto x_buffer = to_buffer(*ops, x), norm_buffer = to_buffer(*ops, norm);
        const auto h = ops->buffer(n * size_t(n_ff));
        const TestBatch step(0, n, 2);
        ops->begin(step.batch());
        ops->norm_gate_up(norm_buffer->data, 1e-6f, *matrix, x_buffer->data, h->data, nullptr);
        results[k] = from_buffer(*ops, *h);
      }
      for (int i = 0; i < n * n_ff; i++) {
        const auto h = normed(&x[i / n_ff * size_t(n_cols)], norm);
        double g = 0, u = 0;
        for (int c = 0; c < n_cols; c++) {
          g += double{gate.weights[i % n_ff * size_t(n_cols) + c]} * h[c];
          u += double{up.weights[i % n_ff * size_t(n_cols) + c]} * h[c];
        }
        // |silu'| <= 1.1 and |silu(g)| <= |g|.
        const double eg = product_bound(gate, i % n_ff, h.data(), true);
        const double eu = product_bound(up, i % n_ff, h.data(), true);
        const double bound = 1.1 * eg * (std::fabs(u) * 1.1 + 1) + (std::fabs(g) * 1.1 + 1) * eu +
                             1e-6 * std::fabs(results[1][i]);
        check_near(results[0], results[1], i, bound, title(type, n_ff, n_cols, n));
      }
    }
  }
}

TEST("on a GPU, a token's products have the same bits in any batch") {
  size_t turn = 0;
  for (BlockType type : hearth::kernels::kBlockTypes) {
    const TestMatrix w(type, 96, 1280, 51);
    const auto in = random_floats(70 * 1280, 3);
    std::vector<float> first;
    for (int max_processors : test::sample(std::vector{INT_MAX, 1}, turn++)) {
      const auto ops = gpu_ops(max_processors);
      const auto matrix = ops->pack(std::vector{w.source()});
      for (int n : {1, 7, 20, 70}) {
        const auto in_buffer = to_buffer(*ops, in), out = ops->buffer(n * 96);
        const TestBatch step(0, n, 3);
        ops->begin(step.batch());
        ops->matmul_add(*matrix, in_buffer->data, out->data);
        const auto got = from_buffer(*ops, *out);
        if (first.empty()) first = got;
        CHECK(std::equal(first.begin(), first.end(), got.begin()));
      }
    }
  }
}

TEST("GPU pages are copied, read and written as a whole") {
  const AttentionShape shape{2, 2, 1, 64, 64, 10000};
  const auto ops = gpu_ops();
  ops->make_kv_pool(shape, 3);
  std::vector<std::byte> page(ops->kv_page_bytes()), got(page.size());
  for (size_t i = 0; i < page.size(); i++) page[i] = std::byte(i * 7 % 120);
  ops->write_page(1, page);
  ops->copy_page(2, 1, kPageTokens);
  ops->read_page(got, 2);
  CHECK(got == page);
}
