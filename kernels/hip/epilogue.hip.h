// What follows a matmul, while its results are still in registers: residual add, plain store,
// SwiGLU, or bias + RoPE + append to the KV pages. Pairs arrive as (a, b): gate and up, or i and i
// + head_dim/2.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

/// f16 that is never Inf: a stored page stays finite whatever the model does.
GPU_DEVICE uint16_t saturated_half(float value) {
  return float_to_half(fminf(fmaxf(value, -65504.0f), 65504.0f));
}

GPU_DEVICE void store_one(const Epilogue& e, int row, int token, float value) {
  if (row >= e.n_rows) return;
  float* to = e.out + static_cast<uint64_t>(token) * e.stride + e.row0 + row;
  *to = e.kind == EpilogueKind::kAdd ? *to + value : value;
}

/// K or V of one position of one head inside the pool.
GPU_DEVICE uint16_t* kv_slot(const KvPool& pool, int layer, int page, int kv_head, int is_v,
                             int slot) {
  return pool.data + static_cast<uint64_t>(page) * pool.page_halves + layer * pool.layer_halves +
         ((2 * kv_head + is_v) * kPage + slot) * pool.head_dim;
}

/// Known before the step begins: to be loaded ahead of the sums.
GPU_DEVICE QkvRow load_qkv_row(const Epilogue& e, int row, int token) {
  const int half = e.pool.head_dim / 2, global = e.row0 + row, i = global & (2 * half - 1);
  const int position = e.batch.positions[token];
  const float* turn = e.cos_sin + 2 * (static_cast<uint64_t>(position) * half + i);
  QkvRow r = {{0, 0}, turn[0], turn[1], e.batch.append_page[token], position % kPage};
  if (e.bias) r.bias[0] = e.bias[global], r.bias[1] = e.bias[global + half];
  return r;
}

/// Rows i and i + head_dim / 2 of one head of the stacked q, k, v.
GPU_DEVICE void store_qkv(const Epilogue& e, int row, int token, float a, float b,
                          const QkvRow& known) {
  const KvPool& pool = e.pool;
  const int half = pool.head_dim / 2;
  const int global = e.row0 + row;
  const int head = global >> pool.log2_head_dim, i = global & (pool.head_dim - 1);
  a += known.bias[0], b += known.bias[1];
  const int kv_head = head - pool.n_heads;
  if (kv_head < pool.n_kv_heads) {  // q or k
    const float x = a;
    a = x * known.cos - b * known.sin;
    b = x * known.sin + b * known.cos;
  }
  if (kv_head < 0) {
    float* q = e.out + static_cast<uint64_t>(token) * e.stride + global;
    q[0] = a, q[half] = b;
    return;
  }
  const int is_v = kv_head >= pool.n_kv_heads;
  uint16_t* to =
      kv_slot(pool, e.layer, known.page, kv_head - is_v * pool.n_kv_heads, is_v, known.slot);
  to[i] = saturated_half(a), to[i + half] = saturated_half(b);
}

GPU_DEVICE void store_pair(const Epilogue& e, int row, int token, float a, float b) {
  if (e.kind == EpilogueKind::kQkv)
    store_qkv(e, row, token, a, b, load_qkv_row(e, row, token));
  else
    store_one(e, row, token, a / (1.0f + expf(-a)) * b);
}

}  // namespace hearth::kernels::hip
