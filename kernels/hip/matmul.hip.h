// x * w^T for a few tokens, 2 to 8: drafts. A warp ("32 lanes") takes one tile of 16 rows and up to
// four of its slices; other warps take the other slices, so that a matrix of few rows still fills
// the GPU.
#pragma once

#include "block_tiles.hip.h"
#include "mma.hip.h"
#include "weights.hip.h"

namespace hearth::kernels::hip {

/// What a lane multiplies weights by: its part of a token's group, and the scales of the tokens
/// whose results it gets.
struct Operand {
  int q[2];
  GroupScale scales[2];
};

/// Where a lane finds its operands: those of token g, and the scales of tokens 2t and 2t + 1. Lanes
/// of tokens that are not there read the last one that is: their results are never stored, and
/// loads without conditions can all be under way together.
struct OperandSource {
  const int8_t* q;
  const GroupScale* scales[2];
  int n_slots;

  GPU_DEVICE OperandSource of(const Activations& x, int n_tokens, int lane) {
    const int last = n_tokens - 1;
    return {x.q + min(lane / 4, last) * kGroup + lane % 4 * 8,
            {x.scales + min(lane % 4 * 2, last), x.scales + min(lane % 4 * 2 + 1, last)},
            x.n_slots};
  }

  GPU_DEVICE Operand load(const OperandSource& s, int group) {
    const uint2 q = *reinterpret_cast<const uint2*>(s.q + group * s.n_slots * kGroup);
    return {{static_cast<int>(q.x), static_cast<int>(q.y)},
            {scale(s, 0, group), scale(s, 1, group)}};
  }
  /// Of token 2t or 2t + 1.
  GPU_DEVICE GroupScale scale(const OperandSource& s, int i, int group) {
    return s.scales[i][group * s.n_slots];
  }
};

/// The operand words of one group of one tile, and the scales of rows g and g + 8, or of one row.
template <BlockType kType, int kParts = 1, int kRows = 2>
struct GroupWeights {
  int a[kParts][4];
  RowScale scales[kRows];

  GPU_DEVICE GroupWeights of(const Unit<kType, kParts>& w, int group) {
    GroupWeights u;
    GPU_UNROLL for (int part = 0; part < kParts; part++) GPU_UNROLL for (int i = 0; i < 4; i++)
        u.a[part][i] = UnitCodes<kType>::word(w.codes[part], group, i);
    GPU_UNROLL for (int row = 0; row < kRows; row++) u.scales[row] =
        UnitScales<kType>::scale(w.scales, row, group);
    return u;
  }
};

/// Adds one group of one tile of tokens to the sums of [row g, g + 8][token 2t, 2t + 1].
template <BlockType kType>
GPU_DEVICE void multiply_group(const GroupWeights<kType>& w, const Operand& x, int n_tokens,
                               RowSum (&sum)[4], int (&minima)[4]) {
  constexpr int kStart = dot_start<kType>();
  int c[2][4] = {{kStart, kStart, kStart, kStart}, {0, 0, 0, 0}};
  if constexpr (Layout<kType>::kHalves) {
    mma_16(c[0], w.a[0][0], w.a[0][1], x.q[0], n_tokens);
    mma_16(c[1], w.a[0][2], w.a[0][3], x.q[1], n_tokens);
  } else {
    mma_32(c[0], w.a[0], x.q, n_tokens);
  }
  GPU_UNROLL for (int i = 0; i < 4; i++) {
    const int dots[2] = {c[0][i], c[1][i]};
    add_group<kType>(sum[i], w.scales[i / 2], dots, x.scales[i % 2]);
    if (Layout<kType>::kSuper)
      minima[i] = add_minima<kType>(minima[i], w.scales[i / 2], x.scales[i % 2]);
  }
}

/// A lane's sums, of the slice that is being read and of the quad so far.
template <int kTokenTiles, int kSums = 4>
struct LaneSums {
  RowSum slice[kTokenTiles][kSums];
  float quad[kTokenTiles][kSums];

