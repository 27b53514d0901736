// x * w^T for one token: decoding. The weights stream through once; everything serves that. A warp
// ("32 lanes") goes through four slices of a tile's columns at once (mma.hip.h: four_dots), its
// lane t keeping the sums of slice t; with 16 slices four warps share a tile. Of block types a warp
// goes through one slice, four units of a block at once. A block takes several tiles, so that its
// token is brought to shared memory once for all of them.
#pragma once

#include "block_tiles.hip.h"
#include "mma.hip.h"
#include "weights.hip.h"

namespace hearth::kernels::hip {

/// What a warp goes through at once, a step after the other: a unit of each of its four slices, or
/// the four units of a block of its one slice, which thus are read as if they were slices, too.
/// Lane t has the scales, and gets the sums, of number t.
template <BlockType kType>
struct WarpShare;

/// First units. A slice has n_steps of them, or one less: it then reads its last one again. These
/// numbers wait in shared memory, 32 bytes a part, for whoever needs them: in registers there is no
/// room while the block's token is quantized, and to compute them anew takes a hundred
/// instructions.
template <BlockType kType>
requires(!Layout<kType>::kSuper) struct WarpShare<kType> {
  int begin[kQuad], own_begin;  // own: of slice t
  int marks;                    // a bit a slice: one unit less; then a bit a slice: not there
  int n_steps;

  GPU_DEVICE WarpShare of(const MatmulParams& p, int part, int t) {
    int begin[kQuad], marks = 0;
    GPU_UNROLL for (int k = 0; k < kQuad; k++) {
      const int slice = kQuad * part + k;
      const bool is_there = slice >> p.log2_slices == 0;
      begin[k] = is_there ? slice_begin<kType>(p, slice) : 0;
      const int n = slice_begin<kType>(p, slice + 1) - begin[k];
      marks |= is_there ? (n < count_steps(p)) << k : 1 << (k + kQuad);
    }
    return make(begin[0], begin[1], begin[2], begin[3], marks, p, t);
  }
  GPU_DEVICE void keep(const WarpShare& s, uint4* kept, int part) {
    kept[2 * part] = {uint32_t(s.begin[0]), uint32_t(s.begin[1]), uint32_t(s.begin[2]),
                      uint32_t(s.begin[3])};
    kept[2 * part + 1].x = uint32_t(s.marks);
  }
  GPU_DEVICE WarpShare take(const WarpShare&, const MatmulParams& p, const uint4* kept, int part,
                            int t) {
    const uint4 b = kept[2 * part];
    return make(int(b.x), int(b.y), int(b.z), int(b.w), int(kept[2 * part + 1].x), p, t);
  }

  /// Where the units of a step are counted from, and which they are.
  GPU_DEVICE const uint8_t* base(const WarpShare&, const uint8_t* tile, int) { return tile; }
  GPU_DEVICE int unit(const WarpShare& s, int step, int k) {
    return s.begin[k] + step - (ended(s, step) >> k & 1);
  }
  GPU_DEVICE int own_unit(const WarpShare& s, int step, int t) {
    return s.own_begin + step - (ended(s, step) >> t & 1);
  }
  /// Columns from a step to the next, and those of number k at first, in groups.
  static constexpr int kStepGroups = 2;
  GPU_DEVICE int first_group(const WarpShare& s, int k) { return 2 * s.begin[k]; }
  GPU_DEVICE int first_own_group(const WarpShare& s, int) { return 2 * s.own_begin; }
  GPU_DEVICE bool is_there(const WarpShare& s, int step, int t) {
    return ((ended(s, step) | s.marks >> kQuad) >> t & 1) == 0;
  }

 private:
  GPU_DEVICE WarpShare make(int a, int b, int c, int d, int marks, const MatmulParams& p, int t) {
    const int low = t & 1 ? b : a, high = t & 1 ? d : c;
    return {{a, b, c, d}, t & 2 ? high : low, marks, count_steps(p)};
  }
  GPU_DEVICE int count_steps(const MatmulParams& p) {
    return (p.n_units + (1 << p.log2_slices) - 1) >> p.log2_slices;
  }
  GPU_DEVICE int ended(const WarpShare& s, int step) { return step + 1 == s.n_steps ? s.marks : 0; }
};

template <BlockType kType>
requires(Layout<kType>::kSuper) struct WarpShare<kType> {
  int begin, n_steps;

  GPU_DEVICE WarpShare of(const MatmulParams& p, int part, int) {
    const int begin = slice_begin<kType>(p, part);
    return {begin, (slice_begin<kType>(p, part + 1) - begin) / kBlockUnits};
  }
  GPU_DEVICE void keep(const WarpShare&, uint4*, int) {}
  GPU_DEVICE WarpShare take(const WarpShare& s, const MatmulParams&, const uint4*, int, int) {
    return s;
  }
  GPU_DEVICE const uint8_t* base(const WarpShare& s, const uint8_t* tile, int step) {
    return record_of<kType>(tile, s.begin + kBlockUnits * step);
  }
  GPU_DEVICE int unit(const WarpShare&, int, int k) { return k; }
  GPU_DEVICE int own_unit(const WarpShare&, int, int t) { return t; }
  static constexpr int kStepGroups = kBlockGroups;
  GPU_DEVICE int first_group(const WarpShare& s, int k) { return 2 * (s.begin + k); }
  GPU_DEVICE int first_own_group(const WarpShare& s, int t) { return 2 * (s.begin + t); }
  GPU_DEVICE bool is_there(const WarpShare&, int, int) { return true; }
};

/// Four units; scales are those of number t.
template <BlockType kType>
struct FourUnits {
  UnitCodes<kType> codes[kQuad];
  UnitScales<kType> scales;

