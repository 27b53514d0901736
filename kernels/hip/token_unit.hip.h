// A unit (64 columns) of activations for the GEMM: its layout in shared memory, and the copy
// through registers.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

/// A unit of kTokens tokens in shared memory, in the layout of Activations.
template <int kTokens>
struct TokenUnit {
  static constexpr int kTokenTiles = kTokens / kTileTokens;
  // 16-byte words of a token tile.
  static constexpr int kCodes = 2 * kTileTokens * kGroup / 16;
  static constexpr int kScales = 2 * kTileTokens * int{sizeof(GroupScale)} / 16;
  uint4 q[kTokenTiles][kCodes], scales[kTokenTiles][kScales];
};

/// A view of one group of columns, from some token tile on.
struct GroupTokens {
  const uint4 *q, *scales;  // codes; scales, or null
  int tile_step;            // from one token tile to the next, in q

  template <int kTokens>
  GPU_DEVICE GroupTokens of(const TokenUnit<kTokens>& unit, int tile, int group) {
    using Unit = TokenUnit<kTokens>;
    return {unit.q[tile] + group * Unit::kCodes / 2, unit.scales[tile] + group * Unit::kScales / 2,
            Unit::kCodes};
  }
  /// A token's 32 columns: of every eight bytes, four belong to each half of the group.
  GPU_MEMBER const uint4* columns(int token) const {
    return q + token / kTileTokens * tile_step + token % kTileTokens * (kGroup / 16);
  }
  GPU_MEMBER const GroupScale* scale(int token) const {
    const uint4* tile = scales + token / kTileTokens * TokenUnit<kTileTokens>::kScales;
    return reinterpret_cast<const GroupScale*>(tile) + token % kTileTokens;
  }
};

/// A thread's part of a unit that kThreads threads move from global to shared memory: kOwnCodes
/// words of codes and one word of scales, 16 bytes each.
template <int kTokens, int kThreads>
struct UnitInFlight {
  using Shared = TokenUnit<kTokens>;
  static constexpr int kTokenTiles = Shared::kTokenTiles;
  static constexpr int kCodes = Shared::kCodes, kScales = Shared::kScales;
  static constexpr int kOwnCodes = kTokenTiles * kCodes / kThreads;
  uint4 codes[kOwnCodes], scale;

  GPU_DEVICE UnitInFlight load(const Activations& x, int first_tile, int unit, int thread) {
    UnitInFlight u;
    const int64_t tile_groups = static_cast<int64_t>(x.n_groups) * kTileTokens;
    GPU_UNROLL for (int k = 0; k < kOwnCodes; k++) {
      const int i = thread % kThreads + k * kThreads, tile = i / kCodes;
      const int8_t* from =
          x.q + ((first_tile + tile) * tile_groups + 2 * unit * kTileTokens) * kGroup;
      u.codes[k] = reinterpret_cast<const uint4*>(from)[i % kCodes];
    }
    const int tile = thread / kScales % kTokenTiles;
    const GroupScale* from = x.scales + (first_tile + tile) * tile_groups + 2 * unit * kTileTokens;
    u.scale = reinterpret_cast<const uint4*>(from)[thread % kScales];
    return u;
  }

  GPU_MEMBER void store(int thread, Shared& to) const {
    GPU_UNROLL for (int k = 0; k < kOwnCodes; k++) {
      const int i = thread + k * kThreads;
      if (thread < kThreads) to.q[i / kCodes][i % kCodes] = codes[k];
    }
    const int tile = thread / kScales;
    if (tile < kTokenTiles) to.scales[tile][thread % kScales] = scale;
  }
};

}  // namespace hearth::kernels::hip
