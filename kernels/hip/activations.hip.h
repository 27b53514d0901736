// RMSNorm and int8 quantization of activations. A warp takes eight groups (256 columns) of a token.
// Results do not depend on the division of groups among warps, nor on the number of threads.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

/// q = x * inverse, rounded; x = q * scale.
struct Quantization {
  float scale, inverse;
};

/// Computed from the bits of the greatest magnitude, with the arithmetic of the CPU kernels. NaN or
/// Inf makes the scale NaN, so that an error shows in the logits.
GPU_DEVICE Quantization quantization_of(int bits) {
  float greatest;
  memcpy(&greatest, &bits, sizeof greatest);
  // Less than 1e-30 counts as zero, because 127 / greatest would overflow. Branch-free code lets
  // several quantizations run side by side.
  const bool is_finite = bits < 0x7f800000, is_used = is_finite && greatest > 1e-30f;
  const float scale = divide(greatest, 127.0f), inverse = divide(127.0f, greatest);
  return {is_finite ? scale : NAN, is_used ? inverse : 0.0f};
}

/// The bits of the greatest magnitude. The bits have the order of the magnitudes, with NaN on top;
/// fmaxf would drop NaN.
GPU_DEVICE int greatest_bits(const float (&v)[4]) {
  int greatest = 0;
  GPU_UNROLL for (int j = 0; j < 4; j++) {
    int bits;
    memcpy(&bits, &v[j], sizeof bits);
    greatest = max(greatest, bits & 0x7fffffff);
  }
  return greatest;
}

/// Stores the sums of a group's halves in Activations::half_sums.
GPU_DEVICE void store_half_sums(const Activations& out, int token, int group, int first,
                                int second) {
  const int n_blocks = out.n_groups / kBlockGroups, in_block = group % kBlockGroups;
  const int block = token / kTileTokens * n_blocks + group / kBlockGroups;
  int8_t* to = out.half_sums + (block * out.n_slots + token % kTileTokens) * kGroup +
               in_block / 2 * 8 + in_block % 2 * 2;
  const int both = (first & 0xffff) | second << 16;
  const auto store = [](int8_t* at, int bytes) {
    *reinterpret_cast<uint16_t*>(at) = static_cast<uint16_t>((bytes & 255) | (bytes >> 8 & 0xff00));
  };
  store(to, both & 0x10001 * (kHighSum - 1));
  store(to + 4, both >> 6);
}

/// How to quantize tokens.
struct TokenUse {
  bool has_blocks = false;  // one scale per super-block instead of one per group
  bool has_norm = false;    // multiplies them by the weights of a norm first
  bool has_sums = true;     // also stores the sums of half groups
  bool has_room = false;    // the output has room for whole eights of groups, also at a row's end
  bool has_remainders = false;  // also stores the remainders (Activations::remainder_at)
  bool has_squares = true;      // also stores the sums of squares
};

/// A lane's columns of several groups of a token: each of 8 neighbouring lanes has four columns of
/// a group. The shuffles for all groups are issued side by side, because the latency of one is as
/// long as all of the arithmetic.
template <int kGroups>
struct LaneGroups {
  float v[kGroups][4];

  /// The greatest magnitude of each group, over its lanes.
  GPU_MEMBER void greatest(int (&bits)[kGroups]) const {
    GPU_UNROLL for (int k = 0; k < kGroups; k++) bits[k] = greatest_bits(v[k]);
    GPU_UNROLL for (int mask = 4; mask > 0; mask >>= 1) GPU_UNROLL for (int k = 0; k < kGroups; k++)
        bits[k] = max(bits[k], shuffle_xor(bits[k], mask));
  }

  /// Quantizes and stores groups `group`, group + kStep, ... of the token, up to its last one.
  template <int kStep, TokenUse kUse>
  GPU_MEMBER void store(const Activations& out, int token, int group,
                        const Quantization (&by)[kGroups], bool stores) const {
    const int lane = threadIdx.x % 8;
    uint32_t words[kGroups] = {}, remainders[kGroups] = {};
    int sums[kGroups], others[kGroups];
    GPU_UNROLL for (int k = 0; k < kGroups; k++) {
      GPU_UNROLL for (int j = 0; j < 4; j++) {
        const float steps = v[k][j] * by[k].inverse;
        const int code = nearest(steps);
        words[k] |= (code & 255u) << 8 * j;
        if (kUse.has_remainders)
          remainders[k] |= (nearest((steps - static_cast<float>(code)) * kRemainderSteps) & 255u)
                           << 8 * j;
      }
      sums[k] = others[k] = 0;
      if (kUse.has_sums) sums[k] = dot4(static_cast<int>(words[k]), 0x01010101, 0);
    }
    if constexpr (kUse.has_sums) {  // over the four lanes of a half
      GPU_UNROLL for (int mask = 1; mask < 4; mask <<= 1)
          GPU_UNROLL for (int k = 0; k < kGroups; k++) sums[k] += shuffle_xor(sums[k], mask);
      GPU_UNROLL for (int k = 0; k < kGroups; k++) others[k] = shuffle_xor(sums[k], 4);
    }
    // If a tile has fewer slots than kTileTokens, it is the only one.
    const int tile = unsigned(token) / kTileTokens * out.n_groups, slot = token % kTileTokens;
    GPU_UNROLL for (int k = 0; k < kGroups; k++) {
      const int here = group + k * kStep;
      if (!stores || (!kUse.has_room && here >= out.n_groups)) continue;
      const int at = (tile + here) * out.n_slots + slot;
      int8_t* q = out.q + at * kGroup + lane % 4 * 8 + lane / 4 * 4;
      *reinterpret_cast<uint32_t*>(q) = words[k];
      if (kUse.has_remainders)
        *reinterpret_cast<uint32_t*>(q + out.remainder_at * kGroup) = remainders[k];
      if (lane != 0) continue;
      if (kUse.has_remainders)
        out.scales[at + out.remainder_at] = {by[k].scale * (1.0f / kRemainderSteps), {}};
      out.scales[at] = {by[k].scale,
                        {static_cast<int16_t>(sums[k]), static_cast<int16_t>(others[k])}};
      if (kUse.has_blocks && !kUse.has_room && out.half_sums)
        store_half_sums(out, token, here, sums[k], others[k]);
    }
  }
};

