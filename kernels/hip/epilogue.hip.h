// Epilogues of a matmul, fused into its kernel, after an adapter's part has been added: a plain
// store, a residual add, SwiGLU, or bias + RoPE + append to the KV pages. Pairs of results
// arrive as (a, b): gate and up, or rows i and i + head_dim / 2 of a head.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

/// Clamps to the range of f16, so that a KV page never holds Inf.
GPU_DEVICE uint16_t saturated_half(float value) {
  return float_to_half(fminf(fmaxf(value, -65504.0f), 65504.0f));
}

/// The address of the result of a strip's row.
GPU_DEVICE float* place_of(const Epilogue& e, int row, int token) {
  return e.out + static_cast<uint64_t>(token) * e.stride + e.row0 + row;
}

GPU_DEVICE void store_one(const Epilogue& e, int row, int token, float value) {
  if (row >= e.n_rows) return;
  float* to = place_of(e, row, token);
  *to = e.kind == EpilogueKind::kAdd ? *to + value * e.scale : value;
}

/// The address of one head's K or V of one position in the pool.
GPU_DEVICE uint16_t* kv_slot(const KvPool& pool, int layer, int page, int kv_head, int is_v,
                             int slot) {
  return pool.data + static_cast<uint64_t>(page) * pool.page_values + layer * pool.layer_values +
         ((2 * kv_head + is_v) * kPage + slot) * pool.head_dim;
}

/// Loads the QkvRow of rows `row` and row + head_dim / 2 of the stacked q, k, v. It does not depend
/// on the step's results, so it can be loaded before the sums are known. V is not rotated.
GPU_DEVICE QkvRow load_qkv_row(const Epilogue& e, int row, int token) {
  const KvPool& pool = e.pool;
  const int half = pool.head_dim / 2, global = e.row0 + row, i = global & (2 * half - 1);
  const int position = e.batch.positions[token];
  const int head = (global >> pool.log2_head_dim) - pool.n_heads;  // of k, then of v
  const int is_v = head >= pool.n_kv_heads;
  const float* turn = e.cos_sin + 2 * (static_cast<uint64_t>(position) * half + i);
  QkvRow r = {{0, 0}, is_v ? 1.0f : turn[0], is_v ? 0.0f : turn[1], nullptr, nullptr};
  if (e.bias) r.bias[0] = e.bias[global], r.bias[1] = e.bias[global + half];
  if (head < 0)
    r.q = e.out + static_cast<uint64_t>(token) * e.stride + global;
  else
    r.kv = i + kv_slot(pool, e.layer, e.batch.append_page[token], head - is_v * pool.n_kv_heads,
                       is_v, position % kPage);
  return r;
}

GPU_DEVICE void store_qkv(const QkvRow& to, int half, float a, float b) {
  a += to.bias[0], b += to.bias[1];
  const float first = a * to.cos - b * to.sin, second = a * to.sin + b * to.cos;
  if (to.q)
    to.q[0] = first, to.q[half] = second;
  else
    to.kv[0] = saturated_half(first), to.kv[half] = saturated_half(second);
}

GPU_DEVICE float swiglu(float gate, float up) { return gate / (1.0f + expf(-gate)) * up; }

GPU_DEVICE void store_pair(const Epilogue& e, int row, int token, float a, float b) {
  if (e.kind == EpilogueKind::kQkv)
    store_qkv(load_qkv_row(e, row, token), e.pool.head_dim / 2, a, b);
  else
    store_one(e, row, token, swiglu(a, b));
}

}  // namespace hearth::kernels::hip
