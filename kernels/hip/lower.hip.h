// Lowering (low_rank.hip.h) by the first thread blocks of a product's launch, for up to eight
// tokens with an adapter. Each takes 16 ranks and all slices of their rows, or one share:
//
//   quantize its columns of the tokens, with remainders
//   for each slice (a warp takes one after another):
//     for each unit: multiply both groups by the codes and by the remainders; add
//   for each rank and token: add the slices in ascending order; store both sums as words
//
// Slices and order are those of any product with a matrix of Q8_0, so the GEMM lowers a token to
// the same bits.
#pragma once

#include "matmul.hip.h"

namespace hearth::kernels::hip {

/// Whether this thread block lowers.
GPU_DEVICE bool is_lowering(const MatmulParams& p) {
  return static_cast<int>(blockIdx.y) < p.epilogue.added.n_blocks;
}

/// The units of a row of `a` that this thread block multiplies, and the super-blocks of the tokens
/// that contain them.
struct LoweredColumns {
  int begin, n_slices, n_units, log2_slices, first_eight, end_eight;

  GPU_DEVICE LoweredColumns of(const MatmulParams& p) {
    const Added& added = p.epilogue.added;
    const int n_slices = 1 << added.log2_block_slices;
    const int row_block = blockIdx.y & ((1 << log2_row_blocks(added)) - 1);
    LoweredColumns c = {row_block * n_slices, n_slices, p.n_units, added.log2_slices, 0, 0};
    c.first_eight = c.begin_of(0) / kBlockUnits;
    c.end_eight = ceil_div(c.begin_of(n_slices), kBlockUnits);
    return c;
  }
  /// The first unit of the i-th slice.
  GPU_MEMBER int begin_of(int i) const { return (begin + i) * n_units >> log2_slices; }
};

/// Quantizes these columns of the tokens. Groups of `x` keep their index in the row.
template <BlockType kType>
GPU_DEVICE void quantize_lowered(const Norm& norm, const LoweredColumns& columns, int n_tokens,
                                 const Activations& x) {
  constexpr TokenUse kUse{.has_blocks = Layout<kType>::kSuper,
                          .has_norm = true,
                          .has_sums = false,
                          .has_room = true,
                          .has_remainders = true,
                          .has_squares = false};
  const int n_warps = blockDim.x / GPU_LANES, n_eights = columns.end_eight - columns.first_eight;
  GPU_NO_UNROLL for (int i = threadIdx.x / GPU_LANES; i < n_tokens * n_eights; i += n_warps) {
    const int token = i / n_eights, eight = columns.first_eight + i - token * n_eights;
    LaneColumns weights;
    GPU_UNROLL for (int k = 0; k < kLaneColumns; k++) weights.v[k] = {1, 1, 1, 1};
    if (is_norm(norm)) weights = LaneColumns::load_norm(norm, eight);
    quantize_columns<kUse>(norm, input_row(norm, token), token, eight, weights, x, nullptr);
  }
  __syncthreads();
}

/// Sums the units begin..end - 1 of a tile of ranks: [codes, remainders][rank g, g + 8][token 2t,
/// 2t + 1]. Two units are in flight while one is multiplied.
GPU_DEVICE void lower_slice(const uint8_t* tile, int begin, int end,
                            const OperandSource (&sources)[2], int n_tokens, RowSum (&sums)[2][4]) {
  using Ranks = Unit<BlockType::kQ8_0>;
  const int lane = threadIdx.x % GPU_LANES;
  Ranks next = Ranks::load(tile, begin, lane);
  Ranks after = Ranks::load(tile, min(begin + 1, end - 1), lane);
  GPU_NO_UNROLL for (int unit = begin; unit < end; unit++) {
    const Ranks now = next;
    next = after;
    after = Ranks::load(tile, min(unit + 2, end - 1), lane);
    const int at = 2 * unit * n_tokens;
    GPU_UNROLL for (int i = 0; i < 2; i++) {
      const Operand first = sources[i].load(at), second = sources[i].load(at + n_tokens);
      multiply_group<BlockType::kQ8_0, 0>(now, first, n_tokens, sums[i]);
      multiply_group<BlockType::kQ8_0, 1>(now, second, n_tokens, sums[i]);
    }
  }
}

/// Adds the sums of slices, `step` floats apart, as BlockSums::total does.
GPU_DEVICE float add_slices(const float* sums, int n_slices, int step) {
  float total = 0;
  GPU_NO_UNROLL for (int left = n_slices; left > 0; left -= kQuad) {
    float quad = *sums;
    GPU_NO_UNROLL for (int k = 1; k < min(kQuad, left); k++) quad += sums[k * step];
    total += quad;
    sums += kQuad * step;
  }
  return total;
}

/// kType: the format of the product's matrix, which determines how tokens are quantized. Shared
/// memory: see lowering_bytes().
template <BlockType kType>
GPU_DEVICE void lower(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(uint4, shared);
  constexpr int kUnitBytes = Layout<BlockType::kQ8_0>::kUnitBytes, kLineBytes = 128;
  const Added& added = p.epilogue.added;
  const int lane = threadIdx.x % GPU_LANES, warp = threadIdx.x / GPU_LANES;
  const int n_warps = blockDim.x / GPU_LANES, n_tokens = p.n_tokens;
  const int log2_n = log2_row_blocks(added), tile = blockIdx.y >> log2_n;
  const auto columns = LoweredColumns::of(p);
  const int n_slices = columns.n_slices, end = columns.begin_of(n_slices);
  const uint8_t* data = added.a + static_cast<int64_t>(tile) * added.a_tile_bytes;
  GPU_NO_UNROLL for (int unit = columns.begin_of(0) + warp; unit < end;
                     unit += n_warps) if (lane * kLineBytes < kUnitBytes)
      prefetch(data + unit * kUnitBytes + lane * kLineBytes);
  let_next_start();
  const uint32_t round = round_of(added);
  const OperandPlace place = OperandPlace::of(n_tokens, lane);
  const int n_slots = lowering_slots(added, n_tokens);
  Activations x = {};
  x.n_slots = n_tokens;
  x.remainder_at = n_slots / 2;
  x.q = reinterpret_cast<int8_t*>(shared);
  x.scales = reinterpret_cast<GroupScale*>(x.q + n_slots * kGroup);
  float* sums = reinterpret_cast<float*>(x.scales + n_slots);
  const int slots_before = columns.first_eight * kBlockGroups * n_tokens;
  x.q -= slots_before * kGroup, x.scales -= slots_before;
  wait_for_previous();

  quantize_lowered<kType>(reload(p).norm, columns, n_tokens, x);
  Activations remainders = x;
  remainders.q += x.remainder_at * kGroup, remainders.scales += x.remainder_at;
  const OperandSource sources[] = {OperandSource::of(x, place),
                                   OperandSource::of(remainders, place)};
  const int stride = sum_stride(n_tokens), slice_sums = kTileRows * stride;
  GPU_NO_UNROLL for (int slice = warp; slice < n_slices; slice += n_warps) {
    RowSum own[2][4] = {};
    lower_slice(data, columns.begin_of(slice), columns.begin_of(slice + 1), sources, n_tokens, own);
    GPU_UNROLL for (int i = 0; i < 8; i++) {
      const int row = lane / 4 + i % 4 / 2 * 8, token = lane % 4 * 2 + i % 2;
      float* to = sums + (i / 4 * n_slices + slice) * slice_sums + row * stride;
      if (token < n_tokens) to[token] = own[i / 4][i % 4].total;
    }
  }
  __syncthreads();
  GPU_NO_UNROLL for (int i = threadIdx.x; i < 2 * kTileRows * n_tokens; i += blockDim.x) {
    const int which = i / kTileRows % 2, token = i / kTileRows / 2, in_tile = i % kTileRows;
    const int rank = tile * kTileRows + in_tile;
    if (rank >= added.n_ranks) continue;
    const float* from = sums + which * n_slices * slice_sums + in_tile * stride + token;
    const int at = 2 * (token * added.n_ranks + rank) + which;
    put_word(added.words + (at << log2_n) + blockIdx.y % (1 << log2_n),
             add_slices(from, n_slices, slice_sums), round);
  }
}

}  // namespace hearth::kernels::hip
