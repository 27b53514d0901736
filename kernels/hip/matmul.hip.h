// x * w^T over packed weights, in two shapes with the same arithmetic: per output the groups of a slice
// in rising order, then the slices in rising order, in explicit multiplications and fused adds. So a
// token gets the same bits from either, in any batch.
#pragma once

#include "epilogue.hip.h"
#include "mma.hip.h"
#include "weights.hip.h"

namespace hearth::kernels::hip {

/// First tile of block or warp i, whose second lies at the same place in p.b.
template <int kTiles>
GPU_DEVICE int first_tile(const MatmulParams& p, int i) {
  if (p.tile_ids) return p.tile_ids[i];
  return kTiles == 1 ? i : i / p.span * 2 * p.span + i % p.span;
}

/// Adds one group of one tile of tokens to sum[tile][rows g, g, g + 8, g + 8].
template <BlockType kType, int kTiles>
GPU_DEVICE void multiply_group(const MatmulParams& p, const Unit<kType> (&w)[kTiles],
                               const RowScale (&scales)[kTiles][2], int group, int global_group,
                               int token_tile, int lane, float (*sum)[4], int stride) {
  using L = Layout<kType>;
  using U = Unit<kType>;
  const int n_left = p.n_tokens - kTileTokens * token_tile;
  const int64_t at = static_cast<int64_t>(token_tile) * p.x.n_groups + global_group;
  int b[2] = {0, 0};
  if (lane / 4 < n_left) {
    const uint2 q = *reinterpret_cast<const uint2*>(p.x.q + at * 256 + 8 * lane);
    b[0] = q.x, b[1] = q.y;
  }
  const GroupScale* x = p.x.scales + at * kTileTokens + lane % 4 * 2;
  const GroupScale pair[2] = {x[0], x[1]};
  GPU_UNROLL for (int tile = 0; tile < kTiles; tile++) {
    int a[4], c[2][4] = {};
    GPU_UNROLL for (int i = 0; i < 4; i++) a[i] = U::word(w[tile], group, i);
    if constexpr (L::kHalves) {
      mma_16(c[0], a[0], a[1], b[0], n_left);
      mma_16(c[1], a[2], a[3], b[1], n_left);
    } else {
      mma_32(c[0], a, b, n_left);
    }
    GPU_UNROLL for (int i = 0; i < 4; i++) {
      const int dots[2] = {c[0][i], c[1][i]};
      sum[tile * stride][i] =
          add_group<kType>(sum[tile * stride][i], scales[tile][i / 2], dots, pair[i % 2]);
    }
  }
}

template <BlockType kType, int kTiles>
GPU_DEVICE void load_units(const MatmulParams& p, int tile, int unit, int lane,
                           Unit<kType> (&w)[kTiles]) {
  const uint64_t offset = tile * p.tile_bytes;
  w[0] = Unit<kType>::load(p.a + offset, unit, lane);
  if constexpr (kTiles == 2) w[1] = Unit<kType>::load(p.b + offset, unit, lane);
}

template <BlockType kType, int kTiles>
GPU_DEVICE void load_scales(const Unit<kType> (&w)[kTiles], int group,
                            RowScale (&scales)[kTiles][2]) {
  GPU_UNROLL for (int tile = 0; tile < kTiles; tile++) {
    scales[tile][0] = Unit<kType>::scale(w[tile], 0, group);
    scales[tile][1] = Unit<kType>::scale(w[tile], 1, group);
  }
}

/// Few tokens: the weights stream through once, everything serves that. A block takes one tile (or one
/// pair) of 16 rows; its groups of 32 lanes take slices of the columns and leave partial sums in shared
/// memory, [slice][tile][row][token]. The next unit's weights are in flight while one is multiplied.
template <BlockType kType, int kTiles, int kTokenTiles>
GPU_DEVICE void stream_matmul(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(float, partial);
  constexpr int kTokens = kTileTokens * kTokenTiles;
  const int lane = threadIdx.x % GPU_LANES, g = lane / 4, t = lane % 4;
  const int tile = first_tile<kTiles>(p, blockIdx.x);
  const int n_warps = blockDim.x / GPU_LANES, warp = threadIdx.x / GPU_LANES;
  const int slice_end = (warp + 1) * p.n_slices / n_warps;
  int slice = warp * p.n_slices / n_warps;

  const int unit_end = min(slice_end * p.slice_units, p.n_units);
  int unit = slice * p.slice_units;
  Unit<kType> next[kTiles];
  if (unit < unit_end) load_units<kType, kTiles>(p, tile, unit, lane, next);
  let_next_start();
  wait_for_previous();
  float sum[kTiles][kTokenTiles][4] = {};
  for (; unit < unit_end; unit++) {
    Unit<kType> w[kTiles];
    GPU_UNROLL for (int i = 0; i < kTiles; i++) w[i] = next[i];
    if (unit + 1 < unit_end) load_units<kType, kTiles>(p, tile, unit + 1, lane, next);
    GPU_UNROLL for (int group = 0; group < 2; group++) {
      RowScale scales[kTiles][2];
      load_scales<kType, kTiles>(w, group, scales);
      GPU_UNROLL for (int i = 0; i < kTokenTiles; i++)
        multiply_group<kType, kTiles>(p, w, scales, group, 2 * unit + group, i, lane, &sum[0][i],
                                      kTokenTiles);
    }
    if ((unit + 1) % p.slice_units != 0 && unit + 1 < unit_end) continue;
    GPU_UNROLL for (int k = 0; k < kTiles; k++) GPU_UNROLL for (int i = 0; i < kTokenTiles; i++)
        GPU_UNROLL for (int j = 0; j < 4; j++) {
      const int row = 16 * k + g + j / 2 * 8, token = 8 * i + 2 * t + j % 2;
      partial[(slice * 16 * kTiles + row) * kTokens + token] = sum[k][i][j];
      sum[k][i][j] = 0;
    }
    slice++;
  }
  __syncthreads();

  for (int i = threadIdx.x; i < 16 * p.n_tokens; i += blockDim.x) {
    const int row = i % 16, token = i / 16;
    float total[2] = {0, 0};
    for (int s = 0; s < p.n_slices; s++)
      GPU_UNROLL for (int k = 0; k < kTiles; k++)
        total[k] += partial[((s * kTiles + k) * 16 + row) * kTokens + token];
    if constexpr (kTiles == 1)
      store_one(p.epilogue, 16 * tile + row, token, total[0]);
    else
      store_pair(p.epilogue, 16 * tile + row, 16 * (tile + p.span) + row, token, total[0],
                 total[1]);
  }
}

/// Many tokens: each group of 32 lanes takes a pair of row tiles and 32 tokens through all columns, in
/// registers. Operands lie in operand order, so the first-level cache serves where others use shared
/// memory: the block's groups share tokens and walk the columns in step.
template <BlockType kType>
GPU_DEVICE void tile_matmul(const MatmulParams& p) {
  constexpr int kTokenTiles = 4;
  wait_for_previous();
  let_next_start();
  const int lane = threadIdx.x % GPU_LANES, g = lane / 4, t = lane % 4;
  const int pair = blockIdx.x * (blockDim.x / GPU_LANES) + threadIdx.x / GPU_LANES;
  if (pair >= p.n_tiles) return;
  const int tile = first_tile<2>(p, pair);
  const int token_tile = blockIdx.y * kTokenTiles;

  float sum[2][kTokenTiles][4] = {}, total[2][kTokenTiles][4] = {};
  for (int unit = 0; unit < p.n_units; unit++) {
    Unit<kType> w[2];
    load_units<kType, 2>(p, tile, unit, lane, w);
    GPU_UNROLL for (int group = 0; group < 2; group++) {
      RowScale scales[2][2];
      load_scales<kType, 2>(w, group, scales);
      GPU_UNROLL for (int i = 0; i < kTokenTiles; i++)
        if (8 * (token_tile + i) < p.n_tokens)
          multiply_group<kType, 2>(p, w, scales, group, 2 * unit + group, token_tile + i, lane,
                                   &sum[0][i], kTokenTiles);
    }
    if ((unit + 1) % p.slice_units != 0 && unit + 1 < p.n_units) continue;
    GPU_UNROLL for (int k = 0; k < 2; k++) GPU_UNROLL for (int i = 0; i < kTokenTiles; i++)
        GPU_UNROLL for (int j = 0; j < 4; j++) total[k][i][j] += sum[k][i][j], sum[k][i][j] = 0;
  }
  GPU_UNROLL for (int i = 0; i < kTokenTiles; i++) GPU_UNROLL for (int j = 0; j < 4; j++) {
    const int token = 8 * (token_tile + i) + 2 * t + j % 2, row = g + j / 2 * 8;
    if (token < p.n_tokens)
      store_pair(p.epilogue, 16 * tile + row, 16 * (tile + p.span) + row, token, total[0][i][j],
                 total[1][i][j]);
  }
}

}  // namespace hearth::kernels::hip
