// The tiles of a thread block of a matmul. If the launch lowers tokens for an adapter, its first
// thread blocks have no tiles (lower.hip.h).
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

GPU_DEVICE bool has_pairs(const MatmulParams& p) { return p.log2_span != kNoPairs; }

/// The index of the launch's i-th tile in p.a, or in p.b for the second of a pair (MatmulParams).
GPU_DEVICE int tile_of(const MatmulParams& p, int i) {
  if (!has_pairs(p)) return p.tile_ids ? p.tile_ids[i] : i;
  const int pair = i >> 1, head = pair >> p.log2_span;
  return pair + (head << p.log2_span);
}

GPU_DEVICE const uint8_t* tile_data(const MatmulParams& p, int i) {
  const uint8_t* from = has_pairs(p) && (i & 1) ? p.b : p.a;
  return from + tile_of(p, i) * p.tile_bytes;
}

/// The first row of the launch's i-th tile, in the whole matrix.
GPU_DEVICE int first_row_of(const MatmulParams& p, int i) {
  const Epilogue& e = p.epilogue;
  const int row = e.row0 + tile_of(p, i) * kTileRows;
  if (!has_pairs(p) || (i & 1) == 0) return row;
  return row + (e.kind == EpilogueKind::kQkv ? e.pool.head_dim / 2 : e.n_rows);
}

/// The index of the thread block among those with tiles.
GPU_DEVICE int block_index(const MatmulParams& p) {
  return static_cast<int>(blockIdx.y) - p.epilogue.added.n_blocks;
}

/// The first tile of this thread block.
GPU_DEVICE int first_tile(const MatmulParams& p) { return block_index(p) * p.block_tiles; }

/// Tiles of this thread block; the last one may have fewer.
GPU_DEVICE int count_block_tiles(const MatmulParams& p) {
  return min(p.block_tiles, p.n_tiles - first_tile(p));
}

}  // namespace hearth::kernels::hip
