// An adapter adds scale * b (a h) to a product w h. `lower` multiplies the product's input h by a,
// in a launch before the product's own; the product's epilogue raises the result: it multiplies it
// by b and adds it to each sum, before a bias, RoPE, SwiGLU or the residual. Both multiply f16 by
// float, and the order of a token's sums does not depend on the batch.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

/// Unpacks the two f16 of a word.
GPU_DEVICE void unpack_halves(float (&to)[2], uint32_t word) {
  to[0] = half_to_float(static_cast<uint16_t>(word));
  to[1] = half_to_float(static_cast<uint16_t>(word >> 16));
}

/// Grid (p.n_ranks / kRanks, p.n_tokens / kTileTokens, rounded up): a thread block takes kRanks
/// rows of a, and up to eight tokens. A thread takes four columns at a time; the sums of a warp's
/// threads and then those of the warps are added in a fixed order. With few tokens, one row per
/// thread block keeps more of the GPU busy; with many tokens, several rows share the loads of the
/// tokens.
template <int kRanks>
GPU_DEVICE void lower(const LowerParams& p) {
  constexpr int kWarps = kLowerThreads / GPU_LANES, kSums = kRanks + 1;
  __shared__ float warp_sums[kWarps][kSums][kTileTokens];
  let_next_start();
  const int first_rank = blockIdx.x * kRanks, first = blockIdx.y * kTileTokens;
  const int n = min(kTileTokens, p.n_tokens - first), n_cols = p.norm.n_cols;
  const bool has_norm = is_norm(p.norm);
  const uint16_t* a = p.a + static_cast<uint64_t>(first_rank) * n_cols;
  const float* x = p.norm.x + static_cast<uint64_t>(first) * n_cols;
  float sums[kSums][kTileTokens] = {};  // the last one: of squares
  wait_for_previous();
  GPU_NO_UNROLL for (int col = 4 * threadIdx.x; col < n_cols; col += 4 * kLowerThreads) {
    float weights[kRanks][4];
    GPU_UNROLL for (int rank = 0; rank < kRanks; rank++) {
      const uint2 w = *reinterpret_cast<const uint2*>(a + rank * n_cols + col);
      float low[2], high[2];
      unpack_halves(low, w.x), unpack_halves(high, w.y);
      weights[rank][0] = low[0], weights[rank][1] = low[1];
      weights[rank][2] = high[0], weights[rank][3] = high[1];
    }
    float4 norm = {1, 1, 1, 1};
    if (has_norm) norm = *reinterpret_cast<const float4*>(p.norm.weight + col);
    GPU_UNROLL for (int token = 0; token < kTileTokens; token++) {
      if (token >= n) continue;
      const float4 v = *reinterpret_cast<const float4*>(x + token * n_cols + col);
      const float plain[4] = {v.x, v.y, v.z, v.w};
      const float h[4] = {v.x * norm.x, v.y * norm.y, v.z * norm.z, v.w * norm.w};
      GPU_UNROLL for (int i = 0; i < 4; i++) {
        GPU_UNROLL for (int rank = 0; rank < kRanks; rank++) sums[rank][token] =
            fmaf(weights[rank][i], h[i], sums[rank][token]);
        sums[kRanks][token] = fmaf(plain[i], plain[i], sums[kRanks][token]);
      }
    }
  }
  const int lane = threadIdx.x % GPU_LANES, warp = threadIdx.x / GPU_LANES;
  GPU_UNROLL for (int i = 0; i < kSums; i++) {
    GPU_UNROLL for (int token = 0; token < kTileTokens; token++) {
      if (token >= n) continue;
      const float sum = warp_sum(sums[i][token]);
      if (lane == 0) warp_sums[warp][i][token] = sum;
    }
  }
  __syncthreads();
  const int rank = threadIdx.x / kTileTokens, token = threadIdx.x % kTileTokens;
  if (rank >= kRanks || token >= n) return;
  float sum = 0, squares = 0;
  GPU_NO_UNROLL for (int i = 0; i < kWarps; i++) {
    sum += warp_sums[i][rank][token];
    squares += warp_sums[i][kRanks][token];
  }
  if (has_norm) sum *= inverse_root(fmaf(squares, p.norm.inverse_cols, p.norm.eps));
  p.lowered[(first + token) * p.n_ranks + first_rank + rank] = sum;
}

/// Adds the adapter's part to a token's products with kRows neighbouring rows of the matrix. All of
/// these rows are in one tile.
template <int kRows>
GPU_DEVICE void raise(const Added& added, int row, int token, float (&products)[kRows]) {
  if (row >= added.n_rows) return;
  const RankTile tile = added.tiles[row / kTileRows];
  const uint16_t* b = added.b + static_cast<uint64_t>(row) * added.rank;
  const float* lowered = added.lowered + token * added.n_ranks + tile.first_rank;
  float sums[kRows] = {};
  GPU_NO_UNROLL for (int i = 0; i < added.rank; i += kRankStep) {
    const float4 low = *reinterpret_cast<const float4*>(lowered + i);
    const float4 high = *reinterpret_cast<const float4*>(lowered + i + 4);
    const float t[kRankStep] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    GPU_UNROLL for (int j = 0; j < kRows; j++) {
      const uint4 words = *reinterpret_cast<const uint4*>(b + j * added.rank + i);
      const uint32_t pairs[4] = {words.x, words.y, words.z, words.w};
      GPU_UNROLL for (int k = 0; k < 4; k++) {
        float w[2];
        unpack_halves(w, pairs[k]);
        sums[j] = fmaf(w[0], t[2 * k], sums[j]);
        sums[j] = fmaf(w[1], t[2 * k + 1], sums[j]);
      }
    }
  }
  GPU_UNROLL for (int j = 0; j < kRows; j++) products[j] = fmaf(tile.scale, sums[j], products[j]);
}

}  // namespace hearth::kernels::hip
