// Activations for the matmuls: rmsnorm and int8 quantization. Sums are built group of 32 by group,
// then lane by lane over the groups, so they do not depend on the number of threads.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

#define GPU_NORM_THREADS 512

/// How floats become int8: q = x * inverse, x = q * scale.
struct Quantization {
  float scale, inverse;
};

/// In the CPU kernels' arithmetic, from the bits of the greatest magnitude. NaN and Inf make the
/// scale NaN, so that no error is lost on the way to the logits.
GPU_DEVICE Quantization quantization_of(int bits) {
  if (bits >= 0x7f800000) return {NAN, 0};
  float greatest;
  memcpy(&greatest, &bits, sizeof greatest);
  // Below 1e-30 it counts as zero: 127 / greatest would overflow.
  if (!(greatest > 1e-30f)) return {0, 0};
  return {greatest / 127.0f, 127.0f / greatest};
}

/// Magnitudes order as their bits do, NaN above all: fmaxf would drop it.
GPU_DEVICE int greatest_bits(const float (&v)[4]) {
  int greatest = 0;
  GPU_UNROLL for (int j = 0; j < 4; j++) {
    int bits;
    memcpy(&bits, &v[j], sizeof bits);
    greatest = max(greatest, bits & 0x7fffffff);
  }
  return greatest;
}

/// Greatest of kLanes neighbouring lanes, in each of them.
template <int kLanes>
GPU_DEVICE int greatest_of_lanes(int bits) {
  GPU_UNROLL for (int mask = kLanes / 2; mask > 0; mask >>= 1) bits =
      max(bits, shuffle_xor(bits, mask));
  return bits;
}

/// The sums of a group's halves as Activations::half_sums has them.
GPU_DEVICE void store_half_sums(const Activations& out, int token, int group, int first,
                                int second) {
  const int n_blocks = out.n_groups / kBlockGroups, in_block = group % kBlockGroups;
  const int64_t block = static_cast<int64_t>(token / out.n_slots) * n_blocks + group / kBlockGroups;
  int8_t* to = out.half_sums + (block * out.n_slots + token % out.n_slots) * kGroup +
               in_block / 2 * 8 + in_block % 2 * 2;
  const int both = (first & 0xffff) | second << 16;
  const auto store = [](int8_t* at, int bytes) {
    *reinterpret_cast<uint16_t*>(at) = static_cast<uint16_t>((bytes & 255) | (bytes >> 8 & 0xff00));
  };
  store(to, both & 0x10001 * (kHighSum - 1));
  store(to + 4, both >> 6);
}

/// Stores one group of one token; each of 8 neighbouring lanes brings four columns.
GPU_DEVICE void store_group(const Activations& out, int token, int group, const float (&v)[4],
                            const Quantization& by, bool stores) {
  const int lane = threadIdx.x % 8;
  const bool is_finite = by.scale == by.scale;
  uint32_t word = 0;
  GPU_UNROLL for (int j = 0; j < 4; j++) if (is_finite) word |=
      (static_cast<int>(rintf(v[j] * by.inverse)) & 255u) << 8 * j;
  int sum = dot4(static_cast<int>(word), 0x01010101, 0);  // of the half: four lanes
  sum += shuffle_xor(sum, 1);
  sum += shuffle_xor(sum, 2);
  const int other = shuffle_xor(sum, 4);
  if (!stores) return;
  const int64_t group_at = static_cast<int64_t>(token / out.n_slots) * out.n_groups + group;
  const int64_t at = group_at * out.n_slots + token % out.n_slots;
  *reinterpret_cast<uint32_t*>(out.q + at * kGroup + lane % 4 * 8 + lane / 4 * 4) = word;
  if (lane == 0) {
    out.scales[at] = {by.scale, {static_cast<int16_t>(sum), static_cast<int16_t>(other)}};
    if (out.half_sums) store_half_sums(out, token, group, sum, other);
  }
}

/// Quantizes one group with a scale of its own.
GPU_DEVICE void quantize_group(const Activations& out, int token, int group, const float (&v)[4],
                               bool stores = true) {
  const Quantization by = quantization_of(greatest_of_lanes<8>(greatest_bits(v)));
  store_group(out, token, group, v, by, stores);
}

/// What 32 lanes quantize at once: the first and the last four groups of a block's eight, four
/// columns a lane each.
constexpr int kLaneColumns = 2;

/// Quantizes a block with one scale, or each of its groups with its own. Groups past the end are
/// left out; `group` is the lane's first.
template <bool kBlocks>
GPU_DEVICE void quantize_eight(const Activations& out, int token, int group,
                               const float (&v)[kLaneColumns][4]) {
  constexpr int kStep = kBlockGroups / kLaneColumns;
  if constexpr (kBlocks) {
    const int greatest = max(greatest_bits(v[0]), greatest_bits(v[1]));
    const Quantization by = quantization_of(greatest_of_lanes<GPU_LANES>(greatest));
    GPU_UNROLL for (int k = 0; k < kLaneColumns; k++)
        store_group(out, token, group + k * kStep, v[k], by, group < out.n_groups);
  } else {
    GPU_UNROLL for (int k = 0; k < kLaneColumns; k++)
        quantize_group(out, token, group + k * kStep, v[k], group + k * kStep < out.n_groups);
  }
}

