// A lane of the GEMV (matvec.hip.h) unpacks the four units of a step (FourWords), multiplies them
// with the token (add_four_groups) and adds up a tile's sums (TileSum).
#pragma once

#include "four_units.hip.h"
#include "mma.hip.h"

namespace hearth::kernels::hip {

/// The operand words of both groups of four units, unpacked. The registers of the packed words are
/// then free for the next load.
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

/// A warp's sums over a tile so far:
///
///   lane                  4g            4g + 1        4g + 2        4g + 3
///   float-scale formats   slice 0       slice 1       slice 2       slice 3      rows g, g + 8
///   super-block formats   row g         row g         row g + 8     row g + 8    the whole slice
template <BlockType kType>
struct TileSum {
  using L = Layout<kType>;
  float total[L::kSuper ? 1 : 2];

  /// Adds both groups of a step. has_step: whether slice t has this step.
  GPU_MEMBER void add(const FourWords<kType>& w, const FourSources& inputs, int at,
                      const GroupScale* x_scales, bool has_step) {
    RowSum sums[2] = {};  // of rows g and g + 8
    if constexpr (!L::kSuper) sums[0].total = total[0], sums[1].total = total[1];
    const GroupScale scales[2] = {x_scales[at], x_scales[at + 1]};
    add_four_groups<kType, 0>(w, inputs.load(at), scales[0], sums);
    add_four_groups<kType, 1>(w, inputs.load(at + 1), scales[1], sums);
    if constexpr (L::kSuper)
      add_block(w, sums, scales[0].scale);
    else
      GPU_UNROLL for (int row = 0; row < 2; row++) total[row] =
          has_step ? sums[row].total : total[row];
  }

  /// The first row of the tile whose sum the lane writes, if it writes any.
  GPU_DEVICE int row_of(int lane) { return lane / 4 + (L::kSuper ? lane % 4 / 2 * 8 : 0); }
  /// Stores the sum of the warp's slice, or quad of slices, and resets it. `to` is the place of row
  /// row_of(lane); in float-scale formats the lane also stores the row 8 below.
  GPU_MEMBER void close(float* to) {
    const int lane = threadIdx.x % GPU_LANES, g = lane / 4, t = lane % 4;
    if constexpr (L::kSuper) {
      if (t % 2 == 0) *to = total[0];
      total[0] = 0;
    } else {
      GPU_UNROLL for (int row = 0; row < 2; row++) {
        float sum = shuffle(total[row], g * 4);  // missing slices have 0
        GPU_UNROLL for (int k = 1; k < kQuad; k++) sum += shuffle(total[row], g * 4 + k);
        if (t == 0) to[8 * row] = sum;
        total[row] = 0;
      }
    }
  }

 private:
  /// Adds a super-block; each of the four lanes has summed one of its units.
  GPU_MEMBER void add_block(const FourWords<kType>& w, const RowSum (&units)[2], float x_scale) {
    const bool is_upper = threadIdx.x % 4 >= 2;
    // d and dmin of the lane's row; all groups of a super-block share them.
    const RowScale row = w.scales.keep_row(is_upper).scale(0, 0);
    RowSum sum = {total[0], sum_of_row(units[0].scaled, units[1].scaled, is_upper), 0};
    if (L::kMin) sum.minima = sum_of_row(units[0].minima, units[1].minima, is_upper);
    close_block<kType>(sum, row, x_scale);
    total[0] = sum.total;
  }

  /// Sums both rows' portions over a quad of lanes: the lower two lanes get the first row's sum,
  /// the upper two the second row's.
  GPU_DEVICE int sum_of_row(int first, int second, bool is_upper) {
    const int sum = (is_upper ? second : first) + shuffle_xor(is_upper ? first : second, 2);
    return sum + shuffle_xor(sum, 1);
  }
};

}  // namespace hearth::kernels::hip