  /// Slices that have ended read their last unit again: loads without conditions can all be under
  /// way together, and what comes of them is dropped.
  GPU_DEVICE FourUnits load(const uint8_t* tile, const WarpShare<kType>& s, int step, int lane) {
    using Share = WarpShare<kType>;
    const uint8_t* base = Share::base(s, tile, step);
    FourUnits u;
    GPU_UNROLL for (int k = 0; k < kQuad; k++) u.codes[k] =
        UnitCodes<kType>::load(base, Share::unit(s, step, k), lane);
    u.scales = UnitScales<kType>::load(base, Share::own_unit(s, step, lane % 4), lane);
    return u;
  }
};

/// Whether an offset is taken off a block's dots, for which the sums of its inputs are at hand, and
/// not off each weight.
template <BlockType kType>
constexpr bool kOffsetAfter = Layout<kType>::kHalves&& Layout<kType>::kTraits.offset != 0;

/// The operand words of both groups of four units, unpacked so that the next ones can be loaded.
template <BlockType kType>
struct FourWords {
  int a[2][kQuad][4];
  UnitScales<kType> scales;

  GPU_DEVICE FourWords of(const FourUnits<kType>& u) {
    FourWords w;
    w.scales = u.scales;
    GPU_UNROLL for (int group = 0; group < 2; group++) GPU_UNROLL for (int k = 0; k < kQuad; k++)
        GPU_UNROLL for (int i = 0; i < 4; i++) w.a[group][k][i] =
        UnitCodes<kType>::template word<kOffsetAfter<kType>>(u.codes[k], group, i);
    return w;
  }
};

/// Adds the group's dots of number t to the sums of rows g and g + 8.
template <BlockType kType>
GPU_DEVICE void add_four_groups(const FourWords<kType>& w, int group, const FourInputs& x,
                                const GroupScale& x_scale, RowSum (&sum)[2], int (&minima)[2]) {
  int dots[2][2];  // of the group, or of its two halves
  if constexpr (Layout<kType>::kHalves) {
    four_dots_16(dots[0], w.a[group], x, 0);
    four_dots_16(dots[1], w.a[group], x, 1);
  } else {
    four_dots_32(dots[0], w.a[group], x, dot_start<kType>());
    dots[1][0] = dots[1][1] = 0;
  }
  GPU_UNROLL for (int row = 0; row < 2; row++) {
    int both[2] = {dots[0][row], dots[1][row]};
    GPU_UNROLL for (int half = 0; half < 2; half++) if (kOffsetAfter<kType>) both[half] -=
        Layout<kType>::kTraits.offset * x_scale.sums[half];
    const RowScale scale = UnitScales<kType>::scale(w.scales, row, group);
    add_group<kType>(sum[row], scale, both, x_scale);
    if (Layout<kType>::kSuper) minima[row] = add_minima<kType>(minima[row], scale, x_scale);
  }
}

/// What a warp has added up of a tile. A lane has the sums of rows g and g + 8 over slice t; of a
/// block type, where the four lanes of a row have a unit each, lanes 0 and 1 those of row g and
/// lanes 2 and 3 those of row g + 8, over the whole slice.
template <BlockType kType>
struct TileSum {
  static constexpr bool kBlocks = Layout<kType>::kSuper;
  float total[kBlocks ? 1 : 2];

