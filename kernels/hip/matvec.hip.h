// GEMV: x * w^T for one token, that is for decode (plain::product). It is bound by memory: the
// weights stream through once. A thread block takes several tiles of 16 rows, so that it stages the
// token in shared memory once for all of them. Its warp w has share w % n_shares (params.h) of the
// tiles w / n_shares, w / n_shares + n_warps / n_shares, ... and does this:
//
//   for each of these tiles:
//     for each step of the share:
//       load four units of weights; multiply each with the token's columns; add
//     store the share's 16 sums
//
// Then the thread block adds the shares of each row in rising order and applies the epilogue. In
// float-scale formats the four units are of the four slices of a quad, and in super-block formats
// those of one super-block. Four lanes have two rows of a tile: lane t of the four keeps the sums
// of the t-th unit (mma.hip.h: four_dots).
#pragma once

#include "block_tiles.hip.h"
#include "mma.hip.h"
#include "weights.hip.h"

namespace hearth::kernels::hip {

/// Which units a warp reads: those of one share. At each step it reads one unit of each of its four
/// slices or, in super-block formats, the four units of a super-block of its one slice. Lane t has
/// the scales, and gets the sums, of the t-th of these four: that is its own unit.
///
/// A slice of a float-scale format has n_steps units or one less. A shorter slice also reads the
/// first unit of the next slice and ignores it; there is one, as the last slice of a row is never
/// shorter.
template <BlockType kType>
struct WarpShare {
  using L = Layout<kType>;
  static constexpr int kStepGroups = 2 * L::kUnits;  // by which a step advances
  int n_steps, own_steps;
  uint32_t begin;                            // the byte in the tile where the first step begins
  uint32_t offsets[kQuad], own_offset;       // bytes from there to unit k, and to the lane's own
  int first_groups[kQuad], first_own_group;  // of the token

  GPU_DEVICE WarpShare of(const MatmulParams& p, int share, int t) {
    WarpShare s;
    if constexpr (L::kSuper) {
      const int begin = slice_begin<kType>(p, share), end = slice_begin<kType>(p, share + 1);
      s.n_steps = s.own_steps = (end - begin) / kBlockUnits;
      s.begin = begin / kBlockUnits * L::kRecordBytes;
      GPU_UNROLL for (int k = 0; k < kQuad; k++) {
        s.first_groups[k] = 2 * (begin + k);
        s.offsets[k] = k * L::kUnitBytes;
      }
      s.first_own_group = 2 * (begin + t);
      s.own_offset = t * L::kUnitBytes;
    } else {
      GPU_UNROLL for (int k = 0; k < kQuad; k++) {
        const int begin = first_unit(p, kQuad * share + k);
        s.first_groups[k] = 2 * begin;
        const uint32_t offset = begin * L::kRecordBytes;
        if (k == 0) s.begin = offset;
        s.offsets[k] = k == 0 ? 0 : compute_now(offset - s.begin);
      }
      const int own = kQuad * share + t, begin = first_unit(p, own);
      s.own_offset = compute_now(begin * L::kRecordBytes - s.begin);
      s.first_own_group = 2 * begin;
      s.n_steps = (p.n_units + (1 << p.log2_slices) - 1) >> p.log2_slices;
      s.own_steps = compute_now(has_slice(p, own) ? slice_begin<kType>(p, own + 1) - begin : 0);
    }
    return s;
  }

 private:
  /// A row may have fewer than four slices.
  GPU_DEVICE bool has_slice(const MatmulParams& p, int slice) {
    return slice >> p.log2_slices == 0;
  }
  GPU_DEVICE int first_unit(const MatmulParams& p, int slice) {
    return has_slice(p, slice) ? slice_begin<kType>(p, slice) : 0;
  }
};

/// The codes of four units, and the scales of the t-th.
template <BlockType kType>
struct FourUnits {
  UnitCodes<kType> codes[kQuad];
  UnitScales<kType> scales;

  /// at: where the step begins in the tile.
  GPU_DEVICE FourUnits load(const uint8_t* at, const WarpShare<kType>& s, int lane) {
    FourUnits u;
    GPU_UNROLL for (int k = 0; k < kQuad; k++) u.codes[k] =
        UnitCodes<kType>::load_at(at + s.offsets[k], lane);
    u.scales = UnitScales<kType>::load_at(at + s.own_offset, at + Layout<kType>::kTailOffset, lane);
    return u;
  }
};

/// The operand words of both groups of four units: unpacked, so that the registers of the packed
/// ones are free for the next load.
template <BlockType kType>
struct FourWords {
  int a[2][kQuad][4];  // [group][unit][operand register]
  UnitScales<kType> scales;

