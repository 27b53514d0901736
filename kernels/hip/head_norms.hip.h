// For models that normalize each head of q and k: a kernel that runs between the product of q, k
// and v and attention. It adds biases, normalizes heads, rotates them, and appends k and v to the
// KV pages.
#pragma once

#include "epilogue.hip.h"

namespace hearth::kernels::hip {

/// A warp takes one head of one token. A lane has the RoPE pairs (i, i + head_dim / 2) with
/// i % GPU_LANES == lane: at most kPairs of them.
GPU_DEVICE void norm_heads(const HeadNormParams& p) {
  constexpr int kPairs = 256 / 2 / 32;
  wait_for_previous();
  let_next_start();
  const KvPool& pool = p.epilogue.pool;
  const int lane = threadIdx.x % GPU_LANES, half = pool.head_dim / 2, token = blockIdx.x;
  const int head = blockIdx.y * (blockDim.x / GPU_LANES) + threadIdx.x / GPU_LANES;
  const int n_heads = pool.n_heads + 2 * pool.n_kv_heads, row = head * pool.head_dim;
  if (head >= n_heads) return;
  const float* x = p.qkv + static_cast<int64_t>(token) * n_heads * pool.head_dim + row;
  QkvRow to[kPairs];
  float a[kPairs], b[kPairs], squares = 0;
  GPU_UNROLL for (int k = 0; k < kPairs; k++) {
    const int i = k * GPU_LANES + lane;
    if (i >= half) continue;
    to[k] = load_qkv_row(p.epilogue, row + i, token);
    a[k] = x[i] + to[k].bias[0], b[k] = x[i + half] + to[k].bias[1];
    to[k].bias[0] = to[k].bias[1] = 0;
    squares = fmaf(a[k], a[k], squares);
    squares = fmaf(b[k], b[k], squares);
  }
  const float scale = inverse_root(fmaf(warp_sum(squares), p.inverse_dim, p.eps));
  const bool is_v = head >= pool.n_heads + pool.n_kv_heads;
  const float* norm = p.norms + (head < pool.n_heads ? 0 : pool.head_dim);
  GPU_UNROLL for (int k = 0; k < kPairs; k++) {
    const int i = k * GPU_LANES + lane;
    if (i >= half) continue;
    if (!is_v) a[k] *= scale * norm[i], b[k] *= scale * norm[i + half];
    store_qkv(to[k], half, a[k], b[k]);
  }
}

}  // namespace hearth::kernels::hip
