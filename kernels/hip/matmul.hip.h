// x * w^T over packed weights. The weights stream through once; everything serves that. A block
// takes 32 tokens at most and one tile of 16 rows (or a pair of tiles, or two of these in turn:
// jobs); its groups of 32 lanes, "warps", share the columns. The sum of a slice of columns is built
// in rising order with explicit fused adds, slices are added as a binary tree, whoever holds them:
// so a token gets the same bits in any batch.
#pragma once

#include "activations.hip.h"
#include "epilogue.hip.h"
#include "mma.hip.h"
#include "weights.hip.h"

namespace hearth::kernels::hip {

/// First tile of pair (or tile) i, whose second lies at the same place in p.b.
template <int kTiles>
GPU_DEVICE int first_tile(const MatmulParams& p, int i) {
  if (p.tile_ids) return p.tile_ids[i];
  return kTiles == 1 || p.span == 0 ? i : i / p.span * 2 * p.span + i % p.span;
}

/// What a lane multiplies weights by: its part of a token's group, and the scales of the tokens
/// whose results it gets.
struct Operand {
  int q[2];
  GroupScale scales[2];
};

/// Where a lane finds its operands: those of token g, and the scales of tokens 2t and 2t + 1. Lanes
/// of tokens that are not there read the last one that is: their results are never stored, and
/// loads without conditions can all be under way together.
template <int kTokenTiles>
struct OperandSource {
  const int8_t* q[kTokenTiles];
  const GroupScale* scales[kTokenTiles][2];
  int n_slots;

  GPU_DEVICE OperandSource of(const Activations& x, int first_tile, int n_tokens, int lane) {
    OperandSource s;
    s.n_slots = x.n_slots;
    GPU_UNROLL for (int i = 0; i < kTokenTiles; i++) {
      const int last = max(0, min(n_tokens - kTileTokens * i, kTileTokens) - 1);
      const int64_t at = static_cast<int64_t>(first_tile + i) * x.n_groups * x.n_slots;
      s.q[i] = x.q + (at + min(lane / 4, last)) * kGroup + lane % 4 * 8;
      s.scales[i][0] = x.scales + at + min(lane % 4 * 2, last);
      s.scales[i][1] = x.scales + at + min(lane % 4 * 2 + 1, last);
    }
    return s;
  }

  template <int kPerLane>
  GPU_DEVICE Operand load(const OperandSource& s, int tile, int group) {
    const int at = group * s.n_slots;
    const uint2 q = *reinterpret_cast<const uint2*>(s.q[tile] + at * kGroup);
    Operand o;
    o.q[0] = q.x, o.q[1] = q.y;
    GPU_UNROLL for (int i = 0; i < kPerLane; i++) o.scales[i] = s.scales[tile][i][at];
    return o;
  }
};

/// Adds one group of one tile of tokens to the sums of rows g and g + 8 and the lane's tokens.
template <BlockType kType, int kPerLane>
GPU_DEVICE void multiply_group(const Unit<kType>& w, const RowScale (&scales)[2], int group,
                               const Operand& x, int n_tokens, float (&sum)[2 * kPerLane]) {
  using L = Layout<kType>;
  using U = Unit<kType>;
  int a[4], c[2][4] = {};
  GPU_UNROLL for (int i = 0; i < 4; i++) a[i] = U::word(w, group, i);
  if constexpr (L::kHalves) {
    mma_16(c[0], a[0], a[1], x.q[0], n_tokens);
    mma_16(c[1], a[2], a[3], x.q[1], n_tokens);
  } else {
    mma_32(c[0], a, x.q, n_tokens);
  }
  GPU_UNROLL for (int row = 0; row < 2; row++) GPU_UNROLL for (int i = 0; i < kPerLane; i++) {
    const int dots[2] = {c[0][2 * row + i], c[1][2 * row + i]};
    float& to = sum[row * kPerLane + i];
    to = add_group<kType>(to, scales[row], dots, x.scales[i]);
  }
}

/// Sums of a lane, [tile][token tile][row, token], as a tree: a finished slice is added to its
/// sibling.
template <int kTiles, int kTokenTiles, int kPerLane>
struct SliceSums {
  float sum[kTiles][kTokenTiles][2 * kPerLane];
  float pairs[2][kTiles][kTokenTiles][2 * kPerLane];

