// GEMV: x * w^T for one token, that is, for decode (plain::product). It is memory-bound, and reads
// the weights once. A thread block takes several tiles of 16 rows, and stages the token in shared
// memory once for all of them. The columns of a row are divided into shares (tiling.h), and a warp
// takes the same share of one tile after another. For example, with eight warps and four shares:
//
//            share 0   share 1   share 2   share 3
//   tile 0   warp 0    warp 1    warp 2    warp 3     each box: 16 rows x the share's columns
//   tile 1   warp 4    warp 5    warp 6    warp 7
//   tile 2   warp 0    warp 1    warp 2    warp 3
//   ...
//
//   for each tile of the warp:
//     for each step of its share:
//       load four units of weights; multiply each with the token's columns; add
//     store the share's 16 sums
//   for each row of the thread block: add its shares in ascending order; apply the epilogue
//
// The units of a share from left to right, each with the number of its step:
//
//   float-scale formats   0 1 2 .. | 0 1 2 .. | 0 1 2 .. | 0 1 2 ..    four slices
//   super-block formats   0 0 0 0 | 1 1 1 1 | 2 2 2 2 | ..             one slice, its super-blocks
//
// Rows g and g + 8 of a tile belong to four lanes of a warp. Lane t of the four gets the dot
// products of a step's t-th unit (four_dots in mma.hip.h) and adds them up. four_units.hip.h brings
// the weights to the lanes; tile_sum.hip.h unpacks, multiplies and adds them.
#pragma once

#include "tile_sum.hip.h"

namespace hearth::kernels::hip {

/// Grid (1, p.n_tiles / p.block_tiles, rounded up). Shared memory: the token and its sums of
/// squares, the sums, the QkvRows, the adapter's data (added_bytes). Code that runs once costs
/// instruction fetches in proportion to its length (README.md), so as much as possible is computed
/// before wait_for_previous(), while the previous kernel still runs.
template <BlockType kType>
GPU_DEVICE void matvec(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(uint4, shared);
  using Share = WarpShare<kType>;
  using Sum = TileSum<kType>;
  // Steps in flight, of four units each: as many as fit into 128 registers per thread.
  constexpr int kDepth = Layout<kType>::kHalves ? 1 : 2;
  // Weights of eight bits need no unpacking: a step multiplies the very registers that were loaded,
  // so the next load comes after the product, not before.
  constexpr bool kInPlace = Layout<kType>::kTraits.low_bits == 8;

  // The warp's share of its tiles, and the weights of the first steps.
  const int lane = threadIdx.x % GPU_LANES, t = lane % 4;
  const int warp = threadIdx.x / GPU_LANES, n_warps = blockDim.x / GPU_LANES;
  const int log2_n = log2_shares<kType>(p), n_shares = 1 << log2_n;
  const int n_tiles = count_block_tiles(p), tiles_at_once = n_warps >> log2_n;
  const Share share = Share::of(p, warp & (n_shares - 1), t);
  auto weights = WeightStream<kType>::of(p, share, n_tiles, tiles_at_once, warp >> log2_n);
  FourUnits<kType> ring[kDepth];  // the units of the steps in flight
  GPU_UNROLL for (int i = 0; i < kDepth; i++) weights.load_next(ring[i]);
  let_next_start();

  // The places of the sums and the token, and the epilogue's inputs (EarlyRows). Pointers are
  // computed as indices, because compute_now() takes an int.
  uint8_t* bytes = reinterpret_cast<uint8_t*>(shared);
  const BlockSums<1> sums = {reinterpret_cast<float*>(bytes + p.input_bytes), n_shares, 1};
  QkvRow* qkv_rows = reinterpret_cast<QkvRow*>(sums.data + p.block_tiles * n_shares * kTileRows);
  if (p.epilogue.kind == EpilogueKind::kQkv) load_qkv_rows<1>(reload(p), n_tiles, 1, qkv_rows);
  prefetch_norm(reload(p));
  copy_rank_tiles(reload(p));
  const int residual_at = compute_now(place_before<1>(reload(p), n_tiles, 1));
  const Activations x = staged_tokens(p, 1, shared);
  const FourSources inputs = FourSources::of(x.q, share.first_groups, lane);
  const GroupScale* x_scales = x.scales + compute_now(share.first_own_group);
  // Sums have the layout [tile][share][16 rows]. Warp w begins with the w-th 16 sums. Its next ones
  // are n_warps * 16 further: the same share, tiles_at_once tiles later.
  float* to = sums.data + compute_now(warp * kTileRows + Sum::row_of(lane));
  const float* token_columns = p.norm.x + compute_now(input_row(p.norm, 0) - p.norm.x);
  wait_for_previous();

  // The token, which the previous kernel has written.
  stage_tokens<kType>(reload(p), token_columns, 1, x);
  const EarlyRows early = {qkv_rows, reload(p).epilogue.out[residual_at], x.squares};

  // The steps of all tiles. At the end of a tile, `to` moves to the warp's next sums.
  Sum sum = {};
  int step = 0;
  const auto take_step = [&](FourUnits<kType>& units) {
    const auto w = FourWords<kType>::of(units);
    if (!kInPlace) weights.load_next(units);
    sum.add(w, inputs, Share::kStepGroups * step, x_scales, step < share.own_steps);
    if (kInPlace) weights.load_next(units);
    if (++step < share.n_steps) return;
    sum.close(to);
    step = 0, to += n_warps * kTileRows;
  };
  const float* end = sums.data + n_tiles * n_shares * kTileRows;
  // Written out instead of a loop over the ring, as registers cannot be indexed at run time.
  static_assert(kDepth <= 2);
  GPU_NO_UNROLL while (to < end) {
    take_step(ring[0]);
    if constexpr (kDepth == 2) {
      if (to < end) take_step(ring[1]);
    }
  }
  take_lowered<1>(reload(p));
  __syncthreads();

  store_block<1>(reload(p), sums, 1, early);
}

}  // namespace hearth::kernels::hip