/// Four columns of a row; zero past its end.
GPU_DEVICE float4 load_columns(const float* row, int i, int n_cols) {
  float4 v = {0, 0, 0, 0};
  if (i < n_cols) v = *reinterpret_cast<const float4*>(row + i);
  return v;
}

/// A block normalizes and quantizes the groups [first_group, end_group) of one token, eight to each
/// 32 lanes at a time; columns past the end are zero. Where there is a norm, they are all.
/// group_sums: shared, a float a group. All threads must come. Loads are issued together: the row
/// comes from the second-level cache, and each trip there is as long as all arithmetic.
template <bool kBlocks>
GPU_DEVICE void norm_quantize_token(const Norm& p, int token, const Activations& out, float* f32,
                                    float* group_sums, int first_group, int end_group) {
  constexpr int kBatch = kLaneColumns, kStep = kBlockGroups / kBatch;
  const int lane = threadIdx.x % GPU_LANES, eighth = threadIdx.x % 8;
  const float* x = p.x + static_cast<int64_t>(p.rows ? p.rows[token] : token) * p.n_cols;
  const int first = threadIdx.x / GPU_LANES * kBlockGroups + lane / 8;
  const int step = blockDim.x / GPU_LANES * kBlockGroups;
  const auto column = [&](int base, int k) {
    return (base + first + k * kStep) * kGroup + 4 * eighth;
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
        const int group = base + first + k * kStep;
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
  GPU_NO_UNROLL for (int base = first_group; base < end_group; base += step) {
    GPU_UNROLL for (int k = 0; k < kBatch; k++) {
      if (is_loaded) continue;
      v[k] = load_columns(x, column(base, k), p.n_cols);
      norm[k] = {1, 1, 1, 1};
      if (p.norm) norm[k] = load_columns(p.norm, column(base, k), p.n_cols);
    }
    if (base + first - lane / 8 >= end_group) continue;  // of 32 lanes
    float r[kBatch][4];
    GPU_UNROLL for (int k = 0; k < kBatch; k++) {
      r[k][0] = v[k].x * inverse_rms * norm[k].x, r[k][1] = v[k].y * inverse_rms * norm[k].y;
      r[k][2] = v[k].z * inverse_rms * norm[k].z, r[k][3] = v[k].w * inverse_rms * norm[k].w;
      const int i = column(base, k);
      GPU_UNROLL for (int j = 0; j < 4; j++) if (f32 && i < p.n_cols)
          f32[static_cast<int64_t>(token) * p.n_cols + i + j] = r[k][j];
    }
    quantize_eight<kBlocks>(out, token, base + first, r);
  }
  __syncthreads();
}

/// A block quantizes n tokens as they are.
template <bool kBlocks>
GPU_DEVICE void quantize_tokens(const float* x, int n_cols, int n, const Activations& out) {
  constexpr int kAhead = GPU_FEW_REGISTERS ? 1 : 3;  // loads of so many rounds are under way
  const int n_eights = (out.n_groups + kBlockGroups - 1) / kBlockGroups, n_all = n * n_eights;
  const int n_warps = blockDim.x / GPU_LANES, lane = threadIdx.x % GPU_LANES;
  const auto group_of = [&](int i) { return i % n_eights * kBlockGroups + lane / 8; };
  GPU_NO_UNROLL for (int base = threadIdx.x / GPU_LANES; base < n_all; base += kAhead * n_warps) {
    float4 v[kAhead][kLaneColumns];
    GPU_UNROLL for (int a = 0; a < kAhead; a++) {
      const int i = min(base + a * n_warps, n_all - 1);
      const float* row = x + static_cast<int64_t>(i / n_eights) * n_cols;
      GPU_UNROLL for (int k = 0; k < kLaneColumns; k++) {
        const int group = group_of(i) + k * (kBlockGroups / kLaneColumns);
        v[a][k] = load_columns(row, group * kGroup + threadIdx.x % 8 * 4, n_cols);
      }
    }
    GPU_UNROLL for (int a = 0; a < kAhead; a++) {
      const int i = base + a * n_warps;
      if (i >= n_all) continue;  // of 32 lanes
      float r[kLaneColumns][4];
      GPU_UNROLL for (int k = 0; k < kLaneColumns; k++) r[k][0] = v[a][k].x, r[k][1] = v[a][k].y,
                                                        r[k][2] = v[a][k].z, r[k][3] = v[a][k].w;
      quantize_eight<kBlocks>(out, i / n_eights, group_of(i), r);
    }
  }
  __syncthreads();
}

/// Grid (tokens, blocks of groups).
GPU_DEVICE void norm_quantize(const NormParams& p) {
  GPU_DYNAMIC_SHARED(float, group_sums);
  let_next_start();
  wait_for_previous();
  const int first = blockIdx.y * p.block_groups, end = min(first + p.block_groups, p.out.n_groups);
  float* f32 = p.with_f32 ? p.out.f32 : nullptr;
  if (p.out.scale_groups == 1)
    norm_quantize_token<false>(p.norm, blockIdx.x, p.out, f32, group_sums, first, end);
  else
    norm_quantize_token<true>(p.norm, blockIdx.x, p.out, f32, group_sums, first, end);
}

}  // namespace hearth::kernels::hip