  /// Both groups of a step. is_there: of slice t.
  GPU_DEVICE void add(TileSum& s, const FourWords<kType>& w, const FourSources& inputs, int at,
                      const GroupScale* x_scales, bool is_there) {
    RowSum sums[2] = {};
    int both_minima[2] = {};
    if constexpr (!kBlocks) sums[0].total = s.total[0], sums[1].total = s.total[1];
    float x_scale = 0;
    GPU_UNROLL for (int group = 0; group < 2; group++) {
      const GroupScale scale = x_scales[at + group];
      add_four_groups<kType>(w, group, FourSources::load(inputs, at + group), scale, sums,
                             both_minima);
      x_scale = scale.scale;
    }
    if constexpr (kBlocks) {
      const bool is_upper = threadIdx.x % 4 >= 2;
      const RowScale row =
          UnitScales<kType>::scale(UnitScales<kType>::keep_row(w.scales, is_upper), 0, 0);
      const int scaled = sum_of_row(sums[0].scaled, sums[1].scaled, is_upper);
      const int minima =
          Layout<kType>::kMin ? sum_of_row(both_minima[0], both_minima[1], is_upper) : 0;
      s.total[0] = add_block<kType>(s.total[0], scaled, minima, row, x_scale);
    } else {
      GPU_UNROLL for (int row = 0; row < 2; row++) s.total[row] =
          is_there ? sums[row].total : s.total[row];
    }
  }

  /// Writes the sum of the warp's slice, or quad of slices, and begins anew.
  GPU_DEVICE void close(TileSum& s, const MatmulParams& p, const BlockSums& to, int tile,
                        int part) {
    const int lane = threadIdx.x % GPU_LANES, g = lane / 4, t = lane % 4;
    if constexpr (kBlocks) {
      if (t % 2 == 0) *BlockSums::at(to, tile, part, g + 4 * t, 0) = s.total[0];
      s.total[0] = 0;
    } else {
      GPU_UNROLL for (int row = 0; row < 2; row++) {
        float total = shuffle(s.total[row], g * 4);
        GPU_UNROLL for (int k = 1; k < kQuad; k++) {
          const float slice = shuffle(s.total[row], g * 4 + k);
          if (k >> p.log2_slices == 0) total += slice;
        }
        if (t == 0) *BlockSums::at(to, tile, part, g + 8 * row, 0) = total;
        s.total[row] = 0;
      }
    }
  }

