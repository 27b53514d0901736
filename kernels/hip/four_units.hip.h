// How weights reach the lanes of the GEMV (matvec.hip.h): a warp reads the units of its share
// (WarpShare), four at a time (FourUnits), in one tile after another (WeightStream).
#pragma once

#include "block_tiles.hip.h"
#include "weights.hip.h"

namespace hearth::kernels::hip {

/// A warp's share of the units. At each step it reads one unit from each of its four slices or, in
/// super-block formats, the four units of one super-block of its only slice. The t-th of these is
/// lane t's own unit: the lane has its scales and gets its sums.
///
/// A slice of a float-scale format has n_steps units or one less. In a shorter slice, the last step
/// reads the first unit of the next slice and ignores it. There always is a next slice, because the
/// last slice of a row is never shorter.
template <BlockType kType>
struct WarpShare {
  using L = Layout<kType>;
  static constexpr int kStepGroups = 2 * L::kUnits;  // groups by which a step advances
  int n_steps, own_steps;
  uint32_t begin;                       // the byte in the tile where the first step begins
  uint32_t offsets[kQuad], own_offset;  // bytes from `begin` to unit k, and to the lane's own unit
  int first_groups[kQuad], first_own_group;  // of the token

  GPU_DEVICE WarpShare of(const MatmulParams& p, int share, int t) {
    if constexpr (L::kSuper)
      return of_slice(p, share, t);
    else
      return of_quad(p, share, t);
  }

 private:
  /// Super-block formats: the units of a super-block lie side by side.
  GPU_DEVICE WarpShare of_slice(const MatmulParams& p, int slice, int t) {
    WarpShare s;
    const int begin = slice_begin<kType>(p, slice), end = slice_begin<kType>(p, slice + 1);
    s.n_steps = s.own_steps = (end - begin) / kBlockUnits;
    s.begin = begin / kBlockUnits * L::kRecordBytes;
    GPU_UNROLL for (int k = 0; k < kQuad; k++) {
      s.first_groups[k] = 2 * (begin + k);
      s.offsets[k] = k * L::kUnitBytes;
    }
    s.first_own_group = 2 * (begin + t);
    s.own_offset = t * L::kUnitBytes;
    return s;
  }

  /// Float-scale formats: the four units are a slice apart.
  GPU_DEVICE WarpShare of_quad(const MatmulParams& p, int quad, int t) {
    WarpShare s;
    GPU_UNROLL for (int k = 0; k < kQuad; k++) {
      const int begin = first_unit(p, kQuad * quad + k);
      s.first_groups[k] = 2 * begin;
      const uint32_t offset = begin * L::kRecordBytes;
      if (k == 0) s.begin = offset;
      s.offsets[k] = k == 0 ? 0 : compute_now(offset - s.begin);
    }
    const int own = kQuad * quad + t, begin = first_unit(p, own);
    s.own_offset = compute_now(begin * L::kRecordBytes - s.begin);
    s.first_own_group = 2 * begin;
    s.n_steps = (p.n_units + (1 << p.log2_slices) - 1) >> p.log2_slices;
    s.own_steps = compute_now(has_slice(p, own) ? slice_begin<kType>(p, own + 1) - begin : 0);
    return s;
  }

  /// A row may have fewer than four slices.
  GPU_DEVICE bool has_slice(const MatmulParams& p, int slice) {
    return slice >> p.log2_slices == 0;
  }
  GPU_DEVICE int first_unit(const MatmulParams& p, int slice) {
    return has_slice(p, slice) ? slice_begin<kType>(p, slice) : 0;
  }
};

/// The codes of four units, and the scales of the lane's own unit.
template <BlockType kType>
struct FourUnits {
  UnitCodes<kType> codes[kQuad];
  UnitScales<kType> scales;

  /// at: the beginning of the step in the tile.
  GPU_DEVICE FourUnits load(const uint8_t* at, const WarpShare<kType>& s, int lane) {
    FourUnits u;
    GPU_UNROLL for (int k = 0; k < kQuad; k++) u.codes[k] =
        UnitCodes<kType>::load_at(at + s.offsets[k], lane);
    u.scales = UnitScales<kType>::load_at(at + s.own_offset, at + Layout<kType>::kTailOffset, lane);
    return u;
  }
};

/// Loads the weights of a warp's share step by step, from one tile after another. After the last
/// step it loads the last units again: for a conditional load, the compiler would insert a wait
/// immediately.
template <BlockType kType>
struct WeightStream {
  const MatmulParams& p;
  const WarpShare<kType>& share;
  int first_tile, n_tiles, tiles_at_once;  // of the thread block
  int tile, step;                          // of the next load
  const uint8_t* next;

  GPU_DEVICE WeightStream of(const MatmulParams& p, const WarpShare<kType>& share, int n_tiles,
                             int tiles_at_once, int tile) {
    WeightStream s = {p, share, hip::first_tile(p), n_tiles, tiles_at_once, tile, 0, nullptr};
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

}  // namespace hearth::kernels::hip
