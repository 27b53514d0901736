// Activations for the matmuls: rmsnorm and int8 quantization, a block a token; a block's threads are
// always 256, so that sums are built in one order.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

#define GPU_NORM_THREADS 256

/// Sum over the block: lanes in a tree, then the groups of 32 in order. All threads get it.
GPU_DEVICE float block_sum(float value, float* scratch) {
  value = lanes_sum(value);
  if (threadIdx.x % GPU_LANES == 0) scratch[threadIdx.x / GPU_LANES] = value;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < GPU_NORM_THREADS / GPU_LANES; i++) sum += scratch[i];
  return sum;
}

/// Greatest of the 32 lanes.
GPU_DEVICE int lanes_max_int(int value) {
  GPU_UNROLL for (int mask = GPU_LANES / 2; mask > 0; mask >>= 1)
    value = max(value, shuffle_xor(value, mask));
  return value;
}

/// Quantizes one group of one token, in the CPU kernels' arithmetic; each of 32 lanes brings a column.
/// A group that holds NaN or Inf gets a NaN scale, so that no error is lost on the way to the logits.
GPU_DEVICE void quantize_group(const Activations& out, int token, int group, float value) {
  const int lane = threadIdx.x % GPU_LANES;
  const float magnitude = fabsf(value);
  int bits;  // magnitudes order as their bits do, NaN above all: fmaxf would drop it
  memcpy(&bits, &magnitude, sizeof bits);
  bits = lanes_max_int(bits);
  float greatest;
  memcpy(&greatest, &bits, sizeof bits);
  const bool is_finite = bits < 0x7f800000;
  // Below 1e-30 a group counts as zero: 127 / greatest would overflow.
  const float inverse = is_finite && greatest > 1e-30f ? 127.0f / greatest : 0.0f;
  const float scale = is_finite ? (inverse > 0 ? greatest / 127.0f : 0.0f) : NAN;
  const int q = is_finite ? static_cast<int>(rintf(value * inverse)) : 0;
  int sum = q;  // of the lane's half: a tree over 16 lanes
  GPU_UNROLL for (int mask = 8; mask > 0; mask >>= 1) sum += shuffle_xor(sum, mask);
  const int other = shuffle_xor(sum, 16);
  const int64_t at = static_cast<int64_t>(token / kTileTokens) * out.n_groups + group;
  const int slot = token % kTileTokens;
  out.q[at * 256 + slot * 32 + lane % 16 / 4 * 8 + lane / 16 * 4 + lane % 4] =
      static_cast<int8_t>(q);
  if (lane == 0)
    out.scales[at * kTileTokens + slot] = {scale,
                                           {static_cast<int16_t>(sum), static_cast<int16_t>(other)}};
}

/// Normalizes (unless p.norm is null) and quantizes one token; columns past the end are zero.
GPU_DEVICE void norm_quantize(const NormParams& p) {
  __shared__ float scratch[GPU_NORM_THREADS / GPU_LANES];
  wait_for_previous();
  let_next_start();
  const int token = blockIdx.x, row = p.rows ? p.rows[token] : token;
  const float* x = p.x + static_cast<int64_t>(row) * p.n_cols;
  float inverse_rms = 1.0f;
  if (p.norm) {
    float squares = 0;
    for (int i = threadIdx.x; i < p.n_cols; i += GPU_NORM_THREADS)
      squares = fmaf(x[i], x[i], squares);
    inverse_rms = 1.0f / sqrtf(block_sum(squares, scratch) / p.n_cols + p.eps);
  }
  for (int i = threadIdx.x; i < p.out.n_groups * kGroup; i += GPU_NORM_THREADS) {
    float value = 0;
    if (i < p.n_cols) {
      value = p.norm ? x[i] * inverse_rms * p.norm[i] : x[i];
      if (p.with_f32) p.out.f32[static_cast<int64_t>(token) * p.n_cols + i] = value;
    }
    quantize_group(p.out, token, i / kGroup, value);
  }
}

}  // namespace hearth::kernels::hip
