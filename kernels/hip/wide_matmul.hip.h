// x * w^T for many tokens: prefill. A block takes as many tiles of 16 rows as it has warps ("32
// lanes") and 32 or 64 tokens. The tokens come to shared memory a unit of columns at a time, the
// next unit under way while this one is multiplied; the weights go from memory to registers and are
// unpacked once for all tokens.
#pragma once

#include "matmul.hip.h"

namespace hearth::kernels::hip {

/// One unit of columns of a block's tokens in shared memory, as in Activations with two groups.
template <int kTokens>
struct TokenUnit {
  static constexpr int kTokenTiles = kTokens / kTileTokens;
  uint4 q[kTokenTiles][2 * kTileTokens * kGroup / 16];
  uint4 scales[kTokenTiles][2 * kTileTokens * sizeof(GroupScale) / 16];
};

/// A thread's part of a unit on its way to shared memory: 16 bytes of every piece that it moves.
template <int kTokens>
struct UnitInFlight {
  using Shared = TokenUnit<kTokens>;
  static constexpr int kTokenTiles = Shared::kTokenTiles;
  static constexpr int kCodes = 2 * kTileTokens * kGroup / 16;  // a token tile
  static constexpr int kScales = 2 * kTileTokens * int(sizeof(GroupScale)) / 16;
  static constexpr int kThreads = 128;  // at least
  uint4 codes[kTokenTiles * kCodes / kThreads], scale;

  GPU_DEVICE UnitInFlight load(const Activations& x, int first_tile, int unit) {
    UnitInFlight u;
    const int64_t tile_groups = static_cast<int64_t>(x.n_groups) * kTileTokens;
    GPU_UNROLL for (int k = 0; k < kTokenTiles * kCodes / kThreads; k++) {
      const int i = threadIdx.x % kThreads + k * kThreads, tile = i / kCodes;
      const int8_t* from =
          x.q + ((first_tile + tile) * tile_groups + 2 * unit * kTileTokens) * kGroup;
      u.codes[k] = reinterpret_cast<const uint4*>(from)[i % kCodes];
    }
    const int tile = threadIdx.x / kScales % kTokenTiles;
    const GroupScale* from = x.scales + (first_tile + tile) * tile_groups + 2 * unit * kTileTokens;
    u.scale = reinterpret_cast<const uint4*>(from)[threadIdx.x % kScales];
    return u;
  }

  GPU_DEVICE void store(const UnitInFlight& u, Shared& to) {
    GPU_UNROLL for (int k = 0; k < kTokenTiles * kCodes / kThreads; k++) {
      const int i = threadIdx.x + k * kThreads;
      if (threadIdx.x < kThreads) to.q[i / kCodes][i % kCodes] = u.codes[k];
    }
    const int tile = threadIdx.x / kScales;
    if (tile < kTokenTiles) to.scales[tile][threadIdx.x % kScales] = u.scale;
  }
};

/// Operand of token g of a tile, and the scales of tokens 2t and 2t + 1.
template <int kTokens>
GPU_DEVICE Operand load_operand(const TokenUnit<kTokens>& unit, int tile, int group, int lane) {
  Operand o;
  const uint2 q = reinterpret_cast<const uint2*>(unit.q[tile])[group * kTileTokens * 4 + lane];
  o.q[0] = q.x, o.q[1] = q.y;
  const uint4 scales = unit.scales[tile][group * kTileTokens / 2 + lane % 4];
  memcpy(o.scales, &scales, sizeof o.scales);
  return o;
}

/// Grid (blocks of tokens, blocks of tiles); a warp a tile. Shared memory: two units of tokens,
/// then the block's sums, where each lane collects its own quads.
template <BlockType kType, int kTokens>
GPU_DEVICE void wide_matmul(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(uint4, shared);
  constexpr int kTokenTiles = kTokens / kTileTokens;
  using Tokens = TokenUnit<kTokens>;
  const int lane = threadIdx.x % GPU_LANES, g = lane / 4, t = lane % 4;
  const int warp = threadIdx.x / GPU_LANES, n_tiles = count_block_tiles(p);
  // Warps without a tile go along with the last one.
  const uint8_t* data = tile_data(p, blockIdx.y * p.block_tiles + min(warp, n_tiles - 1));
  Unit<kType> next = Unit<kType>::load(data, 0, lane);
  let_next_start();
  wait_for_previous();

  Tokens* buffers = reinterpret_cast<Tokens*>(shared);
  const BlockSums block = {reinterpret_cast<float*>(buffers + 2), 1, 1, kTokens | 1};
  const int first_token = blockIdx.x * kTokens, first_tile = blockIdx.x * kTokenTiles;
  const int n_tokens = min(kTokens, p.n_tokens - first_token);
  using InFlight = UnitInFlight<kTokens>;
  InFlight::store(InFlight::load(p.x, first_tile, 0), buffers[0]);
  __syncthreads();

  using Sums = LaneSums<kTokenTiles>;
  Sums sums = {};
  int slice = 0, slice_end = slice_begin(p, 1);
  const auto close_quad = [&] {
    const bool is_first = slice <= kQuad;
    GPU_UNROLL for (int i = 0; i < kTokenTiles; i++) GPU_UNROLL for (int j = 0; j < 4; j++) {
      float* to = BlockSums::at(block, warp, 0, g + j / 2 * 8, kTileTokens * i + 2 * t + j % 2);
      *to = is_first ? sums.quad[i][j] : *to + sums.quad[i][j];
    }
  };
  GPU_NO_UNROLL for (int unit = 0; unit < p.n_units; unit++) {
    // The last unit's are read again: a load under a condition would be waited for at once.
    const bool is_last = unit + 1 == p.n_units;
    const int next_unit = is_last ? unit : unit + 1;
    const Unit<kType> weights = next;
    next = Unit<kType>::load(data, next_unit, lane);
    const InFlight in_flight = InFlight::load(p.x, first_tile, next_unit);
    const Tokens& tokens = buffers[unit % 2];
    GPU_UNROLL for (int group = 0; group < 2; group++) {
      const auto w = GroupWeights<kType>::of(weights, group);
      GPU_UNROLL for (int i = 0; i < kTokenTiles; i++) multiply_group<kType>(
          w, load_operand(tokens, i, group, lane), kTileTokens, sums.slice[i]);
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

}  // namespace hearth::kernels::hip
