// GEMM: x * w^T for more than 8 tokens, that is for prefill. A thread block takes two or four tiles
// of 16 rows and 32 or 64 tokens, and goes through the columns a unit at a time; the next units are
// in flight while one is multiplied (wide_units.hip.h). A team (the lanes of a fragment) unpacks
// its weights once for all of its tokens, and reads a token's operand once for all of its tiles.
// Where there are few thread blocks, each has several "splits" (sets of teams), which divide the
// parts of each row among themselves (split-K inside a thread block, CUTLASS's sliced K) and add
// their sums in turn.
#pragma once

#include "wide_store.hip.h"
#include "wide_units.hip.h"

namespace hearth::kernels::hip {

/// Multiplies one group and adds it to a lane's sums, [row][own token].
template <BlockType kType, class F>
GPU_DEVICE void multiply_fragment(const GroupWeights<kType, F::kParts, F::kRows>& w,
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

/// A lane's sums: of the current slice, and of the quad so far.
template <int kTokenTiles, int kSums>
struct LaneSums {
  RowSum slice[kTokenTiles][kSums];
  float quad[kTokenTiles][kSums];

  GPU_MEMBER void close_slice(bool is_first) {
    GPU_UNROLL for (int i = 0; i < kTokenTiles; i++) GPU_UNROLL for (int j = 0; j < kSums; j++) {
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
GPU_DEVICE void close_fragment(const UnitScales<kType>& w, const int (&minima)[F::kParts][4],
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

/// Grid (thread blocks of tokens, thread blocks of tiles): neighbours share weights. Shared memory:
/// the units in flight, then the factors of the tokens, then the sums.
template <BlockType kType, int kTokens, int kTiles, class F>
GPU_DEVICE void wide_matmul_by(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(uint4, shared);
  using Place = WidePlace<kTokens, kTiles, F>;
  using Units = WideUnits<kType, kTokens, kTiles, F>;
  using Weights = GroupWeights<kType, F::kParts, F::kRows>;
  constexpr int kSteps = Place::kTeamTokens / F::kTokens;
  constexpr bool kBlocks = Layout<kType>::kSuper;  // then a part is a slice, else a quad
  const int n_parts = 1 << log2_parts<kType>(p);
  const Place w = Place::of();
  PartCursor ahead = PartCursor::of<kType>(p, w.split);
  Units units = Units::of(p, w, F::place(w.lane), ahead, shared);
  let_next_start();
  wait_for_previous();
  units.start(p, w, ahead);

  using Block = WideSums<kTiles>;
  const int n_tokens = min(kTokens, p.n_tokens - static_cast<int>(blockIdx.x) * kTokens);
  float* factors = reinterpret_cast<float*>(Units::end(shared, w.n_splits));
  const Block block = {factors + kTokens, factors};
  if (threadIdx.x < n_tokens)
    factors[threadIdx.x] = token_factor(reload(p).norm, reload(p).x.squares, p.x.n_groups,
                                        blockIdx.x * kTokens + threadIdx.x);
  using Sums = LaneSums<kSteps * F::kRowTiles, F::kSums>;
  Sums sums = {};
  const auto add_to_block = [&](bool is_first) {
    // Recomputed, as keeping it through the loop would take registers (reload_thread()).
    const Place again = Place::of();
    const LanePlace place = F::place(again.lane);
    GPU_UNROLL for (int k = 0; k < F::kRowTiles; k++) GPU_UNROLL for (int i = 0; i < kSteps; i++)
        GPU_UNROLL for (int j = 0; j < F::kSums; j++) {
      const int row = (again.tile + place.tile + k) * kTileRows + place.row + j / F::kOwn * 8;
      const int token =
          again.token_tile * kTileTokens + F::kTokens * i + place.token + j % F::kOwn * F::kStep;
      float* to = block.at(token, row);
      float& total = sums.slice[k * kSteps + i][j].total;
      const float part = kBlocks ? total : sums.quad[k * kSteps + i][j];
      *to = is_first ? part : *to + part;
      if constexpr (kBlocks) total = 0;
    }
  };
  // All splits take as many steps as the longest part has units, since they share barriers.
  constexpr int kUnits = Layout<kType>::kUnits;
  const int n_steps = (p.n_units / kUnits + n_parts - 1) / n_parts * kUnits;
  GPU_NO_UNROLL for (int part = w.split; part - w.split < n_parts; part += w.n_splits) {
    PartCursor now = PartCursor::of<kType>(p, part);
    int slice = part * kQuad, slice_end = slice_begin<kType>(p, slice + 1);
    GPU_NO_UNROLL for (int step = 0; step < n_steps; step++) {
      units.begin_step(p, w, now, ahead);
      const bool has_unit = now.has_unit();
      if (has_unit) {
        const auto& tokens = units.tokens_of();
        GPU_UNROLL for (int group = 0; group < 2; group++) {
          Weights weights[F::kRowTiles];
          GPU_UNROLL for (int k = 0; k < F::kRowTiles; k++) weights[k] =
              Weights::of(units.weights_of(k), group);
          GPU_UNROLL for (int i = 0; i < kSteps; i++) {
            const GroupTokens x =
                GroupTokens::of(tokens, w.token_tile + F::kTokens * i / kTileTokens, group);
            GPU_UNROLL for (int k = 0; k < F::kRowTiles; k++)
                multiply_fragment<kType, F>(weights[k], x, w.lane, sums.slice[k * kSteps + i]);
          }
        }
        if (is_block_end<kType>(now.unit)) {
          const Place again = Place::of();
          const LanePlace place = F::place(again.lane);
          GPU_UNROLL for (int k = 0; k < F::kRowTiles; k++) {
            const auto scales = units.weights_of(k).scales;
            int minima[F::kParts][4] = {};
            if constexpr (Layout<kType>::kMinima) {
              const int tile = again.tile + place.tile + k;
              load_minima<kType, F>(minima, units.entries_of(reload(p), tile, now.unit), place);
            }
            GPU_UNROLL for (int i = 0; i < kSteps; i++) {
              const int token_tile = w.token_tile + F::kTokens * i / kTileTokens;
              GroupTokens half_sums = {};
              if constexpr (Layout<kType>::kMinima)
                half_sums = units.half_sums_of(reload(p), token_tile, now.unit);
              close_fragment<kType, F>(scales, minima, half_sums,
                                       GroupTokens::of(tokens, token_tile, 0), again.lane,
                                       sums.slice[k * kSteps + i]);
            }
          }
        }
        now.unit++;
        if (!kBlocks && now.unit == slice_end) {
          sums.close_slice(slice % kQuad == 0);
          slice_end = slice_begin<kType>(p, ++slice + 1);
        }
      }
      units.end_step(has_unit);
    }
    GPU_NO_UNROLL for (int split = 0; split < w.n_splits; split++) {
      if (split == w.split && part < n_parts) add_to_block(part == 0);
      if (w.n_splits > 1) __syncthreads();
    }
  }
  if (w.n_splits == 1) __syncthreads();
  store_wide<kTokens, kTiles>(reload(p), block, blockIdx.x * kTokens, n_tokens);
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
    case emulation::MatrixUnit::kMfma:
      return wide_matmul_by<kType, kTokens, kTiles, MfmaFragment>(p);
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
