// A warp of the GEMM (wide_matmul.hip.h) multiplies both groups of a unit of its tiles by its
// tokens (WarpProduct), one fragment at a time (multiply_fragment), and ends super-blocks
// (close_fragment), slices (LaneSums) and shares.
#pragma once

#include "wide_store.hip.h"
#include "wide_units.hip.h"

namespace hearth::kernels::hip {

/// Multiplies one group and adds it to a lane's sums: sum[i * F::kOwn + j] is the sum for the
/// lane's i-th row in the fragment and its j-th token (F::kRows, F::kOwn).
template <BlockType kType, class F>
GPU_DEVICE void multiply_fragment(const GroupWeights<kType, F::kPackedLanes, F::kRows>& w,
                                  const GroupTokens& tokens, int lane, RowSum (&sum)[F::kSums]) {
  int c[2][F::kSums];
  F::template dots<Layout<kType>::kHalves>(dot_start<kType>(), c, w.a, tokens, lane);
  GroupScale scales[F::kOwn] = {};
  if (!Layout<kType>::kSuper) F::scales(scales, tokens, lane);
  GPU_UNROLL for (int i = 0; i < F::kSums; i++) {
    const int dots[2] = {c[0][i], Layout<kType>::kHalves ? c[1][i] : 0};
    add_group<kType, true>(sum[i], w.scales[i / F::kOwn], dots, scales[i % F::kOwn]);
  }
}

/// A lane's sums: of the current slice and, in float-scale formats, of the quad of slices so far.
template <int kFragments, int kSums>
struct LaneSums {
  RowSum slice[kFragments][kSums];
  float quad[kFragments][kSums];

  GPU_MEMBER void close_slice(bool is_first) {
    GPU_UNROLL for (int i = 0; i < kFragments; i++) GPU_UNROLL for (int j = 0; j < kSums; j++) {
      quad[i][j] = is_first ? slice[i][j].total : quad[i][j] + slice[i][j].total;
      slice[i][j].total = 0;
    }
  }
};

/// Ends a super-block. The term of its minima is a matrix product of its own:
///   sum over the 16 half groups h of minimum[row][h] * sum_q[h][token]
/// It uses the same fragment: sum_q = kHighSum * high + low is stored as a group whose first half
/// is the low bytes and whose second half the high bytes, so that its two half products are c[0]
/// and c[1].
template <BlockType kType, class F>
GPU_DEVICE void close_fragment(const UnitScales<kType>& w, const int (&minima)[F::kPackedLanes][4],
                               const GroupTokens& half_sums, const GroupTokens& tokens, int lane,
                               RowSum (&sum)[F::kSums]) {
  schedule_fence();
  int c[2][F::kSums] = {};
  if constexpr (Layout<kType>::kMinima) F::template dots<true>(0, c, minima, half_sums, lane);
  GroupScale scales[F::kOwn];
  F::scales(scales, tokens, lane);
  GPU_UNROLL for (int i = 0; i < F::kSums; i++) {
    sum[i].minima = c[0][i] + kHighSum * c[1][i];
    close_block<kType>(sum[i], w.scale(i / F::kOwn, 0), scales[i % F::kOwn].scale);
  }
}

/// The product of a warp's tiles and tokens, over the units of the share so far.
template <BlockType kType, int kTokens, int kTiles, class F>
struct WarpProduct {
  using L = Layout<kType>;
  using Place = WidePlace<kTokens, kTiles, F>;
  using Units = WideUnits<kType, kTokens, kTiles, F>;
  static constexpr int kTokenSteps = Place::kWarpTokens / F::kTokens;
  LaneSums<kTokenSteps * F::kWarpTiles, F::kSums> sums;

  /// Multiplies both groups of the current unit.
  GPU_MEMBER void multiply(const Units& units, const Place& me) {
    using Weights = GroupWeights<kType, F::kPackedLanes, F::kRows>;
    const auto& tokens = units.tokens();
    GPU_UNROLL for (int group = 0; group < 2; group++) {
      Weights weights[F::kWarpTiles];
      GPU_UNROLL for (int k = 0; k < F::kWarpTiles; k++) weights[k] =
          Weights::of(units.weights_of(k), group);
      GPU_UNROLL for (int i = 0; i < kTokenSteps; i++) {
        const GroupTokens x =
            GroupTokens::of(tokens, me.token_tile + F::kTokens * i / kTileTokens, group);
        GPU_UNROLL for (int k = 0; k < F::kWarpTiles; k++)
            multiply_fragment<kType, F>(weights[k], x, me.lane, sums.slice[k * kTokenSteps + i]);
      }
    }
  }

  /// Ends the super-block whose last unit is the current one.
  GPU_MEMBER void close_super_block(const MatmulParams& p, const Units& units, const Place& me,
                                    int unit) {
    const auto& tokens = units.tokens();
    // Recomputed, because keeping it through the loop would take registers (reload_thread()).
    const Place me_again = Place::of_thread();
    const LanePlace place = F::place(me_again.lane);
    GPU_UNROLL for (int k = 0; k < F::kWarpTiles; k++) {
      const auto scales = units.weights_of(k).scales;
      int minima[F::kPackedLanes][4] = {};
      if constexpr (L::kMinima) {
        const int tile = me_again.tile + k;
        load_minima<kType, F>(minima, units.entries_of(reload(p), tile, unit), place);
      }
      GPU_UNROLL for (int i = 0; i < kTokenSteps; i++) {
        const int token_tile = me.token_tile + F::kTokens * i / kTileTokens;
        GroupTokens half_sums = {};
        if constexpr (L::kMinima) half_sums = units.half_sums_of(reload(p), token_tile, unit);
        close_fragment<kType, F>(scales, minima, half_sums, GroupTokens::of(tokens, token_tile, 0),
                                 me_again.lane, sums.slice[k * kTokenSteps + i]);
      }
    }
  }

  /// Adds the share to the thread block's sums. The first share of a row sets them instead.
  GPU_MEMBER void add_to(const WideSums<kTiles>& block_sums, bool is_first) {
    const Place me = Place::of_thread();  // recomputed, as above
    const LanePlace place = F::place(me.lane);
    GPU_UNROLL for (int k = 0; k < F::kWarpTiles; k++)
        GPU_UNROLL for (int i = 0; i < kTokenSteps; i++)
            GPU_UNROLL for (int j = 0; j < F::kSums; j++) {
      const int row = (me.tile + k) * kTileRows + place.row + j / F::kOwn * 8;
      const int token =
          me.token_tile * kTileTokens + F::kTokens * i + place.token + j % F::kOwn * F::kStep;
      float* to = block_sums.at(token, row);
      float& total = sums.slice[k * kTokenSteps + i][j].total;
      const float own = L::kSuper ? total : sums.quad[k * kTokenSteps + i][j];
      *to = is_first ? own : *to + own;
      if constexpr (L::kSuper) total = 0;
    }
  }
};

}  // namespace hearth::kernels::hip
