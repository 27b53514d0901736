// x * w^T for many tokens: prefill. A block takes as many tiles of 16 rows as it has times 32
// lanes, and 32 or 64 tokens. The tokens come to shared memory a unit of columns at a time, the
// next unit under way while this one is multiplied; the weights go from memory to registers and are
// unpacked once for all tokens.
#pragma once

#include "fragment.hip.h"
#include "matmul.hip.h"

namespace hearth::kernels::hip {

/// Adds one group to a lane's sums, [row][own token].
template <BlockType kType, class F>
GPU_DEVICE void multiply_fragment(const GroupWeights<kType, F::kParts, F::kRows>& w,
                                  const GroupTokens& tokens, int lane, RowSum (&sum)[F::kSums]) {
  int c[2][F::kSums];
  GPU_UNROLL for (int i = 0; i < F::kSums; i++) c[0][i] = dot_start<kType>(), c[1][i] = 0;
  F::template dots<Layout<kType>::kHalves>(c, w.a, tokens, lane);
  GroupScale scales[F::kOwn] = {};
  if (!Layout<kType>::kSuper) F::scales(scales, tokens, lane);
  GPU_UNROLL for (int i = 0; i < F::kSums; i++) {
    const int dots[2] = {c[0][i], c[1][i]};
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

/// Grid (blocks of tokens, blocks of tiles). Shared memory: two units of tokens, then the block's
/// sums, where each lane collects its own quads.
template <BlockType kType, int kTokens, class F>
GPU_DEVICE void wide_matmul_by(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(uint4, shared);
  constexpr int kSteps = kTokens / F::kTokens;
  using Tokens = TokenUnit<kTokens>;
  using Weights = Unit<kType, F::kParts>;
  const int lane = threadIdx.x % F::kLanes, n_tiles = count_block_tiles(p);
  const LanePlace place = F::place(lane);
  const int tile = threadIdx.x / F::kLanes * F::kTiles + place.tile;
  // Lanes without a tile go along with the last one.
  const uint8_t* data = tile_data(p, blockIdx.y * p.block_tiles + min(tile, n_tiles - 1));
  Weights next = Weights::load(data, 0, place.packed_lane);
  let_next_start();
  wait_for_previous();

  Tokens* buffers = reinterpret_cast<Tokens*>(shared);
  const BlockSums block = {reinterpret_cast<float*>(buffers + 2), 1, 1, kTokens | 1};
  const int first_token = blockIdx.x * kTokens;
  const int first_tile = blockIdx.x * (kTokens / kTileTokens);
  const int n_tokens = min(kTokens, p.n_tokens - first_token);
  using InFlight = UnitInFlight<kTokens>;
  InFlight::store(InFlight::load(p.x, first_tile, 0), buffers[0]);
  __syncthreads();

  using Sums = LaneSums<kSteps, F::kSums>;
  Sums sums = {};
  int slice = 0, slice_end = slice_begin<kType>(p, 1);
  // Slices of block types are added as quads are.
  constexpr int kQuadSlices = Layout<kType>::kSuper ? 1 : kQuad;
  const auto close_quad = [&] {
    const bool is_first = slice <= kQuadSlices;
    GPU_UNROLL for (int i = 0; i < kSteps; i++) GPU_UNROLL for (int j = 0; j < F::kSums; j++) {
      const int row = place.row + j / F::kOwn * 8;
      const int token = F::kTokens * i + place.token + j % F::kOwn * F::kStep;
      float* to = BlockSums::at(block, tile, 0, row, token);
      *to = is_first ? sums.quad[i][j] : *to + sums.quad[i][j];
    }
  };
  GPU_NO_UNROLL for (int unit = 0; unit < p.n_units; unit++) {
    // The last unit's are read again: a load under a condition would be waited for at once.
    const bool is_last = unit + 1 == p.n_units;
    const int next_unit = is_last ? unit : unit + 1;
    Weights weights = next;
    if constexpr (F::kRows == 1) weights = Weights::keep_row(next, (place.row & 8) != 0);
    next = Weights::load(data, next_unit, place.packed_lane);
    const InFlight in_flight = InFlight::load(p.x, first_tile, next_unit);
    const Tokens& tokens = buffers[unit % 2];
    GPU_UNROLL for (int group = 0; group < 2; group++) {
      const auto w = GroupWeights<kType, F::kParts, F::kRows>::of(weights, group);
      GPU_UNROLL for (int i = 0; i < kSteps; i++) multiply_fragment<kType, F>(
          w, GroupTokens::of(tokens, F::kTokens * i, group), lane, sums.slice[i]);
    }
    if (is_block_end<kType>(unit)) {
      GPU_UNROLL for (int i = 0; i < kSteps; i++) close_fragment<kType, F>(
          late(p), data, unit, first_token + F::kTokens * i, weights.scales,
          GroupTokens::of(tokens, F::kTokens * i, 0), lane, sums.slice[i]);
    }
    if (unit + 1 == slice_end) {
      Sums::close_slice(sums, slice % kQuadSlices == 0);
      slice++;
      if (slice % kQuadSlices == 0 || is_last) close_quad();
      slice_end = slice_begin<kType>(p, slice + 1);
    }
    InFlight::store(in_flight, buffers[(unit + 1) % 2]);
    __syncthreads();
  }
  store_block<kTokens>(late(p), block, first_token, n_tokens);
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
