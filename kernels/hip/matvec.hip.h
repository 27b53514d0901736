// x * w^T for one token: decoding. The weights stream through once; everything serves that. A warp
// ("32 lanes") goes through four slices of a tile's columns at once (mma.hip.h: four_dots), its
// lane t keeping the sums of slice t; with 16 slices four warps share a tile. A block takes several
// tiles, so that its token is brought to shared memory once for all of them.
#pragma once

#include "block_tiles.hip.h"
#include "mma.hip.h"
#include "weights.hip.h"

namespace hearth::kernels::hip {

/// The four slices of a warp: first units, and how many units each has (at least 1: see load).
struct FourSlices {
  int begin[kQuad], n_units[kQuad];
  int n_steps;           // of the longest
  int own_begin, own_n;  // those of slice t; own_n is 0 where there is no such slice

  GPU_DEVICE FourSlices of(const MatmulParams& p, int quad, int t) {
    FourSlices s;
    const int n_slices = 1 << p.log2_slices;
    s.n_steps = (p.n_units + n_slices - 1) >> p.log2_slices;
    s.own_begin = s.own_n = 0;
    GPU_UNROLL for (int k = 0; k < kQuad; k++) {
      const int slice = kQuad * quad + k;
      const int begin = slice < n_slices ? slice_begin(p, slice) : 0;
      const int n = slice < n_slices ? slice_begin(p, slice + 1) - begin : 0;
      s.begin[k] = begin, s.n_units[k] = max(n, 1);
      if (k == t) s.own_begin = begin, s.own_n = n;
    }
    return s;
  }
};

/// A unit of each of four slices; scales are those of slice t.
template <BlockType kType>
struct FourUnits {
  UnitCodes<kType> codes[kQuad];
  UnitScales<kType> scales;

  /// Slices that have ended read their last unit again: loads without conditions can all be under
  /// way together, and what comes of them is dropped.
  GPU_DEVICE FourUnits load(const uint8_t* tile, const FourSlices& s, int step, int lane) {
    FourUnits u;
    GPU_UNROLL for (int k = 0; k < kQuad; k++) u.codes[k] =
        UnitCodes<kType>::load(tile, s.begin[k] + min(step, s.n_units[k] - 1), lane);
    u.scales = UnitScales<kType>::load(tile, s.own_begin + min(step, max(s.own_n, 1) - 1), lane);
    return u;
  }
};

/// The operand words of both groups of four units, unpacked so that the next ones can be loaded.
template <BlockType kType>
struct FourWords {
  int a[2][kQuad][4];
  UnitScales<kType> scales;

