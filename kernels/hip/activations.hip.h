// Activations for the matmuls: rmsnorm and int8 quantization. 32 lanes take eight groups of a
// token, whoever they are, so that nothing depends on the number of threads.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

#define GPU_NORM_THREADS 128

/// How floats become int8: q = x * inverse, x = q * scale.
struct Quantization {
  float scale, inverse;
};

/// In the CPU kernels' arithmetic, from the bits of the greatest magnitude. NaN and Inf make the
/// scale NaN, so that no error is lost on the way to the logits.
GPU_DEVICE Quantization quantization_of(int bits) {
  float greatest;
  memcpy(&greatest, &bits, sizeof greatest);
  // Below 1e-30 it counts as zero: 127 / greatest would overflow. No branches: several are computed
  // side by side.
  const bool is_finite = bits < 0x7f800000, is_zero = !(greatest > 1e-30f) && is_finite;
  const float divisor = is_zero || !is_finite ? 1.0f : greatest;
  const float scale = divide(divisor, 127.0f), inverse = divide(127.0f, divisor);
  return {is_finite ? is_zero ? 0.0f : scale : NAN, is_zero || !is_finite ? 0.0f : inverse};
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

/// What a lane has of several groups of a token, each of which 8 neighbouring lanes bring four
/// columns of. What lanes exchange goes side by side for all: an exchange takes as long as all of
/// the arithmetic.
template <int kGroups>
struct LaneGroups {
  float v[kGroups][4];

  /// Of each group over its lanes.
  GPU_DEVICE void greatest(int (&bits)[kGroups], const LaneGroups& g) {
    GPU_UNROLL for (int k = 0; k < kGroups; k++) bits[k] = greatest_bits(g.v[k]);
    GPU_UNROLL for (int mask = 4; mask > 0; mask >>= 1) GPU_UNROLL for (int k = 0; k < kGroups; k++)
        bits[k] = max(bits[k], shuffle_xor(bits[k], mask));
  }

  /// Stores those from `group` on, kStep apart, that the token has.
  template <int kStep>
  GPU_DEVICE void store(const LaneGroups& g, const Activations& out, int token, int group,
                        const Quantization (&by)[kGroups], bool stores) {
    const int lane = threadIdx.x % 8;
    uint32_t words[kGroups] = {};
    int sums[kGroups], others[kGroups];
    GPU_UNROLL for (int k = 0; k < kGroups; k++) {
      const bool is_finite = by[k].scale == by[k].scale;
      GPU_UNROLL for (int j = 0; j < 4; j++) words[k] |=
          (static_cast<int>(rintf(is_finite ? g.v[k][j] * by[k].inverse : 0.0f)) & 255u) << 8 * j;
      sums[k] = dot4(static_cast<int>(words[k]), 0x01010101, 0);  // of the half: four lanes
    }
    GPU_UNROLL for (int mask = 1; mask < 4; mask <<= 1) GPU_UNROLL for (int k = 0; k < kGroups; k++)
        sums[k] += shuffle_xor(sums[k], mask);
    GPU_UNROLL for (int k = 0; k < kGroups; k++) others[k] = shuffle_xor(sums[k], 4);
    const int64_t tile = static_cast<int64_t>(token / out.n_slots) * out.n_groups;
    GPU_UNROLL for (int k = 0; k < kGroups; k++) {
      const int here = group + k * kStep;
      if (!stores || here >= out.n_groups) continue;
      const int64_t at = (tile + here) * out.n_slots + token % out.n_slots;
      *reinterpret_cast<uint32_t*>(out.q + at * kGroup + lane % 4 * 8 + lane / 4 * 4) = words[k];
      if (lane != 0) continue;
      out.scales[at] = {by[k].scale,
                        {static_cast<int16_t>(sums[k]), static_cast<int16_t>(others[k])}};
      if (out.half_sums) store_half_sums(out, token, here, sums[k], others[k]);
    }
  }
};

/// Quantizes one group with a scale of its own.
GPU_DEVICE void quantize_group(const Activations& out, int token, int group, const float (&v)[4],
                               bool stores = true) {
  const LaneGroups<1> g = {{{v[0], v[1], v[2], v[3]}}};
  int greatest[1];
  LaneGroups<1>::greatest(greatest, g);
  const Quantization by[1] = {quantization_of(greatest[0])};
  LaneGroups<1>::store<1>(g, out, token, group, by, stores);
}

/// What 32 lanes quantize at once: the first and the last four groups of a block's eight, four
/// columns a lane each.
constexpr int kLaneColumns = 2, kColumnsStep = kBlockGroups / kLaneColumns;

/// Quantizes a block with one scale, or each of its groups with its own. `group` is the lane's
/// first.
template <bool kBlocks>
GPU_DEVICE void quantize_eight(const Activations& out, int token, int group,
                               const LaneGroups<kLaneColumns>& g) {
  using Groups = LaneGroups<kLaneColumns>;
  int greatest[kLaneColumns];
  if constexpr (kBlocks)
    greatest[0] = greatest[1] = lanes_max(max(greatest_bits(g.v[0]), greatest_bits(g.v[1])));
  else
    Groups::greatest(greatest, g);
  const Quantization by[] = {quantization_of(greatest[0]), quantization_of(greatest[1])};
  Groups::store<kColumnsStep>(g, out, token, group, by, true);
}

/// Four columns of a row; zero past its end.
GPU_DEVICE float4 load_columns(const float* row, int i, int n_cols) {
  float4 v = {0, 0, 0, 0};
  if (i < n_cols) v = *reinterpret_cast<const float4*>(row + i);
  return v;
}

/// What a lane has of eight groups.
struct LaneColumns {
  float4 v[kLaneColumns];

  GPU_DEVICE int group(int eight) {
    return eight * kBlockGroups + static_cast<int>(threadIdx.x) % GPU_LANES / 8;
  }
  GPU_DEVICE int column(int eight, int k) {
    return (group(eight) + k * kColumnsStep) * kGroup + threadIdx.x % 8 * 4;
  }
  GPU_DEVICE LaneColumns load(const float* row, int eight, int n_cols) {
    LaneColumns c;
    GPU_UNROLL for (int k = 0; k < kLaneColumns; k++) c.v[k] =
        load_columns(row, column(eight, k), n_cols);
    return c;
  }
  /// The norm's weights, or ones: without a branch, so that the loads do not wait for others.
  GPU_DEVICE LaneColumns load_norm(const Norm& p, int eight) {
    const int n_cols = p.norm ? p.n_cols : 0;
    const float other = p.norm ? 0.0f : 1.0f;
    LaneColumns c;
    GPU_UNROLL for (int k = 0; k < kLaneColumns; k++) {
      const int i = column(eight, k);
      c.v[k] = {other, other, other, other};
      if (i < n_cols) c.v[k] = *reinterpret_cast<const float4*>(p.norm + i);
    }
    return c;
  }
};

/// 32 lanes quantize eight groups of a token, times the norm's weights, and add up their squares.
template <bool kBlocks>
GPU_DEVICE void quantize_columns(const Norm& p, int token, int eight, const LaneColumns& norm,
                                 const Activations& out, float* f32) {
  const float* row = p.x + static_cast<int64_t>(p.rows ? p.rows[token] : token) * p.n_cols;
  const LaneColumns x = LaneColumns::load(row, eight, p.n_cols);
  float squares = 0;
  LaneGroups<kLaneColumns> r;
  GPU_UNROLL for (int k = 0; k < kLaneColumns; k++) {
    const float v[4] = {x.v[k].x, x.v[k].y, x.v[k].z, x.v[k].w};
    const float w[4] = {norm.v[k].x, norm.v[k].y, norm.v[k].z, norm.v[k].w};
    const int i = LaneColumns::column(eight, k);
    GPU_UNROLL for (int j = 0; j < 4; j++) {
      squares = fmaf(v[j], v[j], squares);
      r.v[k][j] = v[j] * w[j];
      if (f32 && i < p.n_cols) f32[static_cast<int64_t>(token) * p.n_cols + i + j] = r.v[k][j];
    }
  }
  squares = lanes_sum(squares);
  if (threadIdx.x % GPU_LANES == 0)
    out.squares[token * squares_stride(out.n_groups) + eight] = squares;
  quantize_eight<kBlocks>(out, token, LaneColumns::group(eight), r);
}

/// A block quantizes n tokens. All threads must come.
template <bool kBlocks>
GPU_DEVICE void quantize_tokens(const Norm& p, int n, const Activations& out) {
  const int n_warps = blockDim.x / GPU_LANES, n_eights = count_eights(out.n_groups);
  GPU_NO_UNROLL for (int i = threadIdx.x / GPU_LANES; i < n * n_eights; i += n_warps) {
    const int token = n > 1 ? i / n_eights : 0, eight = i - token * n_eights;
    quantize_columns<kBlocks>(p, token, eight, LaneColumns::load_norm(p, eight), out, nullptr);
  }
  __syncthreads();
}

/// 1 / rms of a token, or 1 where there is no norm: what its sums are multiplied by. squares: of
/// all tokens.
GPU_DEVICE float token_factor(const Norm& p, const float* squares, int n_groups, int token) {
  if (!p.norm) return 1.0f;
  const int n = count_eights(n_groups);
  const float4* row = reinterpret_cast<const float4*>(squares + token * squares_stride(n_groups));
  float sum = 0;
  GPU_NO_UNROLL for (int first = 0; first < n; first += 4) {
    const float4 v = row[first / 4];
    sum += v.x;
    if (first + 1 < n) sum += v.y;
    if (first + 2 < n) sum += v.z;
    if (first + 3 < n) sum += v.w;
  }
  return inverse_root(fmaf(sum, p.inverse_cols, p.eps));
}

/// Grid (32 lanes to eight groups of a token).
GPU_DEVICE void norm_quantize(const NormParams& p) {
  const int n_eights = count_eights(p.out.n_groups);
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) / GPU_LANES;
  const int token = i / n_eights, eight = i % n_eights;
  let_next_start();
  const LaneColumns norm = LaneColumns::load_norm(p.norm, eight);
  wait_for_previous();
  if (token >= p.n_tokens) return;
  float* f32 = p.with_f32 ? p.out.f32 : nullptr;
  if (p.out.scale_groups == 1)
    quantize_columns<false>(p.norm, token, eight, norm, p.out, f32);
  else
    quantize_columns<true>(p.norm, token, eight, norm, p.out, f32);
}

}  // namespace hearth::kernels::hip
