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
  const bool is_finite = bits < 0x7f800000, is_used = is_finite && greatest > 1e-30f;
  const float scale = divide(greatest, 127.0f), inverse = divide(127.0f, greatest);
  return {is_finite ? scale : NAN, is_used ? inverse : 0.0f};
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

/// What a product's tokens are quantized for: in blocks, behind a norm; whether groups need their
/// sums, and whether there is room for all of the last eight of them.
struct TokenUse {
  bool has_blocks = false, has_norm = false, has_sums = true, has_room = false;
};

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
  template <int kStep, TokenUse kUse>
  GPU_DEVICE void store(const LaneGroups& g, const Activations& out, int token, int group,
                        const Quantization (&by)[kGroups], bool stores) {
    const int lane = threadIdx.x % 8;
    uint32_t words[kGroups] = {};
    int sums[kGroups], others[kGroups];
    GPU_UNROLL for (int k = 0; k < kGroups; k++) {
      GPU_UNROLL for (int j = 0; j < 4; j++) words[k] |= (nearest(g.v[k][j] * by[k].inverse) & 255u)
                                                         << 8 * j;
      sums[k] = others[k] = 0;
      if (kUse.has_sums) sums[k] = dot4(static_cast<int>(words[k]), 0x01010101, 0);
    }
    if constexpr (kUse.has_sums) {  // of the halves: four lanes
      GPU_UNROLL for (int mask = 1; mask < 4; mask <<= 1)
          GPU_UNROLL for (int k = 0; k < kGroups; k++) sums[k] += shuffle_xor(sums[k], mask);
      GPU_UNROLL for (int k = 0; k < kGroups; k++) others[k] = shuffle_xor(sums[k], 4);
    }
    // Where there are fewer slots than a tile has tokens, there is one tile.
    const int tile = unsigned(token) / kTileTokens * out.n_groups, slot = token % kTileTokens;
    GPU_UNROLL for (int k = 0; k < kGroups; k++) {
      const int here = group + k * kStep;
      if (!stores || (!kUse.has_room && here >= out.n_groups)) continue;
      const int at = (tile + here) * out.n_slots + slot;
      *reinterpret_cast<uint32_t*>(out.q + at * kGroup + lane % 4 * 8 + lane / 4 * 4) = words[k];
      if (lane != 0) continue;
      out.scales[at] = {by[k].scale,
                        {static_cast<int16_t>(sums[k]), static_cast<int16_t>(others[k])}};
      if (kUse.has_blocks && !kUse.has_room && out.half_sums)
        store_half_sums(out, token, here, sums[k], others[k]);
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
  LaneGroups<1>::store<1, TokenUse{}>(g, out, token, group, by, stores);
}

/// Of one of a few tokens: its 32 lanes have a column each.
GPU_DEVICE void quantize_column(const Activations& out, int token, int group, float v) {
  const int lane = threadIdx.x % GPU_LANES;
  int bits;
  memcpy(&bits, &v, sizeof bits);
  const Quantization by = quantization_of(lanes_max(bits & 0x7fffffff));
  const int q = nearest(v * by.inverse);
  // Both halves in one: the sum of the first may take one off the second's.
  const int sums = lanes_sum(lane < kGroup / 2 ? q : q * 0x10000);
  const int16_t first = static_cast<int16_t>(sums);
  const int at = group * out.n_slots + token;
  out.q[at * kGroup + lane % 16 / 4 * 8 + lane / 16 * 4 + lane % 4] = static_cast<int8_t>(q);
  if (lane == 0) out.scales[at] = {by.scale, {first, static_cast<int16_t>((sums - first) >> 16)}};
}

/// What 32 lanes quantize at once: the first and the last four groups of a block's eight, four
/// columns a lane each.
constexpr int kLaneColumns = 2, kColumnsStep = kBlockGroups / kLaneColumns;

/// Quantizes a block with one scale, or each of its groups with its own. `group` is the lane's
/// first.
template <TokenUse kUse>
GPU_DEVICE void quantize_eight(const Activations& out, int token, int group,
                               const LaneGroups<kLaneColumns>& g) {
  using Groups = LaneGroups<kLaneColumns>;
  int greatest[kLaneColumns];
  if constexpr (kUse.has_blocks)
    greatest[0] = greatest[1] = lanes_max(max(greatest_bits(g.v[0]), greatest_bits(g.v[1])));
  else
    Groups::greatest(greatest, g);
  const Quantization by[] = {quantization_of(greatest[0]), quantization_of(greatest[1])};
  Groups::store<kColumnsStep, kUse>(g, out, token, group, by, true);
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
  /// The norm's weights; past its end some others, which zeros are multiplied by.
  GPU_DEVICE LaneColumns load_norm(const Norm& p, int eight) {
    LaneColumns c;
    GPU_UNROLL for (int k = 0; k < kLaneColumns; k++) c.v[k] =
        *reinterpret_cast<const float4*>(p.norm + min(column(eight, k), p.n_cols - 4));
    return c;
  }
};

/// Where a token's columns are. It is known before the kernel's turn.
GPU_DEVICE const float* input_row(const Norm& p, int token) {
  return p.x + static_cast<int64_t>(p.rows ? p.rows[token] : token) * p.n_cols;
}

/// 32 lanes quantize eight groups of a token, times the norm's weights, and add up their squares.
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
      squares = fmaf(v[j], v[j], squares);
      r.v[k][j] = kUse.has_norm ? v[j] * w[j] : v[j];
      if (f32 && i < p.n_cols) f32[static_cast<int64_t>(token) * p.n_cols + i + j] = r.v[k][j];
    }
  }
  squares = lanes_sum(squares);
  // The last one fills up what is added four at a time.
  const int lane = threadIdx.x % GPU_LANES, stride = squares_stride(out.n_groups);
  const int n = eight + 1 < count_eights(out.n_groups) ? 1 : stride - eight;
  if (lane < n) out.squares[token * stride + eight + lane] = lane == 0 ? squares : 0.0f;
  quantize_eight<kUse>(out, token, LaneColumns::group(eight), r);
}

/// A block quantizes n tokens; row: the columns of one that is alone. All threads must come.
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

/// 1 / rms of a token, or 1 where there is no norm: what its sums are multiplied by. squares: of
/// all tokens.
GPU_DEVICE float token_factor(const Norm& p, const float* squares, int n_groups, int token) {
  if (!p.norm) return 1.0f;
  const int stride = squares_stride(n_groups);
  const float* row = squares + token * stride;
  float sum = 0;
  GPU_NO_UNROLL for (int i = 0; i < stride; i += 4) {
    const float4 v = *reinterpret_cast<const float4*>(row + i);
    sum += v.x, sum += v.y, sum += v.z, sum += v.w;
  }
  return inverse_root(fmaf(sum, p.inverse_cols, p.eps));
}

template <bool kHasNorm>
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
  constexpr TokenUse kGroups{.has_norm = kHasNorm};
  constexpr TokenUse kBlocks{.has_blocks = true, .has_norm = kHasNorm};
  if (p.out.scale_groups == 1)
    quantize_columns<kGroups>(p.norm, row, token, eight, norm, p.out, f32);
  else
    quantize_columns<kBlocks>(p.norm, row, token, eight, norm, p.out, f32);
}

/// Grid (32 lanes to eight groups of a token).
GPU_DEVICE void norm_quantize(const NormParams& p) {
  let_next_start();
  if (p.norm.norm)
    norm_quantize_eight<true>(p);
  else
    norm_quantize_eight<false>(p);
}

}  // namespace hearth::kernels::hip
