// Raising (low_rank.hip.h) in the epilogues for up to eight tokens. A thread block copies its rows
// of b to shared memory before the tokens are known. When its products are done, it collects the
// lowered tokens there, too.
#pragma once

#include "low_rank.hip.h"
#include "tiles.hip.h"

namespace hearth::kernels::hip {

/// The operands of raising in an epilogue.
struct Raised {
  const uint8_t* tiles;  // RankTiles: the thread block's in shared memory, or all in global memory
  const float* lowered;  // [token][n_ranks]
  int remainder_at;      // as raise() takes it

  GPU_DEVICE Raised of(const MatmulParams& p) {
    GPU_DYNAMIC_SHARED(uint4, shared);
    const Added& added = p.epilogue.added;
    if (!lowers_here(added)) return {added.tiles, added.lowered, added.remainder_at};
    const uint8_t* lowered = reinterpret_cast<uint8_t*>(shared) + p.added_at;
    return {lowered + lowered_bytes(added, p.n_tokens), reinterpret_cast<const float*>(lowered), 0};
  }
};

/// Starts copying b of the thread block's tiles to shared memory. A warp copies a tile at a time.
GPU_DEVICE void copy_rank_tiles(const MatmulParams& p) {
  const Added& added = p.epilogue.added;
  if (!lowers_here(added)) return;
  const int n_bytes = rank_tile_bytes(added.rank), n_tiles = count_block_tiles(p);
  uint8_t* to = const_cast<uint8_t*>(Raised::of(p).tiles);
  const int n_warps = blockDim.x / GPU_LANES;
  GPU_NO_UNROLL for (int tile = threadIdx.x / GPU_LANES; tile < n_tiles; tile += n_warps) {
    const int row = first_row_of(p, first_tile(p) + tile);
    if (row >= added.n_rows) continue;
    const uint4* from = reinterpret_cast<const uint4*>(
        added.tiles + static_cast<int64_t>(row / kTileRows) * n_bytes);
    GPU_NO_UNROLL for (int i = threadIdx.x % GPU_LANES; i < n_bytes / 16; i += GPU_LANES)
        copy_async(reinterpret_cast<uint4*>(to + tile * n_bytes) + i, from + i);
  }
  commit_copies();
}

/// Collects the lowered tokens in shared memory, and waits for the thread's copies of b. A barrier
/// must separate it from the epilogue. kAtOnce: the words that a thread loads at once.
template <int kAtOnce>
GPU_DEVICE void take_lowered(const MatmulParams& p) {
  const Added& added = p.epilogue.added;
  if (!lowers_here(added)) return;
  float* to = const_cast<float*>(Raised::of(p).lowered);
  const uint32_t round = round_of(added);
  const int n_parts = 1 << log2_row_blocks(added), log2_n = log2_row_blocks(added) + 1;
  const int n_words = (p.n_tokens * added.n_ranks) << log2_n, step = blockDim.x;
  const int lane = threadIdx.x % GPU_LANES, first_lane = lane >> log2_n << log2_n;
  // Neighbouring lanes have the words of a rank. All lanes stay to the end, since they shuffle.
  GPU_NO_UNROLL for (int first = threadIdx.x; first - lane < n_words; first += kAtOnce * step) {
    uint64_t loaded[kAtOnce];
    GPU_UNROLL for (int k = 0; k < kAtOnce; k++) loaded[k] =
        load_word(added.words + min(first + k * step, n_words - 1));
    GPU_UNROLL for (int k = 0; k < kAtOnce; k++) {
      const int i = first + k * step;
      const float part = take_word(loaded[k], added.words + min(i, n_words - 1), round);
      float sum = shuffle(part, first_lane), remainder = shuffle(part, first_lane + n_parts);
      GPU_NO_UNROLL for (int j = first_lane + 1; j < first_lane + n_parts; j++) {
        sum += shuffle(part, j);
        remainder += shuffle(part, j + n_parts);
      }
      if (lane == first_lane && i < n_words) to[i >> log2_n] = sum + remainder;
    }
  }
  wait_for_copies<0>();
}

/// Adds the adapter's part to one token's product with a row of the launch's i-th tile.
GPU_DEVICE void add_raised(const MatmulParams& p, int i, int row, int token, float& product) {
  const Added& added = p.epilogue.added;
  if (added.n_rows == 0) return;
  const int first_row = first_row_of(p, i);
  if (first_row >= added.n_rows) return;
  const Raised from = Raised::of(p);
  const int64_t tile = lowers_here(added) ? i - first_tile(p) : first_row / kTileRows;
  const float* lowered[1] = {from.lowered + token * added.n_ranks};
  float products[1][1] = {{product}};
  raise<1, 1>(from.tiles + tile * rank_tile_bytes(added.rank), row, added.rank, lowered,
              from.remainder_at, products);
  product = products[0][0];
}

}  // namespace hearth::kernels::hip
