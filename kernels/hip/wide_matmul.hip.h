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
                                  const GroupTokens& tokens, int lane, float (&sum)[F::kSums]) {
  int c[2][F::kSums];
  GPU_UNROLL for (int i = 0; i < F::kSums; i++) c[0][i] = dot_start<kType>(), c[1][i] = 0;
  F::template dots<Layout<kType>::kHalves>(c, w.a, tokens, lane);
  GroupScale scales[F::kOwn];
  F::scales(scales, tokens, lane);
  GPU_UNROLL for (int i = 0; i < F::kSums; i++) {
    const int dots[2] = {c[0][i], c[1][i]};
    sum[i] = add_group<kType>(sum[i], w.scales[i / F::kOwn], dots, scales[i % F::kOwn]);
  }
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
  int slice = 0, slice_end = slice_begin(p, 1);
  const auto close_quad = [&] {
    const bool is_first = slice <= kQuad;
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
    if constexpr (F::kRows == 1) weights = Weights::keep_row(next, place.row >= 8);
    next = Weights::load(data, next_unit, place.packed_lane);
    const InFlight in_flight = InFlight::load(p.x, first_tile, next_unit);
    const Tokens& tokens = buffers[unit % 2];
    GPU_UNROLL for (int group = 0; group < 2; group++) {
      const auto w = GroupWeights<kType, F::kParts, F::kRows>::of(weights, group);
      GPU_UNROLL for (int i = 0; i < kSteps; i++) multiply_fragment<kType, F>(
          w, GroupTokens::of(tokens, F::kTokens * i, group), lane, sums.slice[i]);
    }
    if (unit + 1 == slice_end) {
      Sums::close_slice(sums, slice % kQuad == 0);
      slice++;
      if (slice % kQuad == 0 || is_last) close_quad();
      slice_end = slice_begin(p, slice + 1);
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
