// GEMM: x * w^T for more than 8 tokens, that is for prefill (plain::product). A thread block takes
// two or four tiles of 16 rows and 32 or 64 tokens, of which each warp has some (WidePlace). It
// does this:
//
//   for each share of the rows (params.h):
//     for each unit of the share, while the next ones are in flight (wide_units.hip.h):
//       for both groups of the unit, the warp's tiles and its tokens: multiply a fragment; add
//       at the end of a super-block: scale its integer sums
//       at the end of a slice, in other formats: add the slice to its quad
//     add the share to the block's sums in shared memory
//
// Shares are added in rising order, so that a token has the bits that the GEMV gives it. A warp
// unpacks its weights once for all of its tokens, and reads a token's operand once for all of its
// tiles. Where there are few thread blocks, each has several copies of its warps, called splits:
// split s takes shares s, s + n_splits, ... (CUTLASS calls this sliced K), and for each round of
// shares the splits add theirs one after the other.
#pragma once

#include "wide_store.hip.h"
#include "wide_units.hip.h"

namespace hearth::kernels::hip {

/// Multiplies one group and adds it to a lane's sums: sum[i * F::kOwn + j] is of the i-th of its
/// rows in the fragment, and of its j-th token.
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

/// What a warp computes: its tiles times its tokens, of the share so far.
template <BlockType kType, int kTokens, int kTiles, class F>
struct WarpProduct {
  using L = Layout<kType>;
  using Place = WidePlace<kTokens, kTiles, F>;
  using Units = WideUnits<kType, kTokens, kTiles, F>;
  static constexpr int kTokenSteps = Place::kWarpTokens / F::kTokens;
  LaneSums<kTokenSteps * F::kRowTiles, F::kSums> sums;

  /// Both groups of the current unit.
  GPU_MEMBER void multiply(const Units& units, const Place& me) {
    using Weights = GroupWeights<kType, F::kPackedLanes, F::kRows>;
    const auto& tokens = units.tokens();
    GPU_UNROLL for (int group = 0; group < 2; group++) {
      Weights weights[F::kRowTiles];
      GPU_UNROLL for (int k = 0; k < F::kRowTiles; k++) weights[k] =
          Weights::of(units.weights_of(k), group);
      GPU_UNROLL for (int i = 0; i < kTokenSteps; i++) {
        const GroupTokens x =
            GroupTokens::of(tokens, me.token_tile + F::kTokens * i / kTileTokens, group);
        GPU_UNROLL for (int k = 0; k < F::kRowTiles; k++)
            multiply_fragment<kType, F>(weights[k], x, me.lane, sums.slice[k * kTokenSteps + i]);
      }
    }
  }

  /// The super-block that ends with the current unit.
  GPU_MEMBER void close_super_block(const MatmulParams& p, const Units& units, const Place& me,
                                    int unit) {
    const auto& tokens = units.tokens();
    // Recomputed, as keeping it through the loop would take registers (reload_thread()).
    const Place me_again = Place::of_thread();
    const LanePlace place = F::place(me_again.lane);
    GPU_UNROLL for (int k = 0; k < F::kRowTiles; k++) {
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

  /// Adds the share to the thread block's sums, which the row's first share sets.
  GPU_MEMBER void add_to(const WideSums<kTiles>& block_sums, bool is_first) {
    const Place me = Place::of_thread();  // recomputed, as above
    const LanePlace place = F::place(me.lane);
    GPU_UNROLL for (int k = 0; k < F::kRowTiles; k++)
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

/// Grid (n_tokens / kTokens, n_tiles / block_tiles, rounded up): thread blocks with neighbouring x
/// read the same weights. Shared memory: the units in flight, then the factors of the tokens, then
/// the sums.
template <BlockType kType, int kTokens, int kTiles, class F>
GPU_DEVICE void wide_matmul_by(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(uint4, shared);
  using L = Layout<kType>;
  using Product = WarpProduct<kType, kTokens, kTiles, F>;
  using Units = typename Product::Units;
  const int n_shares = 1 << log2_shares<kType>(p);
  const auto me = Product::Place::of_thread();
  ShareCursor ahead = ShareCursor::of<kType>(p, me.split);
  Units units = Units::of(p, me, F::place(me.lane), ahead, shared);
  let_next_start();
  wait_for_previous();
  units.start(p, me, ahead);

  const int n_tokens = min(kTokens, p.n_tokens - static_cast<int>(blockIdx.x) * kTokens);
  float* factors = reinterpret_cast<float*>(Units::end(shared, me.n_splits));
  const WideSums<kTiles> block_sums = {factors + kTokens, factors};
  if (threadIdx.x < n_tokens)
    factors[threadIdx.x] = token_factor(reload(p).norm, reload(p).x.squares, p.x.n_groups,
                                        blockIdx.x * kTokens + threadIdx.x);
  Product product = {};
  // All splits take as many steps as the longest share has units, and as many rounds as the split
  // with the most shares, since all wait at the same barriers.
  const int n_steps = ceil_div(p.n_units / L::kUnits, n_shares) * L::kUnits;
  GPU_NO_UNROLL for (int share = me.split; share - me.split < n_shares; share += me.n_splits) {
    ShareCursor now = ShareCursor::of<kType>(p, share);
    int slice = share * kQuad, slice_end = slice_begin<kType>(p, slice + 1);  // unused if L::kSuper
    GPU_NO_UNROLL for (int step = 0; step < n_steps; step++) {
      units.begin_step(p, me, now, ahead);
      const bool has_unit = now.has_unit();
      if (has_unit) {
        product.multiply(units, me);
        if (is_super_block_end<kType>(now.unit)) product.close_super_block(p, units, me, now.unit);
        now.unit++;
        if (!L::kSuper && now.unit == slice_end) {
          product.sums.close_slice(slice % kQuad == 0);
          slice_end = slice_begin<kType>(p, ++slice + 1);
        }
      }
      units.end_step(has_unit);
    }
    GPU_NO_UNROLL for (int split = 0; split < me.n_splits; split++) {
      if (split == me.split && share < n_shares) product.add_to(block_sums, share == 0);
      if (me.n_splits > 1) __syncthreads();
    }
  }
  if (me.n_splits == 1) __syncthreads();
  store_wide<kTokens, kTiles>(reload(p), block_sums, blockIdx.x * kTokens, n_tokens);
}

template <BlockType kType, int kTokens, int kTiles>
GPU_DEVICE void wide_matmul(const MatmulParams& p) {
#if defined(GPU_EMULATION)
  switch (emulation::matrix_unit()) {
    case emulation::MatrixUnit::kNone:
      return wide_matmul_by<kType, kTokens, kTiles, DotFragment>(p);
    case emulation::MatrixUnit::kQuad:
      return wide_matmul_by<kType, kTokens, kTiles, QuadFragment<true>>(p);
    case emulation::MatrixUnit::kQuadInRegisters:
      return wide_matmul_by<kType, kTokens, kTiles, QuadFragment<false>>(p);
    case emulation::MatrixUnit::kWmma:
      return wide_matmul_by<kType, kTokens, kTiles, WmmaFragment>(p);
    case emulation::MatrixUnit::kWmma12:
      return wide_matmul_by<kType, kTokens, kTiles, Wmma12Fragment>(p);
  }
#else
  wide_matmul_by<kType, kTokens, kTiles, Fragment>(p);
#endif
}

}  // namespace hearth::kernels::hip