  /// Closes slice s of the n (1, 2 or 4) that this warp holds; after the last, sum is that of all.
  GPU_DEVICE void close(SliceSums& z, int s, int n) {
    GPU_UNROLL for (int k = 0; k < kTiles; k++) GPU_UNROLL for (int i = 0; i < kTokenTiles; i++)
        GPU_UNROLL for (int j = 0; j < 2 * kPerLane; j++) {
      float value = z.sum[k][i][j];
      if (s & 1) value = z.pairs[0][k][i][j] + value;
      if (s == 3) value = z.pairs[1][k][i][j] + value;
      if (s == 1) z.pairs[1][k][i][j] = value;
      if (!(s & 1)) z.pairs[0][k][i][j] = value;
      z.sum[k][i][j] = s == n - 1 ? value : 0.0f;
    }
  }
};

/// n <= kMaxSlices values added as a binary tree.
GPU_DEVICE float tree_sum(const float* values, int stride, int n) {
  float v[kMaxSlices];
  GPU_UNROLL for (int i = 0; i < kMaxSlices; i++) v[i] = i < n ? values[i * stride] : 0.0f;
  GPU_UNROLL for (int width = 1; width < kMaxSlices; width *= 2)
      GPU_UNROLL for (int i = 0; i < kMaxSlices; i += 2 * width) v[i] += v[i + width];
  return v[0];
}

/// Brings the block's tokens to shared memory, quantizing them where that has not been done.
template <int kTokens>
GPU_DEVICE Activations stage_input(const MatmulParams& p, uint8_t* shared) {
  if (p.input == InputKind::kMemory) return p.x;
  const int n = kTokens == 1 ? 1 : p.n_tokens, n_groups = p.x.n_groups;
  Activations x = p.x;
  x.n_slots = n;
  x.q = reinterpret_cast<int8_t*>(shared);
  x.scales = reinterpret_cast<GroupScale*>(shared + n_groups * n * kGroup);
  if (p.input == InputKind::kNorm) {
    float* group_sums = reinterpret_cast<float*>(x.scales + n_groups * n);
    for (int token = 0; token < n; token++)
      norm_quantize_token(p.norm, token, x, nullptr, group_sums);
    return x;
  }
  const uint4* from = reinterpret_cast<const uint4*>(p.x.q);
  uint4* to = reinterpret_cast<uint4*>(x.q);
  for (int i = threadIdx.x; i < n_groups * n * 2; i += blockDim.x)
    to[i] = from[i / (2 * n) * 2 * kTileTokens + i % (2 * n)];
  for (int i = threadIdx.x; i < n_groups * n; i += blockDim.x)
    x.scales[i] = p.x.scales[i / n * kTileTokens + i % n];
  __syncthreads();
  return x;
}

/// SwiGLU of two jobs is a group of 32 columns of the next matmul's input: 32 lanes quantize a
/// token's.
GPU_DEVICE void store_swiglu(const MatmulParams& p, const float* partial, int n_warps, int stride,
                             int warp_stride, int first_token, int n_tokens) {
  for (int i = threadIdx.x; i < n_tokens * kGroup; i += blockDim.x) {
    const int token = i / kGroup, col = i % kGroup;
    const float* at = partial + col / 16 * n_warps * warp_stride + col % 16 * stride + token;
    const float gate = tree_sum(at, warp_stride, n_warps);
    const float up = tree_sum(at + 16 * stride, warp_stride, n_warps);
    const float h = gate / (1.0f + expf(-gate)) * up;
    store_one(p.epilogue, blockIdx.y * kGroup + col, first_token + token, h);
    float v[4];  // quantizing wants four columns a lane
    GPU_UNROLL for (int j = 0; j < 4; j++) v[j] = shuffle(h, col % 8 * 4 + j);
    quantize_group(p.quantized, first_token + token, blockIdx.y, v, col < 8);
  }
}

/// The units of weights that a warp goes through: its range of columns, job after job.
template <BlockType kType, int kTiles>
struct UnitSource {
  const uint8_t *a, *b, *next_a, *next_b;
  int unit, begin, end, n_left;

  GPU_DEVICE UnitSource of(const MatmulParams& p, int begin, int end) {
    const int first = blockIdx.y * p.n_jobs;
    const uint64_t offset = first_tile<kTiles>(p, first) * p.tile_bytes;
    const uint64_t next = first_tile<kTiles>(p, first + p.n_jobs - 1) * p.tile_bytes;
    return {p.a + offset, p.b + offset, p.a + next, p.b + next,
            begin,        begin,        end,        p.n_jobs * (end - begin)};
  }

