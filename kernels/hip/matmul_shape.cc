#include "matmul_shape.h"

#include <algorithm>
#include <bit>

namespace hearth::kernels::hip {
namespace {

// The number of thread blocks of a decode step's matmuls that a compute unit runs at the same time.
constexpr int kBlocksPerProcessor = 2;
// If a matrix has fewer tiles per compute unit than this, some compute units have no work unless
// several warps share a tile (H200).
constexpr int kFewTiles = 4;
// The limit of shared memory for a thread block's sums. With more of it, a thread block can take
// more tiles, which saves a second round of thread blocks (4 % for eight tokens of a 7B, H200).
int max_sum_bytes(const DeviceChoice& gpu) {
  constexpr int kMinBytes = 20 << 10, kTokens = 28 << 10;
  return std::max(kMinBytes, gpu.shared_bytes / kBlocksPerProcessor - kTokens);
}

/// The number of tiles of a thread block, a multiple of `step`. The GPU runs n_blocks thread blocks
/// at once. If possible, these take all tiles in one round; if that needs more than `most` tiles
/// per thread block, there are several rounds, and the last one is as full as possible. Example:
/// 300 tiles, n_blocks = 100, step 1. With most = 4, a thread block takes 3 tiles: 100 thread
/// blocks in one round. With most = 2, it takes 2 tiles: 150 thread blocks in two rounds.
int choose_block_tiles(int n_tiles, int n_blocks, int step, int most) {
  most = std::max(most / step * step, step);
  const int n_rounds = ceil_div(n_tiles, n_blocks * most);
  const int n_steps = ceil_div(ceil_div(n_tiles, n_blocks * n_rounds), step);
  return std::min(n_steps * step, most);
}

/// For many tiles: a warp takes one share of a row, for one tile after another.
MatmulShape choose_few_tokens(const MatmulParams& p, int step, const RowSlices& slices,
                              const DeviceChoice& gpu) {
  MatmulShape shape{"stream_", "_8", kTileTokens, 1, kMaxWarps, slices.per_share};
  if (p.n_tokens == 1) shape = {"matvec_", "", 1, 1, kMaxWarps, slices.per_share};
  const bool is_qkv = p.epilogue.kind == EpilogueKind::kQkv;
  const Added& added = p.epilogue.added;
  const int tile_bytes = shape.sum_bytes(slices) + (is_qkv ? shape.qkv_bytes() : 0) +
                         (lowers_here(added) ? rank_tile_bytes(added.rank) : 0);
  // The thread blocks that lower run beside the others.
  const int n_blocks =
      std::max(kBlocksPerProcessor * gpu.n_processors - added.n_blocks, gpu.n_processors);
  shape.block_tiles =
      choose_block_tiles(p.n_tiles, n_blocks, step, max_sum_bytes(gpu) / tile_bytes);
  // The number of tiles at once must divide block_tiles, so that no warp is idle in the last round.
  int at_once = std::min(shape.block_tiles, kMaxWarps / slices.n_shares());
  while (shape.block_tiles % at_once) at_once--;
  shape.warps = at_once * slices.n_shares();
  return shape;
}

/// For few tiles: many warps share a tile, and each takes few of its slices.
MatmulShape choose_few_tiles(const MatmulParams& p, int step, const RowSlices& slices) {
  MatmulShape shape{"stream_", "_8", kTileTokens, step, 2 * kMaxWarps, 1};
  shape.own_slices = std::clamp(slices.n * step / shape.warps, 1, slices.per_share);
  const Added& added = p.epilogue.added;
  const int n_added = lowers_here(added) ? added_bytes(added, p.n_tokens, step) : 0;
  constexpr int kMaxSumBytes = 48 << 10;
  if (shape.sum_bytes(slices) + n_added > kMaxSumBytes) shape.own_slices = slices.per_share;
  const int warps_a_tile = std::max(slices.n / shape.own_slices, 1);
  shape.warps = std::clamp(shape.warps / warps_a_tile, 1, step) * warps_a_tile;
  return shape;
}

/// GEMM. If small thread blocks (32 tokens x 2 tiles), whose warps divide each row, need at most
/// three rounds, it chooses them, since a large thread block takes 3.4 times as long. Otherwise it
/// chooses the largest thread blocks that still give most compute units one. Two thread blocks on a
/// compute unit hide each other's waits; if there are fewer, a thread block gets more warps, which
/// divide the rows (H200). Examples, on 132 compute units: 3584 rows (224 tiles) x 32 tokens make
/// 112 small thread blocks, one round, so they are small. 37,888 rows (2368 tiles) x 256 tokens
/// would make 9472 small ones, so there are 2368 large ones (64 tokens x 4 tiles).
MatmulShape choose_many_tokens(int n_tokens, int n_tiles, int step, const RowSlices& slices,
                               const DeviceChoice& gpu) {
  const auto blocks = [&](int tokens, int tiles) {
    return ceil_div(n_tiles, tiles) * ceil_div(n_tokens, tokens);
  };
  const int n_shares = slices.n_shares();
  if (step <= 2 && blocks(32, 2) <= 3 * gpu.n_processors)
    return {"wide_", "_32x2", 32, 2, n_shares > 4 ? 8 : 4, 0};
  MatmulShape shape{"wide_", "_64x4", 64, 4, 4, 0};
  if (n_tokens <= 32 || blocks(64, 4) * 3 < gpu.n_processors * 2)
    shape = {"wide_", "_32x4", 32, 4, 4, 0};
  if (blocks(shape.tokens, 4) >= 2 * gpu.n_processors || n_shares < 2) return shape;
  shape.warps = gpu.has_copies && n_shares >= 6 ? 12 : 8;
  return shape;
}

}  // namespace

RowSlices RowSlices::of(int n_units, int n_tiles, bool has_blocks) {
  constexpr int kWantedWarps = 2048;
  const int per_share = has_blocks ? 1 : kQuad;
  // Super-block formats have at least four slices. Example: to have no idle warps in the last
  // round, a thread block of ten tiles can take only two tiles at once. With two slices that would
  // be four warps, with four slices it is eight.
  const int least = has_blocks ? 4 : 2 * kQuad;
  const int most = has_blocks ? kMaxBlockSlices : kMaxSlices;
  const int n_pieces = has_blocks ? n_units / kBlockUnits : n_units;
  const int shares =
      static_cast<int>(std::bit_floor(static_cast<unsigned>(kWantedWarps / n_tiles)));
  for (int n = std::clamp(shares * per_share, least, most); n > 1; n /= 2) {
    const int padded = ceil_div(n_pieces, n) * n;
    if (n <= n_pieces && n_pieces * 100 >= padded * 75) return {n, per_share};
  }
  return {1, per_share};
}

int RowSlices::n_shares() const { return ceil_div(n, per_share); }

int MatmulShape::sum_bytes(const RowSlices& slices) const {
  if (is_wide()) return tokens * (block_tiles * kTileRows + 4) * static_cast<int>(sizeof(float));
  const int addends = own_slices == slices.per_share ? slices.n_shares() : slices.n;
  return block_tiles * addends * kTileRows * sum_stride(tokens) * static_cast<int>(sizeof(float));
}

int MatmulShape::qkv_bytes() const {
  return tokens <= kTileTokens ? block_tiles * (kTileRows / 2) * tokens * int{sizeof(QkvRow)} : 0;
}

MatmulShape choose_shape(const MatmulParams& p, const RowSlices& slices, const DeviceChoice& gpu) {
  const int n = p.n_tokens, step = p.quantized.q ? 4 : p.log2_span != kNoPairs ? 2 : 1;
  const bool has_few_tiles = p.n_tiles < kFewTiles * gpu.n_processors;
  if (n > kTileTokens) return choose_many_tokens(n, p.n_tiles, step, slices, gpu);
  if (has_few_tiles && n > 1) return choose_few_tiles(p, step, slices);
  return choose_few_tokens(p, step, slices, gpu);
}

}  // namespace hearth::kernels::hip