  GPU_DEVICE FourWords of(const FourUnits<kType>& u) {
    FourWords w;
    w.scales = u.scales;
    GPU_UNROLL for (int group = 0; group < 2; group++) GPU_UNROLL for (int k = 0; k < kQuad; k++)
        GPU_UNROLL for (int i = 0; i < 4; i++)
            w.a[group][k][i] = UnitCodes<kType>::word(u.codes[k], group, i);
    return w;
  }
};

/// Adds the group's dots of slice t to the sums of rows g and g + 8.
template <BlockType kType>
GPU_DEVICE void add_four_groups(const FourWords<kType>& w, int group, const FourInputs& x,
                                const GroupScale& x_scale, bool is_there, float (&sum)[2]) {
  int dots[2][2];  // of the group, or of its two halves
  if constexpr (Layout<kType>::kHalves) {
    four_dots_16(dots[0], w.a[group], x, 0);
    four_dots_16(dots[1], w.a[group], x, 1);
  } else {
    four_dots_32(dots[0], w.a[group], x, dot_start<kType>());
    dots[1][0] = dots[1][1] = 0;
  }
  GPU_UNROLL for (int row = 0; row < 2; row++) {
    const RowScale scale = UnitScales<kType>::scale(w.scales, row, group);
    const int both[2] = {dots[0][row], dots[1][row]};
    const float added = add_group<kType>(sum[row], scale, both, x_scale);
    sum[row] = is_there ? added : sum[row];
  }
}

/// Those of the block's pairs of tiles.
GPU_DEVICE void load_qkv_rows(const MatmulParams& p, int n_tiles, QkvRow* rows) {
  GPU_NO_UNROLL for (int i = threadIdx.x; i < n_tiles / 2 * kTileRows; i += blockDim.x) {
    const int tile = tile_of(p, blockIdx.y * p.block_tiles + i / kTileRows * 2);
    rows[i] = load_qkv_row(p.epilogue, tile * kTileRows + i % kTileRows, 0);
  }
}

/// What the thread's first row is added to. Loaded also where it is not: see FourUnits::load.
GPU_DEVICE float load_before(const MatmulParams& p, int n_tiles) {
  const int tile = min(static_cast<int>(threadIdx.x) / kTileRows, n_tiles - 1);
  const int row = tile_of(p, blockIdx.y * p.block_tiles + tile) * kTileRows;
  const Epilogue& e = p.epilogue;
  return e.out[min(e.row0 + row + static_cast<int>(threadIdx.x) % kTileRows, e.stride - 1)];
}

/// Grid (1, blocks of tiles). Shared memory: the token, the block's sums, rows of q, k and v.
template <BlockType kType>
GPU_DEVICE void matvec(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(uint4, shared);
  const int lane = threadIdx.x % GPU_LANES, g = lane / 4, t = lane % 4;
  const int warp = threadIdx.x / GPU_LANES, n_warps = blockDim.x / GPU_LANES;
  const int log2_n = log2_quads(p), n_quads = 1 << log2_n, quad = warp & (n_quads - 1);
  const int n_tiles = count_block_tiles(p), tiles_at_once = n_warps >> log2_n;
  const int first = blockIdx.y * p.block_tiles;
  const FourSlices slices = FourSlices::of(p, quad, t);
  // Steps in flight, of four units each: what 128 registers a thread leave room for.
  constexpr int kDepth = Layout<kType>::kHalves ? 1 : 2;
  // Words that need no unpacking are used where they have been loaded.
  constexpr bool kInPlace = Layout<kType>::kTraits.low == 8;
  int next_tile = warp >> log2_n, next_step = 0;
  const uint8_t* data = tile_data(p, first + min(next_tile, n_tiles - 1));
  // At the end it reads the last units again: a load under a condition would be waited for at once.
  const auto load_next = [&](FourUnits<kType>& u) {
    u = FourUnits<kType>::load(data, slices, next_step, lane);
    const bool is_end = next_step + 1 == slices.n_steps;
    if (is_end && next_tile + tiles_at_once >= n_tiles) return;
    next_step = is_end ? 0 : next_step + 1;
    if (is_end) data = tile_data(p, first + (next_tile += tiles_at_once));
  };
  FourUnits<kType> ring[kDepth];
  GPU_UNROLL for (int i = 0; i < kDepth; i++) load_next(ring[i]);
  let_next_start();
  uint8_t* bytes = reinterpret_cast<uint8_t*>(shared);
  const BlockSums sums = {reinterpret_cast<float*>(bytes + p.input_bytes), n_quads, 1, 1};
  QkvRow* qkv_rows = reinterpret_cast<QkvRow*>(sums.data + p.block_tiles * n_quads * kTileRows);
  if (p.epilogue.kind == EpilogueKind::kQkv) load_qkv_rows(late(p), n_tiles, qkv_rows);
  wait_for_previous();

  const EarlyRows early = {qkv_rows, load_before(late(p), n_tiles)};
  const Activations x = stage_tokens(late(p), 1, bytes);
  int first_groups[kQuad];
  GPU_UNROLL for (int k = 0; k < kQuad; k++) first_groups[k] = 2 * slices.begin[k];
  const FourSources inputs = FourSources::of(x.q, first_groups, lane);
  const GroupScale* x_scales = x.scales + 2 * slices.own_begin;
  int tile = warp >> log2_n, step = 0;
  float sum[2] = {0, 0};
  const auto finish_tile = [&] {
    GPU_UNROLL for (int row = 0; row < 2; row++) {
      float total = shuffle(sum[row], g * 4);
      GPU_UNROLL for (int k = 1; k < kQuad; k++) {
        const float slice = shuffle(sum[row], g * 4 + k);
        if (k >> p.log2_slices == 0) total += slice;
      }
      if (t == 0) *BlockSums::at(sums, tile, quad, g + 8 * row, 0) = total;
      sum[row] = 0;
    }
    step = 0, tile += tiles_at_once;
  };
  const auto multiply = [&](FourUnits<kType>& from) {
    const auto w = FourWords<kType>::of(from);
    if (!kInPlace) load_next(from);
    GPU_UNROLL for (int group = 0; group < 2; group++) {
      const int at = 2 * step + group;
      add_four_groups<kType>(w, group, FourSources::load(inputs, at), x_scales[at],
                             step < slices.own_n, sum);
    }
    if (kInPlace) load_next(from);
    if (++step == slices.n_steps) finish_tile();
  };
  // Spelled out, not a loop over the ring: registers have no run-time index.
  static_assert(kDepth <= 2);
  GPU_NO_UNROLL while (tile < n_tiles) {
    multiply(ring[0]);
    if constexpr (kDepth == 2) {
      if (tile < n_tiles) multiply(ring[1]);
    }
  }
  __syncthreads();
  store_block<1>(late(p), sums, 0, 1, early);
}

}  // namespace hearth::kernels::hip