  GPU_DEVICE void load(UnitSource& s, Unit<kType> (&w)[kTiles], int lane) {
    if (s.n_left > 0) {
      w[0] = Unit<kType>::load(s.a, s.unit, lane);
      if constexpr (kTiles == 2) w[1] = Unit<kType>::load(s.b, s.unit, lane);
    }
    s.n_left--;
    const bool wraps = ++s.unit == s.end;
    s.unit = wraps ? s.begin : s.unit;
    s.a = wraps ? s.next_a : s.a;
    s.b = wraps ? s.next_b : s.b;
  }
};

/// Grid (blocks of tokens, tiles or pairs / jobs): neighbours share weights, so that these come
/// from memory once. Shared memory: the tokens (if staged), and partial sums
/// [job][warp][tile][row][token].
template <BlockType kType, int kTiles, int kTokens>
GPU_DEVICE void stream_matmul(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(uint4, shared);
  constexpr int kTokenTiles = (kTokens + 7) / 8, kPerLane = kTokens == 1 ? 1 : 2;
  constexpr int kStride = kTokens | 1;  // odd: a column of rows lies in different banks
  constexpr int kWarpStride = 16 * kTiles * kStride;
  // Units in flight a warp: enough to cover memory's latency at the occupancy that registers allow.
  constexpr int kDepth = kTokens == 1 || kTiles * kTokenTiles == 1 ? 4 : 2;
  using Sums = SliceSums<kTiles, kTokenTiles, kPerLane>;
  using Source = OperandSource<kTokenTiles>;
  using Weights = UnitSource<kType, kTiles>;
  const int lane = threadIdx.x % GPU_LANES, g = lane / 4, t = lane % 4;
  const int n_warps = blockDim.x / GPU_LANES, warp = threadIdx.x / GPU_LANES;
  const int n_own = (1 << p.log2_slices) / n_warps, first_slice = warp * n_own;
  const auto slice_begin = [&](int slice) {
    return (first_slice + slice) * p.n_units >> p.log2_slices;
  };

  Weights weights = Weights::of(p, slice_begin(0), slice_begin(n_own));
  Unit<kType> ring[kDepth][kTiles];
  const int n_units = weights.n_left;
  static_assert(kDepth == 2 || kDepth == 4);
  Weights::load(weights, ring[0], lane);
  Weights::load(weights, ring[1], lane);
  if constexpr (kDepth == 4) {
    Weights::load(weights, ring[2], lane);
    Weights::load(weights, ring[3], lane);
  }
  let_next_start();
  wait_for_previous();
  uint8_t* bytes = reinterpret_cast<uint8_t*>(shared);
  float* partial = reinterpret_cast<float*>(bytes + p.input_bytes);
  const Activations x = stage_input<kTokens>(p, bytes);

  const int first_token = blockIdx.x * kTokens;
  const int n_tokens = kTokens == 1 ? 1 : min(kTokens, p.n_tokens - first_token);
  const Source source = Source::of(x, blockIdx.x * kTokenTiles, n_tokens, lane);
  Sums sums = {};
  int unit = weights.begin, slice = 0, slice_end = slice_begin(1);
  float* to = partial + warp * kWarpStride;
  const auto multiply = [&](Unit<kType>(&w)[kTiles]) {
    GPU_UNROLL for (int group = 0; group < 2; group++) {
      RowScale scales[kTiles][2];
      GPU_UNROLL for (int k = 0; k < kTiles; k++) {
        scales[k][0] = Unit<kType>::scale(w[k], 0, group);
        scales[k][1] = Unit<kType>::scale(w[k], 1, group);
      }
      GPU_UNROLL for (int i = 0; i < kTokenTiles; i++) {
        const Operand o = Source::template load<kPerLane>(source, i, 2 * unit + group);
        GPU_UNROLL for (int k = 0; k < kTiles; k++) multiply_group<kType, kPerLane>(
            w[k], scales[k], group, o, n_tokens - kTileTokens * i, sums.sum[k][i]);
      }
    }
    Weights::load(weights, w, lane);
  };
  const auto store = [&] {
    GPU_UNROLL for (int k = 0; k < kTiles; k++) GPU_UNROLL for (int i = 0; i < kTokenTiles; i++)
        GPU_UNROLL for (int j = 0; j < 2 * kPerLane; j++) {
      const int row = 16 * k + g + j / kPerLane * 8, token = 8 * i + 2 * t + j % kPerLane;
      if (kTokens > 1 || t == 0) to[row * kStride + token] = sums.sum[k][i][j];
      sums.sum[k][i][j] = 0;
    }
    to += n_warps * kWarpStride;
    unit = weights.begin, slice = 0;
  };
  const auto step = [&](Unit<kType>(&w)[kTiles]) {
    multiply(w);
    if (++unit < slice_end) return;
    Sums::close(sums, slice, n_own);
    if (++slice == n_own) store();
    slice_end = slice_begin(slice + 1);
  };
  // Spelled out, not a loop over the ring: registers have no run-time index.
  for (int k = 0; k < n_units; k += kDepth) {
    step(ring[0]);
    if (k + 1 < n_units) step(ring[1]);
    if constexpr (kDepth == 4) {
      if (k + 2 < n_units) step(ring[2]);
      if (k + 3 < n_units) step(ring[3]);
    }
  }
  __syncthreads();

  if constexpr (kTiles == 2) {
    if (p.epilogue.kind == EpilogueKind::kSwiglu && p.n_jobs == 2)
      return store_swiglu(p, partial, n_warps, kStride, kWarpStride, first_token, n_tokens);
  }
  for (int i = threadIdx.x; i < p.n_jobs * 16 * n_tokens; i += blockDim.x) {
    const int row = i % 16, token = i / 16 % n_tokens, which = i / 16 / n_tokens;
    const float* at = partial + which * n_warps * kWarpStride + row * kStride + token;
    const int tile = first_tile<kTiles>(p, blockIdx.y * p.n_jobs + which);
    const float a = tree_sum(at, kWarpStride, n_warps);
    if constexpr (kTiles == 1)
      store_one(p.epilogue, 16 * tile + row, first_token + token, a);
    else
      store_pair(p.epilogue, 16 * tile + row, first_token + token, a,
                 tree_sum(at + 16 * kStride, kWarpStride, n_warps));
  }
}

}  // namespace hearth::kernels::hip
