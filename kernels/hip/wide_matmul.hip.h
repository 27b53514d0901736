// GEMM: x * w^T for more than 8 tokens, that is, for prefill (plain::product). A thread block takes
// two or four tiles of 16 rows and 32 or 64 tokens, and divides them among its warps (WidePlace).
// For example, if a warp takes two tiles and 32 tokens:
//
//                32 tokens   32 tokens
//   tiles 0, 1   warp 0      warp 1
//   tiles 2, 3   warp 2      warp 3
//
//   for each share of the rows (tiling.h):
//     for each unit of the share, while the next ones are in flight (wide_units.hip.h):
//       for both groups of the unit, the warp's tiles and its tokens: multiply a fragment; add
//       at the end of a super-block: scale its integer sums
//       at the end of a slice, in other formats: add the slice to its quad
//     add the share to the thread block's sums in shared memory
//   for each row and token of the thread block: apply the epilogue (wide_store.hip.h)
//
// A warp unpacks the weights of a unit once for all of its tokens, and reads a token's operand once
// for all of its tiles (wide_product.hip.h). Shares are added in ascending order, so a token gets
// the same bits as from the GEMV.
//
// If there are few thread blocks, each has several sets of warps, called splits (CUTLASS calls this
// sliced K), which take shares in turn. For example, eight shares and three splits:
//
//             split 0   split 1   split 2
//   round 0   share 0   share 1   share 2   after each round, the splits add their shares to the
//   round 1   share 3   share 4   share 5   thread block's sums one after the other
//   round 2   share 6   share 7   -
#pragma once

#include "wide_product.hip.h"

namespace hearth::kernels::hip {

/// Grid (n_tokens / kTokens, n_tiles / block_tiles, rounded up): thread blocks with neighbouring x
/// read the same weights. Shared memory: the units in flight, then the factors of the tokens, then
/// the sums.
template <BlockType kType, int kTokens, int kTiles, class F>
GPU_DEVICE void wide_matmul_by(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(uint4, shared);
  using L = Layout<kType>;
  using Product = WarpProduct<kType, kTokens, kTiles, F>;
  using Units = typename Product::Units;

  // The first weights, then the first tokens. `ahead` is the next unit to load.
  const int n_shares = 1 << log2_shares<kType>(p);
  const auto me = Product::Place::of_thread();
  ShareCursor ahead = ShareCursor::of<kType>(p, me.split);
  Units units = Units::of(p, me, F::place(me.lane), ahead, shared);
  if (p.overlap != Overlap::kLowers) let_next_start();
  if (p.overlap != Overlap::kIsLowered) wait_for_previous();
  if (p.overlap == Overlap::kLowers) let_next_start();
  units.start(p, me, ahead);

  // The factor of each token's sums.
  const int n_tokens = min(kTokens, p.n_tokens - static_cast<int>(blockIdx.x) * kTokens);
  float* factors = reinterpret_cast<float*>(Units::end(shared, me.n_splits));
  const WideSums<kTiles> block_sums = {factors + kTokens, factors};
  if (threadIdx.x < n_tokens)
    factors[threadIdx.x] = token_factor(reload(p).norm, reload(p).x.squares, p.x.n_groups,
                                        blockIdx.x * kTokens + threadIdx.x);

  // All splits wait at the same barriers, so all take the same number of rounds, and in a round as
  // many steps as the longest share has units. In a round, split i has share (first share of the
  // round) + i, if there is one. `now` is the unit being multiplied.
  Product product = {};
  const int n_steps = ceil_div(p.n_units / L::kUnits, n_shares) * L::kUnits;
  GPU_NO_UNROLL for (int share = me.split; share - me.split < n_shares; share += me.n_splits) {
    ShareCursor now = ShareCursor::of<kType>(p, share);
    SliceCursor slice = SliceCursor::of<kType>(p, share);
    GPU_NO_UNROLL for (int step = 0; step < n_steps; step++) {
      units.begin_step(p, me, now, ahead);
      const bool has_unit = now.has_unit();
      if (has_unit) {
        product.multiply(units, me);
        if (is_super_block_end<kType>(now.unit)) product.close_super_block(p, units, me, now.unit);
        now.unit++;
        if (!L::kSuper && now.unit == slice.end) {
          product.sums.close_slice(slice.is_first_of_quad());
          slice = slice.next<kType>(p);
        }
      }
      units.end_step(has_unit);
    }
    // The splits take turns, so that shares are added in ascending order.
    GPU_NO_UNROLL for (int split = 0; split < me.n_splits; split++) {
      if (split == me.split && share < n_shares) product.add_to(block_sums, share == 0);
      if (me.n_splits > 1) __syncthreads();
    }
  }
  if (me.n_splits == 1) __syncthreads();
  if (p.epilogue.added.n_rows > 0) {
    if (p.overlap == Overlap::kIsLowered) wait_for_previous();
    raise_wide<kTokens, kTiles>(reload(p), block_sums, blockIdx.x * kTokens, n_tokens);
    __syncthreads();
  }
  store_wide<kTokens, kTiles>(reload(p), block_sums, blockIdx.x * kTokens, n_tokens);
}

template <BlockType kType, int kTokens, int kTiles>
GPU_DEVICE void wide_matmul(const MatmulParams& p) {
#if defined(GPU_EMULATION)
  switch (emulation::matrix_unit()) {
    case emulation::MatrixUnit::kNone:
      return wide_matmul_by<kType, kTokens, kTiles, DotFragment>(p);
    case emulation::MatrixUnit::kQuad:
      return wide_matmul_by<kType, kTokens, kTiles, MmaFragment<true>>(p);
    case emulation::MatrixUnit::kQuadInRegisters:
      return wide_matmul_by<kType, kTokens, kTiles, MmaFragment<false>>(p);
    case emulation::MatrixUnit::kWmma:
      return wide_matmul_by<kType, kTokens, kTiles, WmmaFragment>(p);
    case emulation::MatrixUnit::kWmma12:
      return wide_matmul_by<kType, kTokens, kTiles, Wmma12Fragment>(p);
  }
#else
  wide_matmul_by<kType, kTokens, kTiles, Fragment>(p);
#endif
}

}  // namespace hearth::kernels::hip