 private:
  /// Of four lanes with a part each of both rows' sums: the lower two get the first row's.
  GPU_DEVICE int sum_of_row(int first, int second, bool is_upper) {
    const int sum = (is_upper ? second : first) + shuffle_xor(is_upper ? first : second, 2);
    return sum + shuffle_xor(sum, 1);
  }
};

/// Grid (1, blocks of tiles). Shared memory: the slices, the token and its squares, the block's
/// sums, rows of q, k and v.
template <BlockType kType>
GPU_DEVICE void matvec(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(uint4, shared);
  const int lane = threadIdx.x % GPU_LANES, t = lane % 4;
  const int warp = threadIdx.x / GPU_LANES, n_warps = blockDim.x / GPU_LANES;
  const int log2_n = log2_parts<kType>(p), n_parts = 1 << log2_n, part = warp & (n_parts - 1);
  const int n_tiles = count_block_tiles(p), tiles_at_once = n_warps >> log2_n;
  const int first = blockIdx.y * p.block_tiles;
  using Share = WarpShare<kType>;
  const Share first_share = Share::of(p, part, t);
  // Steps in flight, of four units each: what 128 registers a thread leave room for.
  constexpr int kDepth = Layout<kType>::kHalves ? 1 : 2;
  // Words that need no unpacking are used where they have been loaded.
  constexpr bool kInPlace = Layout<kType>::kTraits.low == 8;
  int next_tile = warp >> log2_n, next_step = 0;
  const uint8_t* data = tile_data(p, first + min(next_tile, n_tiles - 1));
  // At the end it reads the last units again: a load under a condition would be waited for at once.
  const auto load_next = [&](FourUnits<kType>& u, const Share& share) {
    u = FourUnits<kType>::load(data, share, next_step, lane);
    const bool is_end = next_step + 1 == share.n_steps;
    if (is_end && next_tile + tiles_at_once >= n_tiles) return;
    next_step = is_end ? 0 : next_step + 1;
    if (is_end) data = tile_data(p, first + (next_tile += tiles_at_once));
  };
  FourUnits<kType> ring[kDepth];
  GPU_UNROLL for (int i = 0; i < kDepth; i++) load_next(ring[i], first_share);
  let_next_start();
  uint8_t* bytes = reinterpret_cast<uint8_t*>(shared);
  const BlockSums sums = {reinterpret_cast<float*>(bytes + p.input_bytes), n_parts, 1, 1};
  QkvRow* qkv_rows = reinterpret_cast<QkvRow*>(sums.data + p.block_tiles * n_parts * kTileRows);
  uint4 *kept = shared, *squares = shared + kSliceBytes / 16;
  if (lane == 0) Share::keep(first_share, kept, part);
  if (p.epilogue.kind == EpilogueKind::kQkv) load_qkv_rows<1>(late(p), n_tiles, 1, qkv_rows);
  prefetch_norm(late(p));
  const int before = place_before<1>(late(p), n_tiles, 1);
  wait_for_previous();

  const Activations x = stage_tokens<kType>(late(p), 1, squares);
  const EarlyRows early = {qkv_rows, late(p).epilogue.out[before],
                           reinterpret_cast<const float*>(squares)};
  const auto take_share = [&] { return Share::take(first_share, late(p), kept, part, t); };
  int first_groups[kQuad];
  GPU_UNROLL for (int k = 0; k < kQuad; k++) first_groups[k] = Share::first_group(take_share(), k);
  const FourSources inputs = FourSources::of(x.q, first_groups, lane);
  int tile = warp >> log2_n, step = 0;
  using Sum = TileSum<kType>;
  Sum sum = {};
  const auto multiply = [&](FourUnits<kType>& from) {
    const auto w = FourWords<kType>::of(from);
    const Share share = take_share();
    if (!kInPlace) load_next(from, share);
    const GroupScale* x_scales = x.scales + Share::first_own_group(share, t);
    Sum::add(sum, w, inputs, Share::kStepGroups * step, x_scales, Share::is_there(share, step, t));
    if (kInPlace) load_next(from, share);
    if (++step < share.n_steps) return;
    Sum::close(sum, p, sums, tile, part);
    step = 0, tile += tiles_at_once;
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
  store_block<1>(late(p), sums, 1, early);
}

}  // namespace hearth::kernels::hip
