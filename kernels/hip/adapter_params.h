// The parameters of an adapter, which adds scale * b (a h) to a product w h (low_rank.hip.h): Added
// is a part of a product's Epilogue, and RankTile the layout of b.
#pragma once

#include "tiling.h"

namespace hearth::kernels::hip {

/// The adapter's part of a product: adds scale * (b[r] . lowered) to row r, where lowered = a h,
/// before the factor of a norm. Each part of the matrix (q, k, v, ...) has its own ranks, padded
/// with zeros to `rank`, and numbered through all parts. A token's codes and their remainders
/// (Activations::remainder_at) are lowered separately and added at the end.
struct Added {
  const uint8_t* tiles;  // a RankTile for every 16 rows
  const float* lowered;  // [codes, remainders][n][n_ranks]; null: the product's launch lowers
  const uint8_t* a;      // packed tiles of Q8_0, of 16 ranks each
  uint64_t* words;       // [n][n_ranks][codes, remainders][blocks of a row], n <= kTileTokens
  const uint32_t* first_round;  // of the step
  int32_t rank, n_ranks;        // multiples of kRankStep
  int32_t n_rows;               // 0: nothing is added
  int32_t a_tile_bytes;
  int32_t log2_slices;        // slices of a row of `a`
  int32_t log2_block_slices;  // slices of a row that one thread block takes: all, or a share
  int32_t n_blocks;           // the first n_blocks thread blocks of the launch lower
  int32_t round;              // of the launch, counted from *first_round
  int32_t block_eights;  // the maximum of groups that a lowering thread block quantizes, in eights
  int32_t remainder_at;  // floats from a token's codes to its remainders in `lowered`
};
inline constexpr int kRankStep = 8;

/// The header of 16 rows of b, which follow it: f16 [rank / kRankStep][kTileRows][kRankStep].
struct RankTile {
  int32_t first_rank;  // of the part that these rows belong to
  float scale;         // 0 if the adapter does not change these rows
  int32_t reserved[2];
};
constexpr int rank_tile_bytes(int rank) {
  return int{sizeof(RankTile)} + kTileRows * rank * int{sizeof(uint16_t)};
}
/// Whether the product's own launch, or that of an earlier strip, lowers its tokens (lower.hip.h).
constexpr bool lowers_here(const Added& added) { return added.n_rows > 0 && !added.lowered; }
/// Shared memory of a thread block of such a product, after its sums: the lowered tokens, then the
/// RankTiles.
constexpr int lowered_bytes(const Added& added, int n_tokens) {
  return n_tokens * added.n_ranks * int{sizeof(float)};
}
constexpr int added_bytes(const Added& added, int n_tokens, int block_tiles) {
  return lowered_bytes(added, n_tokens) + block_tiles * rank_tile_bytes(added.rank);
}
/// Shared memory of a thread block that lowers: slots of codes and remainders, then their scales,
/// then the sums of slices, [codes, remainders][slice][kTileRows][sum_stride(n_tokens)].
constexpr int lowering_slots(const Added& added, int n_tokens) {
  return 2 * added.block_eights * kBlockGroups * n_tokens;
}
constexpr int lowering_bytes(const Added& added, int n_tokens) {
  const int n_sums = (2 << added.log2_block_slices) * kTileRows * sum_stride(n_tokens);
  return lowering_slots(added, n_tokens) * (kGroup + int{sizeof(GroupScale)}) +
         n_sums * int{sizeof(float)};
}

}  // namespace hearth::kernels::hip