/// Quantizes one group with its own scale; each of 8 lanes has four columns.
GPU_DEVICE void quantize_group(const Activations& out, int token, int group, const float (&v)[4],
                               bool stores = true) {
  const LaneGroups<1> g = {{{v[0], v[1], v[2], v[3]}}};
  int greatest[1];
  g.greatest(greatest);
  const Quantization by[1] = {quantization_of(greatest[0])};
  g.store<1, TokenUse{}>(out, token, group, by, stores);
}

/// Quantizes one group of one token, in a batch of at most kTileTokens; each of 32 lanes has one
/// column.
GPU_DEVICE void quantize_column(const Activations& out, int token, int group, float v) {
  const int lane = threadIdx.x % GPU_LANES;
  int bits;
  memcpy(&bits, &v, sizeof bits);
  const Quantization by = quantization_of(warp_max(bits & 0x7fffffff));
  const int q = nearest(v * by.inverse);
  // Both halves' sums in one word. A negative first sum borrows 1 from the second; `- first` below
  // returns it.
  const int sums = warp_sum(lane < kGroup / 2 ? q : q * 0x10000);
  const int16_t first = static_cast<int16_t>(sums);
  const int at = group * out.n_slots + token;
  out.q[at * kGroup + lane % 16 / 4 * 8 + lane / 16 * 4 + lane % 4] = static_cast<int8_t>(q);
  if (lane == 0) out.scales[at] = {by.scale, {first, static_cast<int16_t>((sums - first) >> 16)}};
}

/// A warp quantizes eight groups at once: a lane has four columns of one of the first four groups
/// and four columns of one of the last four.
constexpr int kLaneColumns = 2, kColumnsStep = kBlockGroups / kLaneColumns;

/// Quantizes eight groups, with one scale for all or one each. `group` is the lane's first group.
template <TokenUse kUse>
GPU_DEVICE void quantize_eight(const Activations& out, int token, int group,
                               const LaneGroups<kLaneColumns>& g) {
  int greatest[kLaneColumns];
  if constexpr (kUse.has_blocks)
    greatest[0] = greatest[1] = warp_max(max(greatest_bits(g.v[0]), greatest_bits(g.v[1])));
  else
    g.greatest(greatest);
  const Quantization by[] = {quantization_of(greatest[0]), quantization_of(greatest[1])};
  g.store<kColumnsStep, kUse>(out, token, group, by, true);
}

/// Four columns of a row; zeros past its end.
GPU_DEVICE float4 load_columns(const float* row, int i, int n_cols) {
  float4 v = {0, 0, 0, 0};
  if (i < n_cols) v = *reinterpret_cast<const float4*>(row + i);
  return v;
}

/// A lane's columns of eight groups.
struct LaneColumns {
  float4 v[kLaneColumns];

  GPU_DEVICE int group(int eight) {
    return eight * kBlockGroups + int(threadIdx.x % GPU_LANES / 8);
  }
  GPU_DEVICE int column(int eight, int k) {
    return (eight * kBlockGroups + k * kColumnsStep) * kGroup + int(threadIdx.x % GPU_LANES) * 4;
  }
  GPU_DEVICE LaneColumns load(const float* row, int eight, int n_cols) {
    LaneColumns c;
    GPU_UNROLL for (int k = 0; k < kLaneColumns; k++) c.v[k] =
        load_columns(row, column(eight, k), n_cols);
    return c;
  }
  /// The norm's weights. Past the end of the row it loads arbitrary weights, which meet zeros.
  GPU_DEVICE LaneColumns load_norm(const Norm& p, int eight) {
    LaneColumns c;
    GPU_UNROLL for (int k = 0; k < kLaneColumns; k++) c.v[k] =
        *reinterpret_cast<const float4*>(p.weight + min(column(eight, k), p.n_cols - 4));
    return c;
  }
};

