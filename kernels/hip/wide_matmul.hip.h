// x * w^T for many tokens: prefill. A block takes four tiles of 16 rows and 32 or 64 tokens, and
// goes through them a unit of columns at a time, the next units under way while one is multiplied
// (wide_units.hip.h). Weights are unpacked once for all of a team's tokens, tokens read once for
// all of its tiles. Where there are few blocks, several "ways" of a block's lanes divide the parts
// of each row among themselves, and add them up in turn.
#pragma once

#include "wide_store.hip.h"
#include "wide_units.hip.h"

namespace hearth::kernels::hip {

/// Adds one group to a lane's sums, [row][own token].
template <BlockType kType, class F>
GPU_DEVICE void multiply_fragment(const GroupWeights<kType, F::kParts, F::kRows>& w,
                                  const GroupTokens& tokens, int lane, RowSum (&sum)[F::kSums]) {
  int c[2][F::kSums];
  F::template dots<Layout<kType>::kHalves>(dot_start<kType>(), c, w.a, tokens, lane);
  GroupScale scales[F::kOwn] = {};
  if (!Layout<kType>::kSuper) F::scales(scales, tokens, lane);
  GPU_UNROLL for (int i = 0; i < F::kSums; i++) {
    const int dots[2] = {c[0][i], Layout<kType>::kHalves ? c[1][i] : 0};
    add_group<kType>(sum[i], w.scales[i / F::kOwn], dots, scales[i % F::kOwn]);
  }
}

/// Sums of minimum * q over the block whose last unit this is, [row][own token]. They are added up
/// only here, from what is in memory: each beside another sum of the lane would take too many
/// registers, as would addresses that are kept for it.
template <BlockType kType, class F>
GPU_DEVICE void add_block_minima(const MatmulParams& p, const uint8_t* tile, int last_unit,
                                 int first_token, int (&minima)[F::kSums]) {
  constexpr int kUnits = Layout<kType>::kUnits;
  const LanePlace place = F::place(late_thread() % F::kLanes);
  const int token = first_token + place.token, first_unit = last_unit + 1 - kUnits;
  const Activations& x = p.x;
  const int64_t token_tile = static_cast<int64_t>(x.n_groups) * kTileTokens;
  const GroupScale* from = x.scales + token / kTileTokens * token_tile +
                           2 * first_unit * kTileTokens + token % kTileTokens;
  GPU_UNROLL for (int k = 0; k < kUnits; k++) {
    schedule_fence();
    auto w = UnitScales<kType>::load(tile, first_unit + k, place.packed_lane);
    if constexpr (F::kRows == 1) w = UnitScales<kType>::keep_row(w, (place.row & 8) != 0);
    GPU_UNROLL for (int group = 0; group < 2; group++) {
      GPU_UNROLL for (int j = 0; j < F::kOwn; j++) {
        constexpr int kSteps = kTileTokens / F::kStep;  // of a lane, to the next tile of tokens
        const int at = (2 * k + group) * kTileTokens + j % kSteps * F::kStep;
        const GroupScale own = from[j / kSteps * token_tile + at];
        GPU_UNROLL for (int row = 0; row < F::kRows; row++) {
          int& to = minima[row * F::kOwn + j];
          to = add_minima<kType>(to, UnitScales<kType>::scale(w, row, group), own);
        }
      }
    }
  }
}

/// Ends the block of 256 columns that ends with this unit.
template <BlockType kType, class F>
GPU_DEVICE void close_fragment(const MatmulParams& p, const uint8_t* tile, int unit,
                               int first_token, const UnitScales<kType>& w,
                               const GroupTokens& tokens, int lane, RowSum (&sum)[F::kSums]) {
  schedule_fence();
  int minima[F::kSums] = {};
  if constexpr (Layout<kType>::kMin) add_block_minima<kType, F>(p, tile, unit, first_token, minima);
  GroupScale scales[F::kOwn];
  F::scales(scales, tokens, lane);
  GPU_UNROLL for (int i = 0; i < F::kSums; i++) close_block<kType>(
      sum[i], minima[i], UnitScales<kType>::scale(w, i / F::kOwn, 0), scales[i % F::kOwn].scale);
}

/// Grid (blocks of tokens, blocks of tiles): neighbours share weights. Shared memory: the units
/// that are under way, then the block's sums.
template <BlockType kType, int kTokens, class F>
GPU_DEVICE void wide_matmul_by(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(uint4, shared);
  using Place = WidePlace<kTokens, F>;
  using Units = typename WideUnitsOf<kType, kTokens, F>::Type;
  using Weights = GroupWeights<kType, F::kParts, F::kRows>;
  constexpr int kSteps = Place::kTeamTokens / F::kTokens;
  constexpr bool kBlocks = Layout<kType>::kSuper;  // a part is a slice, else a quad
  const int n_parts = 1 << log2_parts<kType>(p);
  const Place w = Place::of();
  WayCursor ahead = WayCursor::of<kType>(p, w.way);
  Units units = Units::of(p, w, F::place(w.lane), ahead, shared);
  let_next_start();
  wait_for_previous();
  Units::start(units, p, w, ahead);

  const WideSums block = {reinterpret_cast<float*>(Units::end(shared, w.n_ways))};
  using Sums = LaneSums<kSteps * F::kRowTiles, F::kSums>;
  Sums sums = {};
  const auto hand_in = [&](bool is_first) {
    const Place again = Place::of();
    const LanePlace place = F::place(again.lane);
    GPU_UNROLL for (int k = 0; k < F::kRowTiles; k++) GPU_UNROLL for (int i = 0; i < kSteps; i++)
        GPU_UNROLL for (int j = 0; j < F::kSums; j++) {
      const int row = (again.tile + place.tile + k) * kTileRows + place.row + j / F::kOwn * 8;
      const int token =
          again.token_tile * kTileTokens + F::kTokens * i + place.token + j % F::kOwn * F::kStep;
      float* to = WideSums::at(block, token, row);
      float& total = sums.slice[k * kSteps + i][j].total;
      const float part = kBlocks ? total : sums.quad[k * kSteps + i][j];
      *to = is_first ? part : *to + part;
      if constexpr (kBlocks) total = 0;
    }
  };
  // All ways go through as many steps as the longest part has units.
  constexpr int kUnits = Layout<kType>::kUnits;
  const int n_steps = (p.n_units / kUnits + n_parts - 1) / n_parts * kUnits;
  GPU_NO_UNROLL for (int part = w.way; part - w.way < n_parts; part += w.n_ways) {
    WayCursor now = WayCursor::of<kType>(p, part);
    int slice = part * kQuad, slice_end = slice_begin<kType>(p, slice + 1);
    GPU_NO_UNROLL for (int step = 0; step < n_steps; step++) {
      Units::begin_step(units, p, w, now, ahead);
      const bool has_unit = WayCursor::has_unit(now);
      if (has_unit) {
        const auto& tokens = Units::tokens_of(units);
        GPU_UNROLL for (int group = 0; group < 2; group++) {
          Weights weights[F::kRowTiles];
          GPU_UNROLL for (int k = 0; k < F::kRowTiles; k++) weights[k] =
              Weights::of(Units::weights_of(units, k), group);
          GPU_UNROLL for (int i = 0; i < kSteps; i++) {
            const GroupTokens x =
                GroupTokens::of(tokens, w.token_tile + F::kTokens * i / kTileTokens, group);
            GPU_UNROLL for (int k = 0; k < F::kRowTiles; k++)
                multiply_fragment<kType, F>(weights[k], x, w.lane, sums.slice[k * kSteps + i]);
          }
        }
        if (is_block_end<kType>(now.unit)) {
          const Place again = Place::of();
          const int tile = again.tile + F::place(again.lane).tile;
          GPU_UNROLL for (int k = 0; k < F::kRowTiles; k++) {
            const uint8_t* data = wide_tile(late(p), tile + k);
            const auto scales = Units::weights_of(units, k).scales;
            GPU_UNROLL for (int i = 0; i < kSteps; i++) {
              const int token_tile = w.token_tile + F::kTokens * i / kTileTokens;
              close_fragment<kType, F>(
                  late(p), data, now.unit, blockIdx.x * kTokens + token_tile * kTileTokens, scales,
                  GroupTokens::of(tokens, token_tile, 0), w.lane, sums.slice[k * kSteps + i]);
            }
          }
        }
        now.unit++;
        if (!kBlocks && now.unit == slice_end) {
          Sums::close_slice(sums, slice % kQuad == 0);
          slice_end = slice_begin<kType>(p, ++slice + 1);
        }
      }
      Units::end_step(units, has_unit);
    }
    GPU_NO_UNROLL for (int way = 0; way < w.n_ways; way++) {
      if (way == w.way && part < n_parts) hand_in(part == 0);
      if (w.n_ways > 1) __syncthreads();
    }
  }
  if (w.n_ways == 1) __syncthreads();
  store_wide<kTokens>(late(p), block, blockIdx.x * kTokens,
                      min(kTokens, p.n_tokens - static_cast<int>(blockIdx.x) * kTokens));
}

template <BlockType kType, int kTokens>
GPU_DEVICE void wide_matmul(const MatmulParams& p) {
#if defined(GPU_EMULATION)
  switch (emulation::matrix_unit()) {
    case emulation::MatrixUnit::kNone:
      return wide_matmul_by<kType, kTokens, DotFragment>(p);
    case emulation::MatrixUnit::kQuad:
      return wide_matmul_by<kType, kTokens, QuadFragment>(p);
    case emulation::MatrixUnit::kMfma:
      return wide_matmul_by<kType, kTokens, MfmaFragment>(p);
    case emulation::MatrixUnit::kWmma:
      return wide_matmul_by<kType, kTokens, WmmaFragment>(p);
    case emulation::MatrixUnit::kWmma12:
      return wide_matmul_by<kType, kTokens, Wmma12Fragment>(p);
  }
#else
  wide_matmul_by<kType, kTokens, Fragment>(p);
#endif
}

}  // namespace hearth::kernels::hip
