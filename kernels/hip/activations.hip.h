// Activations for the matmuls: rmsnorm and int8 quantization. Sums are built group of 32 by group,
// then lane by lane over the groups, so they do not depend on the number of threads.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

#define GPU_NORM_THREADS 512

/// Quantizes one group of one token, in the CPU kernels' arithmetic; each of 8 neighbouring lanes
/// brings four columns. A group that holds NaN or Inf gets a NaN scale, so that no error is lost on
/// the way to the logits.
GPU_DEVICE void quantize_group(const Activations& out, int token, int group, const float (&v)[4],
                               bool stores = true) {
  const int lane = threadIdx.x % 8;
  int bits = 0;  // magnitudes order as their bits do, NaN above all: fmaxf would drop it
  GPU_UNROLL for (int j = 0; j < 4; j++) {
    int magnitude;
    memcpy(&magnitude, &v[j], sizeof magnitude);
    bits = max(bits, magnitude & 0x7fffffff);
  }
  GPU_UNROLL for (int mask = 4; mask > 0; mask >>= 1) bits = max(bits, shuffle_xor(bits, mask));
  float greatest;
  memcpy(&greatest, &bits, sizeof bits);
  const bool is_finite = bits < 0x7f800000;
  // Below 1e-30 a group counts as zero: 127 / greatest would overflow.
  const float inverse = is_finite && greatest > 1e-30f ? 127.0f / greatest : 0.0f;
  const float scale = is_finite ? (inverse > 0 ? greatest * (1.0f / 127.0f) : 0.0f) : NAN;
  uint32_t word = 0;
  GPU_UNROLL for (int j = 0; j < 4; j++) if (is_finite) word |=
      (static_cast<int>(rintf(v[j] * inverse)) & 255u) << 8 * j;
  int sum = dot4(static_cast<int>(word), 0x01010101, 0);  // of the half: four lanes
  sum += shuffle_xor(sum, 1);
  sum += shuffle_xor(sum, 2);
  const int other = shuffle_xor(sum, 4);
  if (!stores) return;
  const int64_t group_at = static_cast<int64_t>(token / out.n_slots) * out.n_groups + group;
  const int64_t at = group_at * out.n_slots + token % out.n_slots;
  *reinterpret_cast<uint32_t*>(out.q + at * kGroup + lane % 4 * 8 + lane / 4 * 4) = word;
  if (lane == 0) out.scales[at] = {scale, {static_cast<int16_t>(sum), static_cast<int16_t>(other)}};
}

/// Four columns of a row; zero past its end.
GPU_DEVICE float4 load_columns(const float* row, int i, int n_cols) {
  float4 v = {0, 0, 0, 0};
  if (i < n_cols) v = *reinterpret_cast<const float4*>(row + i);
  return v;
}

/// A block normalizes and quantizes one token, a group of columns to each 8 lanes at a time;
/// columns past the end are zero. group_sums: shared, a float a group. All threads must come. Loads
/// are issued together: the row comes from the second-level cache, and each trip there is as
/// long as all arithmetic.
GPU_DEVICE void norm_quantize_token(const Norm& p, int token, const Activations& out, float* f32,
                                    float* group_sums) {
  constexpr int kBatch = 2;
  const int lane = threadIdx.x % GPU_LANES, n_at_once = blockDim.x / 8, eighth = threadIdx.x % 8;
  const float* x = p.x + static_cast<int64_t>(p.rows ? p.rows[token] : token) * p.n_cols;
  const int first = threadIdx.x / 8, step = kBatch * n_at_once;
  const auto column = [&](int base, int k) {
    return (base + first + k * n_at_once) * kGroup + 4 * eighth;
  };
  float4 v[kBatch], norm[kBatch];
  float inverse_rms = 1.0f;
  if (p.norm) {
    GPU_NO_UNROLL for (int base = 0; base < out.n_groups; base += step) {
      GPU_UNROLL for (int k = 0; k < kBatch; k++) v[k] = load_columns(x, column(base, k), p.n_cols);
      GPU_UNROLL for (int k = 0; k < kBatch; k++) norm[k] =
          load_columns(p.norm, column(base, k), p.n_cols);
      GPU_UNROLL for (int k = 0; k < kBatch; k++) {
        float squares =
            fmaf(v[k].w, v[k].w, fmaf(v[k].z, v[k].z, fmaf(v[k].y, v[k].y, v[k].x * v[k].x)));
        GPU_UNROLL for (int mask = 4; mask > 0; mask >>= 1) squares += shuffle_xor(squares, mask);
        const int group = base + first + k * n_at_once;
        if (eighth == 0 && group < out.n_groups) group_sums[group] = squares;
      }
    }
    __syncthreads();
    float sum = 0;
    GPU_NO_UNROLL for (int group = lane; group < out.n_groups; group += GPU_LANES) sum +=
        group_sums[group];
    inverse_rms = 1.0f / sqrtf(lanes_sum(sum) / p.n_cols + p.eps);
  }
  const bool is_loaded = p.norm && out.n_groups <= step;
  GPU_NO_UNROLL for (int base = 0; base < out.n_groups; base += step) {
    GPU_UNROLL for (int k = 0; k < kBatch; k++) {
      if (is_loaded) continue;
      v[k] = load_columns(x, column(base, k), p.n_cols);
      norm[k] = {1, 1, 1, 1};
      if (p.norm) norm[k] = load_columns(p.norm, column(base, k), p.n_cols);
    }
    GPU_UNROLL for (int k = 0; k < kBatch; k++) {
      if (base + k * n_at_once >= out.n_groups) continue;  // of all threads
      const float r[4] = {v[k].x * inverse_rms * norm[k].x, v[k].y * inverse_rms * norm[k].y,
                          v[k].z * inverse_rms * norm[k].z, v[k].w * inverse_rms * norm[k].w};
      const int i = column(base, k);
      GPU_UNROLL for (int j = 0; j < 4; j++) if (f32 && i < p.n_cols)
          f32[static_cast<int64_t>(token) * p.n_cols + i + j] = r[j];
      quantize_group(out, token, i / kGroup, r, i / kGroup < out.n_groups);
    }
  }
  __syncthreads();
}

/// A block a token.
GPU_DEVICE void norm_quantize(const NormParams& p) {
  GPU_DYNAMIC_SHARED(float, group_sums);
  let_next_start();
  wait_for_previous();
  norm_quantize_token(p.norm, blockIdx.x, p.out, p.with_f32 ? p.out.f32 : nullptr, group_sums);
}

}  // namespace hearth::kernels::hip
