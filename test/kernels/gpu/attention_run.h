// Attention over q, k and v that the GPU's own kernels make.
#pragma once

#include <vector>

#include "gpu_fixture.h"

namespace test::gpu {

/// Runs q, k, v and attention over a context in batches of the given sizes. Returns the outputs for
/// the last batch.
struct AttentionRun {
  std::vector<float> q, out;
};

inline AttentionRun run_attention(kernels::Ops& ops, const kernels::AttentionShape& shape,
                                  const TestMatrix& qkv, const std::vector<int>& batches,
                                  const std::vector<float>& x_all) {
  const int n_q = shape.n_heads * shape.head_dim, n_cols = qkv.n_cols;
  int context = 0;
  for (int n : batches) context += n;
  const int n_pages = (context + kernels::kPageTokens - 1) / kernels::kPageTokens;
  ops.make_kv_pool(shape, n_pages);
  const auto matrix = ops.pack(std::vector{qkv.source()});
  const auto norm = to_buffer(ops, random_floats(n_cols, 2, 1));
  const auto bias = to_buffer(ops, random_floats(qkv.n_rows, 9));
  const auto x = ops.buffer(kernels::kMaxBatch * size_t(n_cols)),
             q = ops.buffer(kernels::kMaxBatch * size_t(n_q)),
             out = ops.buffer(kernels::kMaxBatch * size_t(n_q));
  AttentionRun run;
  int first = 0;
  for (int n : batches) {
    ops.write(x->data, std::span(x_all).subspan(first * size_t(n_cols), n * size_t(n_cols)));
    const TestBatch step(first, n, n_pages);
    ops.begin(step.batch());
    for (int layer = 0; layer < shape.n_layers; layer++)
      ops.norm_qkv(layer, norm->data, 1e-6f, *matrix, bias->data, x->data, q->data);
    ops.attention(shape.n_layers - 1, q->data, out->data, nullptr);
    for (const auto& [buffer, to] : {std::pair(q.get(), &run.q), std::pair(out.get(), &run.out)}) {
      std::vector<float> values(n * size_t(n_q));
      ops.read(values, buffer->data);
      to->insert(to->end(), values.begin(), values.end());
    }
    first += n;
  }
  return run;
}

}  // namespace test::gpu
