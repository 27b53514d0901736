// The inputs of types whose blocks of 256 columns have one float scale, on a GPU.
#include <numeric>
#include <span>
#include <vector>

#include "gpu_fixture.h"

using namespace hearth::kernels;
using namespace test::gpu;
using test::random_floats, test::TestBatch, test::to_buffer;

TEST("one GPU matrix may stack formats with and without super-blocks of 256 columns") {
  const int n_cols = 1280;
  const TestMatrix parts[] = {{BlockType::kQ8_0, 32, n_cols, 1},
                              {BlockType::kQ4_K, 48, n_cols, 2},
                              {BlockType::kF16, 32, n_cols, 3},
                              {BlockType::kQ6_K, 16, n_cols, 4}};
  for (size_t n_parts : {2, 4}) {
    for (int n : {1, 5, 40}) {
      const auto x = random_floats(n * size_t(n_cols), 1), norm = random_floats(n_cols, 2, 1);
      std::vector<int32_t> rows(n);
      std::iota(rows.begin(), rows.end(), 0);
      std::vector<MatrixSource> sources;
      for (const TestMatrix& part : std::span(parts).first(n_parts))
        sources.push_back(part.source());
      std::vector<float> sums[2], logits[2];
      int n_rows = 0;
      for (int k = 0; k < 2; k++) {
        const std::unique_ptr<Ops> ops = k ? cpu_ops() : gpu_ops();
        const auto matrix = ops->pack(sources);
        n_rows = matrix->n_rows;
        const auto x_buffer = to_buffer(*ops, x), norm_buffer = to_buffer(*ops, norm);
        const auto out = to_buffer(*ops, std::vector<float>(n * size_t(n_rows)));
        const auto head = ops->buffer(n * size_t(n_rows));
        const TestBatch step(0, n, 2);
        ops->begin(step.batch());
        ops->matmul_add(*matrix, x_buffer->data, out->data);
        ops->norm_head(norm_buffer->data, 1e-6f, *matrix, x_buffer->data, rows, head->data);
        sums[k] = from_buffer(*ops, *out), logits[k] = from_buffer(*ops, *head);
      }
      for (int i = 0; i < n * n_rows; i++) {
        const float* token = &x[i / n_rows * size_t(n_cols)];
        int row = i % n_rows;
        const TestMatrix* part = parts;
        while (row >= part->n_rows) row -= part++->n_rows;
        check_near(sums[0], sums[1], i, product_bound(*part, row, token, false), "a sum");
        const double bound = product_bound(*part, row, normed(token, norm).data(), true);
        check_near(logits[0], logits[1], i, bound, "a logit");
      }
    }
  }
}

TEST("a matmul after GPU attention or SwiGLU has the same bits with quantized and float input") {
  const AttentionShape shape{1, 4, 2, 64, 64, 10000};
  const TestMatrix qkv(BlockType::kQ8_0, 8 * 64, 256, 1), gate_up(BlockType::kQ4_K, 512, 256, 2);
  const TestMatrix outs[] = {{BlockType::kQ4_K, 32, 256, 3}, {BlockType::kQ8_0, 32, 256, 4}};
  const auto x = random_floats(9 * 256, 5), norm = random_floats(256, 6, 1);
  for (int n : {1, 9}) {
    const auto ops = gpu_ops();
    ops->make_kv_pool(shape, 1);
    const auto in = ops->pack(std::vector{qkv.source()});
    const auto ffn = ops->pack(std::vector{gate_up.source()});
    const auto x_buffer = to_buffer(*ops, x), norm_buffer = to_buffer(*ops, norm);
    const auto q = ops->buffer(9 * 256), attended = ops->buffer(9 * 256), h = ops->buffer(9 * 256);
    for (const TestMatrix& w : outs) {
      const auto matrix = ops->pack(std::vector{w.source()});
      const std::vector<float> zeros(n * size_t{32});
      const auto sums_of = [&](ProductInput values, float* sums) {
        ops->matmul_add(*matrix, values, sums);
        std::vector<float> result(zeros.size());
        ops->read(result, sums);
        return result;
      };
      for (Matrix* next : {static_cast<Matrix*>(nullptr), matrix.get()}) {
        const auto attention_sums = to_buffer(*ops, zeros), swiglu_sums = to_buffer(*ops, zeros);
        const TestBatch batch(0, n, 1);
        ops->begin(batch.batch());
        ops->norm_qkv(0, norm_buffer->data, 1e-6f, *in, nullptr, x_buffer->data, q->data);
        const auto after_attention =
            sums_of(ops->attention(0, q->data, attended->data, next), attention_sums->data);
        const auto after_swiglu = sums_of(
            ops->norm_gate_up(norm_buffer->data, 1e-6f, *ffn, x_buffer->data, h->data, next),
            swiglu_sums->data);
        // The same values as floats.
        const auto float_sums = to_buffer(*ops, zeros), h_float_sums = to_buffer(*ops, zeros);
        CHECK(sums_of(attended->data, float_sums->data) == after_attention);
        CHECK(sums_of(h->data, h_float_sums->data) == after_swiglu);
      }
    }
  }
}