  GPU_DEVICE FourWords of(const FourUnits<kType>& u) {
    FourWords w;
    w.scales = u.scales;
    GPU_UNROLL for (int group = 0; group < 2; group++) GPU_UNROLL for (int k = 0; k < kQuad; k++)
        GPU_UNROLL for (int i = 0; i < 4; i++)
            w.a[group][k][i] = u.codes[k].template word<Layout<kType>::kZeroPointAfter>(group, i);
    return w;
  }
};

/// Adds the dot products of a group of the t-th unit to the sums of rows g and g + 8 (lane 4g + t).
/// With a zero point z and codes c: sum of (c - z) q = sum of c q - z * sum of q.
template <BlockType kType, int kGroupOfUnit>
GPU_DEVICE void add_four_groups(const FourWords<kType>& w, const FourInputs& x,
                                const GroupScale& x_scale, RowSum (&sum)[2]) {
  using L = Layout<kType>;
  int dots[2][2] = {};  // of the group, or of its two halves
  four_dots<L::kHalves>(dots, w.a[kGroupOfUnit], x);
  GPU_UNROLL for (int row = 0; row < 2; row++) {
    int halves[2] = {dots[0][row], dots[1][row]};
    if constexpr (L::kZeroPointAfter)
      GPU_UNROLL for (int i = 0; i < 2; i++) halves[i] -= L::kTraits.zero_point * x_scale.sums[i];
    add_group<kType>(sum[row], w.scales.scale(row, kGroupOfUnit), halves, x_scale);
    add_minima<kType, kGroupOfUnit>(sum[row], w.scales.minima(row), x_scale);
  }
}

/// A warp's sums over a tile so far. Lane 4g + t has those of rows g and g + 8 over slice t. In
/// super-block formats, where the four lanes have the units of one slice, lanes 4g and 4g + 1 have
/// the sum of row g over the whole slice, and lanes 4g + 2 and 4g + 3 that of row g + 8.
template <BlockType kType>
struct TileSum {
  using L = Layout<kType>;
  float total[L::kSuper ? 1 : 2];

  /// Adds both groups of a step. has_step: whether slice t has it.
  GPU_MEMBER void add(const FourWords<kType>& w, const FourSources& inputs, int at,
                      const GroupScale* x_scales, bool has_step) {
    RowSum sums[2] = {};
    if constexpr (!L::kSuper) sums[0].total = total[0], sums[1].total = total[1];
    const GroupScale scales[2] = {x_scales[at], x_scales[at + 1]};
    add_four_groups<kType, 0>(w, inputs.load(at), scales[0], sums);
    add_four_groups<kType, 1>(w, inputs.load(at + 1), scales[1], sums);
    if constexpr (L::kSuper) {
      const bool is_upper = threadIdx.x % 4 >= 2;
      // d and dmin of the lane's row; all groups of a super-block share them.
      const RowScale row = w.scales.keep_row(is_upper).scale(0, 0);
      RowSum sum = {total[0], sum_of_row(sums[0].scaled, sums[1].scaled, is_upper), 0};
      if (L::kMin) sum.minima = sum_of_row(sums[0].minima, sums[1].minima, is_upper);
      close_block<kType>(sum, row, scales[0].scale);
      total[0] = sum.total;
    } else {
      GPU_UNROLL for (int row = 0; row < 2; row++) total[row] =
          has_step ? sums[row].total : total[row];
    }
  }

  /// The first row of the tile that the lane writes, if it writes any.
  GPU_DEVICE int row_of(int lane) { return lane / 4 + (L::kSuper ? lane % 4 / 2 * 8 : 0); }
  /// Stores the sum of the warp's slice, or quad of slices, and resets it. `to` is the place of row
  /// row_of(lane); in float-scale formats the lane also has row + 8.
  GPU_MEMBER void close(float* to) {
    const int lane = threadIdx.x % GPU_LANES, g = lane / 4, t = lane % 4;
    if constexpr (L::kSuper) {
      if (t % 2 == 0) *to = total[0];
      total[0] = 0;
    } else {
      GPU_UNROLL for (int row = 0; row < 2; row++) {
        float sum = shuffle(total[row], g * 4);  // slices that are not there have 0
        GPU_UNROLL for (int k = 1; k < kQuad; k++) sum += shuffle(total[row], g * 4 + k);
        if (t == 0) to[8 * row] = sum;
        total[row] = 0;
      }
    }
  }

 private:
  /// Sums over a quad of lanes, each of which has a portion of both rows' sums: the lower two lanes
  /// get the first row's sum, the upper two the second row's.
  GPU_DEVICE int sum_of_row(int first, int second, bool is_upper) {
    const int sum = (is_upper ? second : first) + shuffle_xor(is_upper ? first : second, 2);
    return sum + shuffle_xor(sum, 1);
  }
};

/// The weights of a warp's share of one tile after the other, step by step. At the end it gives the
/// last units again: the compiler would wait for a conditional load at once.
template <BlockType kType>
struct WeightStream {
  const MatmulParams& p;
  const WarpShare<kType>& share;
  int first_tile, n_tiles, tiles_at_once;  // of the thread block
  int tile, step;                          // of the next load
  const uint8_t* next;