/// The address of a token's columns, known before wait_for_previous().
GPU_DEVICE const float* input_row(const Norm& p, int token) {
  return p.x + static_cast<int64_t>(p.rows ? p.rows[token] : token) * p.n_cols;
}

/// A warp multiplies eight groups of a token by the norm's weights, quantizes them and sums the
/// squares of x.
template <TokenUse kUse>
GPU_DEVICE void quantize_columns(const Norm& p, const float* row, int token, int eight,
                                 const LaneColumns& norm, const Activations& out, float* f32) {
  const LaneColumns x = LaneColumns::load(row, eight, p.n_cols);
  float squares = 0;
  LaneGroups<kLaneColumns> r;
  GPU_UNROLL for (int k = 0; k < kLaneColumns; k++) {
    const float v[4] = {x.v[k].x, x.v[k].y, x.v[k].z, x.v[k].w};
    const float w[4] = {norm.v[k].x, norm.v[k].y, norm.v[k].z, norm.v[k].w};
    const int i = LaneColumns::column(eight, k);
    GPU_UNROLL for (int j = 0; j < 4; j++) {
      if (kUse.has_squares) squares = fmaf(v[j], v[j], squares);
      r.v[k][j] = kUse.has_norm ? v[j] * w[j] : v[j];
      if (f32 && i < p.n_cols) f32[static_cast<int64_t>(token) * p.n_cols + i + j] = r.v[k][j];
    }
  }
  if constexpr (kUse.has_squares) {
    squares = warp_sum(squares);
    // The warp with the last groups also writes the padding of the row.
    const int lane = threadIdx.x % GPU_LANES, stride = squares_stride(out.n_groups);
    const int n = eight + 1 < count_eights(out.n_groups) ? 1 : stride - eight;
    if (lane < n) out.squares[token * stride + eight + lane] = lane == 0 ? squares : 0.0f;
  }
  quantize_eight<kUse>(out, token, LaneColumns::group(eight), r);
}

/// A thread block quantizes n tokens. row: the columns of a single token (n = 1). All threads must
/// call this.
template <TokenUse kUse>
GPU_DEVICE void quantize_tokens(const Norm& p, const float* row, int n, const Activations& out) {
  const int n_warps = blockDim.x / GPU_LANES, n_eights = count_eights(out.n_groups);
  GPU_NO_UNROLL for (int i = threadIdx.x / GPU_LANES; i < n * n_eights; i += n_warps) {
    const int token = n > 1 ? i / n_eights : 0, eight = i - token * n_eights;
    LaneColumns norm = {};
    if constexpr (kUse.has_norm) norm = LaneColumns::load_norm(p, eight);
    if (n > 1) row = input_row(p, token);
    quantize_columns<kUse>(p, row, token, eight, norm, out, nullptr);
  }
  __syncthreads();
}

/// The factor of a token's sums: 1 / rms(x), or 1 without a norm. squares: the sums of squares of
/// all tokens (Activations::squares).
GPU_DEVICE float token_factor(const Norm& p, const float* squares, int n_groups, int token) {
  if (!is_norm(p)) return 1.0f;
  const int stride = squares_stride(n_groups);
  const float* row = squares + token * stride;
  float sum = 0;
  GPU_NO_UNROLL for (int i = 0; i < stride; i += 4) {
    const float4 v = *reinterpret_cast<const float4*>(row + i);
    sum += v.x, sum += v.y, sum += v.z, sum += v.w;
  }
  return inverse_root(fmaf(sum, p.inverse_cols, p.eps));
}

template <bool kHasNorm, bool kHasRemainders>
GPU_DEVICE void norm_quantize_eight(const NormParams& p) {
  const int n_eights = count_eights(p.out.n_groups);
  const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) / GPU_LANES;
  const int token = p.n_tokens > 1 ? i / n_eights : 0, eight = i - token * n_eights;
  LaneColumns norm = {};
  if constexpr (kHasNorm) norm = LaneColumns::load_norm(p.norm, eight);
  const float* row = input_row(p.norm, min(token, p.n_tokens - 1));
  wait_for_previous();
  if (i >= unsigned(p.n_tokens * n_eights)) return;
  float* f32 = p.with_f32 ? p.out.f32 : nullptr;
  constexpr TokenUse kGroups{.has_norm = kHasNorm, .has_remainders = kHasRemainders};
  constexpr TokenUse kBlocks{
      .has_blocks = true, .has_norm = kHasNorm, .has_remainders = kHasRemainders};
  if (p.out.scale_groups == 1)
    quantize_columns<kGroups>(p.norm, row, token, eight, norm, p.out, f32);
  else
    quantize_columns<kBlocks>(p.norm, row, token, eight, norm, p.out, f32);
}

/// The kernel: a warp for each eight groups of a token.
GPU_DEVICE void norm_quantize(const NormParams& p) {
  let_next_start();
  if (is_norm(p.norm))
    p.out.remainder_at ? norm_quantize_eight<true, true>(p) : norm_quantize_eight<true, false>(p);
  else
    p.out.remainder_at ? norm_quantize_eight<false, true>(p) : norm_quantize_eight<false, false>(p);
}

}  // namespace hearth::kernels::hip