  GPU_DEVICE void close_slice(LaneSums& s, bool is_first) {
    GPU_UNROLL for (int i = 0; i < kTokenTiles; i++) GPU_UNROLL for (int j = 0; j < kSums; j++) {
      s.quad[i][j] = is_first ? s.slice[i][j].total : s.quad[i][j] + s.slice[i][j].total;
      s.slice[i][j].total = 0;
    }
  }
};

/// Whether a unit is the last of a block of 256 columns, of a type that has such.
template <BlockType kType>
GPU_DEVICE constexpr bool is_block_end(int unit) {
  constexpr int kUnits = Layout<kType>::kUnits;
  return kUnits > 1 && unit % kUnits == kUnits - 1;
}

/// Grid (1, blocks of tiles). Shared memory: the tokens' squares, the tokens (if staged), the
/// block's sums, rows of q, k and v.
template <BlockType kType>
GPU_DEVICE void stream_matmul(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(uint4, shared);
  constexpr int kTokens = kTileTokens;
  constexpr int kDepth = 4;  // units in flight
  const int lane = threadIdx.x % GPU_LANES, g = lane / 4, t = lane % 4;
  const int warp = threadIdx.x / GPU_LANES, n_warps = blockDim.x / GPU_LANES;
  const int log2_n = max(p.log2_slices - p.log2_own, 0), n_slices = 1 << p.log2_slices;
  const int n_tiles = count_block_tiles(p), tiles_at_once = n_warps >> log2_n;
  const int first = blockIdx.y * p.block_tiles;
  const int first_slice = (warp & ((1 << log2_n) - 1)) << p.log2_own;
  const int end_slice = min(first_slice + (1 << p.log2_own), n_slices);
  const int begin = slice_begin<kType>(p, first_slice), end = slice_begin<kType>(p, end_slice);
  const bool is_quad = !Layout<kType>::kSuper && 1 << p.log2_own == kQuad;

  // Where the units in flight make a block, slices end with the last of them.
  constexpr bool kWholeBlocks = Layout<kType>::kUnits == kDepth && !GPU_FEW_REGISTERS;
  int next_tile = warp >> log2_n, next_unit = begin;
  const uint8_t* data = tile_data(p, first + min(next_tile, n_tiles - 1));
  // At the end it reads the last unit, or block, again: a load under a condition would be waited
  // for at once.
  const auto load_next = [&](Unit<kType>& w, int i) {
    w = kWholeBlocks ? Unit<kType>::load(record_of<kType>(data, next_unit), i, lane)
                     : Unit<kType>::load(data, next_unit, lane);
    const bool is_end = (!kWholeBlocks || i == kDepth - 1) && next_unit + 1 == end;
    if (is_end && next_tile + tiles_at_once >= n_tiles) {
      if (kWholeBlocks) next_unit = end - kDepth;
      return;
    }
    next_unit = is_end ? begin : next_unit + 1;
    if (is_end) data = tile_data(p, first + (next_tile += tiles_at_once));
  };
  Unit<kType> ring[kDepth];
  GPU_UNROLL for (int i = 0; i < kDepth; i++) load_next(ring[i], i);
  let_next_start();
  uint8_t* bytes = reinterpret_cast<uint8_t*>(shared);
  constexpr bool kQuads = !Layout<kType>::kSuper;
  const BlockSums block = {reinterpret_cast<float*>(bytes + p.input_bytes),
                           is_quad ? 1 << log2_n : n_slices,
                           is_quad || !kQuads ? 1 : min(kQuad, n_slices), kTokens | 1};

  const int n_tokens = min(kTokens, p.n_tokens);
  QkvRow* qkv_rows = reinterpret_cast<QkvRow*>(block.data + p.block_tiles * block.n_parts *
                                                                kTileRows * block.stride);
  if (p.epilogue.kind == EpilogueKind::kQkv)
    load_qkv_rows<kTokens>(late(p), n_tiles, n_tokens, qkv_rows);
  prefetch_norm(late(p));
  const int before = place_before<kTokens>(late(p), n_tiles, n_tokens);
  wait_for_previous();
  const EarlyRows early = {qkv_rows, late(p).epilogue.out[before],
                           reinterpret_cast<const float*>(shared)};
  using Sums = LaneSums<1>;
  // Compiled for each memory that tokens may be in, for which a GPU has instructions of its own:
  // those for either are slower (on an H200 eight tokens then take 2 to 6 % longer).
  constexpr bool kIsSplit = !GPU_FEWEST_REGISTERS;
  const auto multiply = [&](const Activations& x) GPU_INLINE {
    const OperandSource source = OperandSource::of(x, n_tokens, lane);
    Sums sums = {};
    int minima[4] = {};  // of a block
    int tile = warp >> log2_n, unit = begin, slice = first_slice;
    int slice_end = slice_begin<kType>(p, slice + 1);
    const auto store = [&](int part) {
      GPU_UNROLL for (int j = 0; j < 4; j++) {
        float* to = BlockSums::at(block, tile, part, g + j / 2 * 8, 2 * t + j % 2);
        *to = is_quad ? sums.quad[0][j] : sums.slice[0][j].total;
      }
    };
    const auto step = [&](int i) {
      Unit<kType>& from = ring[i];
      const bool ends_block = kWholeBlocks ? i == kDepth - 1 : is_block_end<kType>(unit);
      GPU_UNROLL for (int group = 0; group < 2; group++) {
        const auto w = GroupWeights<kType>::of(from, group);
        multiply_group<kType>(w, OperandSource::load(source, 2 * unit + group), n_tokens,
                              sums.slice[0], minima);
      }
      if (ends_block) {
        const RowScale rows[2] = {UnitScales<kType>::scale(from.scales, 0, 0),
                                  UnitScales<kType>::scale(from.scales, 1, 0)};
        GPU_UNROLL for (int j = 0; j < 4; j++) {
          const float x_scale = OperandSource::scale(source, j % 2, 2 * unit).scale;
          close_block<kType>(sums.slice[0][j], minima[j], rows[j / 2], x_scale);
          minima[j] = 0;
        }
      }
      load_next(from, i);
      unit++;
      if ((kWholeBlocks && i < kDepth - 1) || unit < slice_end) return;
      if (!is_quad) store(slice);
      Sums::close_slice(sums, slice == first_slice);
      if (++slice == end_slice) {
        if (is_quad) store(first_slice / kQuad);
        tile += tiles_at_once, unit = begin, slice = first_slice;
      }
      slice_end = slice_begin<kType>(p, slice + 1);
    };
    // Spelled out, not a loop over the ring: registers have no run-time index.
    static_assert(kDepth == 4);
    GPU_NO_UNROLL while (tile < n_tiles) {
      step(0);
      if (kWholeBlocks || tile < n_tiles) step(1);
      if (kWholeBlocks || tile < n_tiles) step(2);
      if (kWholeBlocks || tile < n_tiles) step(3);
    }
  };
  if (p.input == InputKind::kMemory) stage_squares(late(p), n_tokens, shared);
  if (kIsSplit && p.input != InputKind::kMemory)
    multiply(stage_tokens<kType>(late(p), p.n_tokens, shared));
  else
    multiply(kIsSplit ? late(p).x : stage_input<kType>(late(p), p.n_tokens, shared));
  __syncthreads();
  store_block<kTokens>(late(p), block, n_tokens, early);
}

}  // namespace hearth::kernels::hip