  GPU_DEVICE WeightStream of(const MatmulParams& p, const WarpShare<kType>& share, int n_tiles,
                             int tiles_at_once, int tile) {
    const int first_tile = static_cast<int>(blockIdx.y) * p.block_tiles;
    WeightStream s = {p, share, first_tile, n_tiles, tiles_at_once, tile, 0, nullptr};
    s.next = s.begin_of(min(tile, n_tiles - 1));
    return s;
  }
  GPU_MEMBER void load_next(FourUnits<kType>& u) {
    u = FourUnits<kType>::load(next, share, threadIdx.x % GPU_LANES);
    const bool is_end = step + 1 == share.n_steps;
    if (is_end && tile + tiles_at_once >= n_tiles) return;
    step++, next += Layout<kType>::kRecordBytes;
    if (is_end) step = 0, next = begin_of(tile += tiles_at_once);
  }

 private:
  GPU_MEMBER const uint8_t* begin_of(int i) const {
    return tile_data(p, first_tile + i) + share.begin;
  }
};

/// Grid (1, p.n_tiles / p.block_tiles, rounded up). Shared memory: the token and its sums of
/// squares, the sums, the QkvRows. Code that runs once costs instruction fetches in proportion to
/// its length (README.md), so whatever can be is computed before wait_for_previous(), while the
/// previous kernel still runs.
template <BlockType kType>
GPU_DEVICE void matvec(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(uint4, shared);
  const int lane = threadIdx.x % GPU_LANES, t = lane % 4;
  const int warp = threadIdx.x / GPU_LANES, n_warps = blockDim.x / GPU_LANES;
  const int log2_n = log2_shares<kType>(p), n_shares = 1 << log2_n;
  const int n_tiles = count_block_tiles(p), tiles_at_once = n_warps >> log2_n;
  using Share = WarpShare<kType>;
  const Share share = Share::of(p, warp & (n_shares - 1), t);
  // Steps in flight, of four units each: as many as fit into 128 registers per thread.
  constexpr int kDepth = Layout<kType>::kHalves ? 1 : 2;
  // Words that need no unpacking are used from the registers that they were loaded to, which can be
  // filled again only after the product.
  constexpr bool kInPlace = Layout<kType>::kTraits.low_bits == 8;
  auto weights = WeightStream<kType>::of(p, share, n_tiles, tiles_at_once, warp >> log2_n);
  FourUnits<kType> ring[kDepth];  // the units of the steps in flight
  GPU_UNROLL for (int i = 0; i < kDepth; i++) weights.load_next(ring[i]);
  let_next_start();
  uint8_t* bytes = reinterpret_cast<uint8_t*>(shared);
  const BlockSums<1> sums = {reinterpret_cast<float*>(bytes + p.input_bytes), n_shares, 1};
  QkvRow* qkv_rows = reinterpret_cast<QkvRow*>(sums.data + p.block_tiles * n_shares * kTileRows);
  if (p.epilogue.kind == EpilogueKind::kQkv) load_qkv_rows<1>(reload(p), n_tiles, 1, qkv_rows);
  prefetch_norm(reload(p));
  const int residual_at = compute_now(place_before<1>(reload(p), n_tiles, 1));
  const Activations x = staged_tokens(p, 1, shared);
  const FourSources inputs = FourSources::of(x.q, share.first_groups, lane);
  const GroupScale* x_scales = x.scales + compute_now(share.first_own_group);
  using Sum = TileSum<kType>;
  int step = 0;
  // Sums lie as [tile][share][16 rows], and so warp w's next one is n_warps * 16 floats further:
  // the same share of the tile that is tiles_at_once tiles later.
  float* to = sums.data + compute_now(warp * kTileRows + Sum::row_of(lane));
  const float* token_columns = p.norm.x + compute_now(input_row(p.norm, 0) - p.norm.x);
  wait_for_previous();

  stage_tokens<kType>(reload(p), token_columns, 1, x);
  const EarlyRows early = {qkv_rows, reload(p).epilogue.out[residual_at], x.squares};
  Sum sum = {};
  const auto multiply = [&](FourUnits<kType>& from) {
    const auto w = FourWords<kType>::of(from);
    if (!kInPlace) weights.load_next(from);
    sum.add(w, inputs, Share::kStepGroups * step, x_scales, step < share.own_steps);
    if (kInPlace) weights.load_next(from);
    if (++step < share.n_steps) return;
    sum.close(to);
    step = 0, to += n_warps * kTileRows;
  };
  const float* end = sums.data + n_tiles * n_shares * kTileRows;
  // Written out instead of a loop over the ring, as registers cannot be indexed at run time.
  static_assert(kDepth <= 2);
  GPU_NO_UNROLL while (to < end) {
    multiply(ring[0]);
    if constexpr (kDepth == 2) {
      if (to < end) multiply(ring[1]);
    }
  }
  __syncthreads();
  store_block<1>(reload(p), sums, 1, early);
}

}  // namespace hearth::kernels::hip
