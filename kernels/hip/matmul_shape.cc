#include "matmul_shape.h"

#include <algorithm>
#include <bit>

namespace hearth::kernels::hip {
namespace {

// Blocks of a decode step's matmuls whose registers fit a processor at the same time.
constexpr int kBlocksPerProcessor = 2;
constexpr int kMaxWarps = 8;
// Fewer tiles a processor leave some without work unless several warps share one (H200).
constexpr int kFewTiles = 4;
constexpr int kMaxSumBytes = 20 << 10;

int ceil_div(int a, int b) { return (a + b - 1) / b; }

/// Tiles a block, in steps of `step`: so many that all blocks run at once, but at most `most`.
int choose_block_tiles(int n_tiles, int n_blocks, int step, int most) {
  const int steps = ceil_div(ceil_div(n_tiles, n_blocks), step);
  return std::clamp(steps * step, step, std::max(most / step * step, step));
}

/// Many tiles: a warp takes quads of one tile after another.
MatmulShape choose_few_tokens(int n_tokens, int n_tiles, int step, int n_slices, int n_processors) {
  const int n_quads = (n_slices + kQuad - 1) / kQuad;
  MatmulShape shape{"stream_", "_8", kTileTokens, 1, kMaxWarps, kQuad};
  if (n_tokens == 1) shape = {"matvec_", "", 1, 1, kMaxWarps, kQuad};
  shape.block_tiles = choose_block_tiles(n_tiles, kBlocksPerProcessor * n_processors, step,
                                         kMaxSumBytes / shape.sum_bytes(n_slices));
  // As many tiles at once as leave no warp idle in the last round.
  int at_once = std::min(shape.block_tiles, kMaxWarps / n_quads);
  while (shape.block_tiles % at_once) at_once--;
  shape.warps = at_once * n_quads;
  return shape;
}

/// Few tiles: many warps share one, each with few slices.
MatmulShape choose_few_tiles(int n_tokens, int step, int n_slices) {
  const bool is_narrow = n_tokens <= kTileTokens;
  MatmulShape shape{"stream_", "_32", 32, step, kMaxWarps, 1};
  if (is_narrow) shape = {"stream_", "_8", kTileTokens, step, 2 * kMaxWarps, 1};
  shape.own_slices = std::clamp(n_slices * step / shape.warps, 1, kQuad);
  if (shape.sum_bytes(n_slices) > int{kMaxSharedBytes} * 3 / 4) shape.own_slices = kQuad;
  const int warps_a_tile = std::max(n_slices / shape.own_slices, 1);
  shape.warps = std::clamp(shape.warps / warps_a_tile, 1, step) * warps_a_tile;
  return shape;
}

}  // namespace

int count_slices(int n_units, int n_tiles) {
  constexpr int kWantedWarps = 2048;
  const int quads = static_cast<int>(std::bit_floor(static_cast<unsigned>(kWantedWarps / n_tiles)));
  for (int n = std::clamp(quads * kQuad, 2 * kQuad, kMaxSlices); n > 1; n /= 2) {
    const int padded = (n_units + n - 1) / n * n;
    if (n <= n_units && n_units * 100 >= padded * 75) return n;
  }
  return 1;
}

int MatmulShape::sum_bytes(int n_slices) const {
  const int parts = is_wide() ? 1 : own_slices == kQuad ? ceil_div(n_slices, kQuad) : n_slices;
  return block_tiles * parts * kTileRows * (tokens | 1) * static_cast<int>(sizeof(float));
}

MatmulShape choose_shape(const MatmulParams& p, int n_slices, int n_processors) {
  const int n = p.n_tokens, step = p.quantized.q ? 4 : p.log2_span != kNoPairs ? 2 : 1;
  const auto blocks = [&](int tiles, int tokens) {
    return ceil_div(p.n_tiles, tiles) * ceil_div(n, tokens);
  };
  if (n > 1 && p.n_tiles < kFewTiles * n_processors) return choose_few_tiles(n, step, n_slices);
  if (n <= kTileTokens) return choose_few_tokens(n, p.n_tiles, step, n_slices, n_processors);
  if (n > 32 && blocks(8, 64) >= n_processors) return {"wide_", "_64", 64, 8, 8, 0};
  return {"wide_", "_32", 32, 8, 8, 0};
}

}  // namespace hearth::kernels::hip
