// Mixture of experts (plain::mixture): multiplies the plan's tiles of expert rows (ExpertTile) by
// the weights of their experts. Below, "row" alone means an expert row.
//
//   for gate and up, or down alone:
//     portion w of four: for steps w, w + 4, ... of the weights' columns:
//       load and unpack four units; multiply them with each row of the tile; add
//   sum of a row = portion 0 + portion 1 + portion 2 + portion 3
//
// A thread block has four warps. For few rows it takes 16 rows of weights, and each warp has one
// portion of them. For many rows it takes 64 rows of weights, and each warp has all portions of 16
// of them. So an expert's weights are read once for up to 32 of its rows, and not at all if it has
// none. The order of a sum differs from that of the other products (tiling.h), but it depends only
// on the matrix: a token gets the same bits in any batch.
#pragma once

#include "matmul.hip.h"

namespace hearth::kernels::hip {

/// The slot of a row's group 0 in x; that of group k is k * x.n_slots further.
GPU_DEVICE int first_slot(const ExpertParams& p, int row) {
  const int i = row / p.rows_of_input;
  return i / kTileTokens * p.x.n_groups * p.x.n_slots + i % kTileTokens;
}

/// A lane's operands for eight rows of a tile, from `first` on. Lanes without a row read the last
/// one.
GPU_DEVICE OperandSource source_of(const ExpertParams& p, const ExpertTile& tile, int first) {
  const int lane = threadIdx.x % GPU_LANES, t = lane % 4, last = tile.n_rows - 1;
  const auto slot = [&](int i) { return first_slot(p, tile.rows[min(first + i, last)]); };
  return {p.x.q + slot(lane / 4) * kGroup + t * 8,
          {p.x.scales + slot(2 * t), p.x.scales + slot(2 * t + 1)}};
}

/// The address of tile `i` of an expert's weights: of gate or down (matrix 0), or of up (matrix 1).
GPU_DEVICE const uint8_t* expert_tile(const ExpertParams& p, int expert, int matrix, int i) {
  return (matrix ? p.b : p.a) + expert * p.expert_bytes + i * p.tile_bytes;
}

/// Adds up one portion of a tile of weights: steps portion, portion + 4, and so on. A step is four
/// units (in super-block formats, a super-block), whose loads are in flight together. Weights are
/// unpacked once for all rows.
template <BlockType kType, int kEights>
GPU_DEVICE void multiply_steps(const ExpertParams& p, const uint8_t* weights, int portion,
                               int n_rows, const OperandSource (&x)[kEights],
                               RowSum (&sum)[kEights][4]) {
  constexpr int kStep = kBlockUnits;
  using Weights = GroupWeights<kType>;
  const int lane = threadIdx.x % GPU_LANES;
  GPU_NO_UNROLL for (int first = kStep * portion; first < p.n_units;
                     first += kStep * kExpertWarps) {
    Unit<kType> units[kStep];
    GPU_UNROLL for (int k = 0; k < kStep; k++) units[k] =
        Unit<kType>::load(weights, min(first + k, p.n_units - 1), lane);
    GPU_UNROLL for (int k = 0; k < kStep; k++) {
      if (first + k >= p.n_units) continue;
      const auto w0 = Weights::of(units[k], 0), w1 = Weights::of(units[k], 1);
      GPU_UNROLL for (int i = 0; i < kEights; i++) {
        const int n = n_rows - i * kTileTokens;
        const Operand x0 = x[i].load(2 * (first + k) * p.x.n_slots);
        const Operand x1 = x[i].load((2 * (first + k) + 1) * p.x.n_slots);
        multiply_group<kType, 0>(w0, units[k], x0, n, sum[i]);
        multiply_group<kType, 1>(w1, units[k], x1, n, sum[i]);
        if (!Layout<kType>::kSuper || k < kStep - 1) continue;
        const RowScale rows[2] = {units[k].scales.scale(0, 0), units[k].scales.scale(1, 0)};
        GPU_UNROLL for (int j = 0; j < 4; j++)
            close_block<kType>(sum[i][j], rows[j / 2], x0.scales[j % 2].scale);
      }
    }
  }
}

/// The factor of a row's sums (token_factor).
GPU_DEVICE float row_factor(const ExpertParams& p, int row) {
  return token_factor(p.norm, p.x.squares, p.x.n_groups, row / p.rows_of_input);
}

/// The kernel for few rows. Grid (tiles of weights, tiles of up to 8 rows). Thread n ends up with
/// row n % 16 of the weights and row n / 16 of the tile.
template <BlockType kType>
GPU_DEVICE void multiply_experts(const ExpertParams& p) {
  __shared__ float sums[2][kExpertWarps][kTileTokens][kTileRows + 1];
  wait_for_previous();  // the plan decides which weights to read
  let_next_start();
  const ExpertTile& tile = p.tiles[blockIdx.y];
  const int n_rows = tile.n_rows;
  if (n_rows == 0) return;
  const int lane = threadIdx.x % GPU_LANES, warp = threadIdx.x / GPU_LANES;
  const OperandSource x[1] = {source_of(p, tile, 0)};
  GPU_NO_UNROLL for (int k = 0; k < (p.b ? 2 : 1); k++) {
    const uint8_t* weights = expert_tile(p, tile.expert, k, blockIdx.x);
    RowSum sum[1][4] = {};
    multiply_steps<kType, 1>(p, weights, warp, n_rows, x, sum);
    GPU_UNROLL for (int j = 0; j < 4; j++)
        sums[k][warp][lane % 4 * 2 + j % 2][lane / 4 + j / 2 * 8] = sum[0][j].total;
  }
  __syncthreads();
  const int i = threadIdx.x % kTileRows, col = blockIdx.x * kTileRows + i;
  const int k = threadIdx.x / kTileRows;
  if (col >= p.n_out || k >= n_rows) return;
  const int row = tile.rows[k];
  const float factor = row_factor(p, row);
  const auto total = [&](int matrix) {
    float sum = 0;
    GPU_UNROLL for (int w = 0; w < kExpertWarps; w++) sum += sums[matrix][w][k][i];
    return sum * factor;
  };
  p.out[static_cast<int64_t>(row) * p.n_out + col] = p.b ? swiglu(total(0), total(1)) : total(0);
}

/// A warp multiplies a tile of weights by kEights * 8 rows. Lane 4g + t gets the sums for rows g
/// and g + 8 of the weights and rows 2t and 2t + 1 of each eight. Portions are added in ascending
/// order, like those of the four warps in multiply_experts().
template <BlockType kType, int kEights>
GPU_DEVICE void multiply_tile(const ExpertParams& p, const uint8_t* weights, int n_rows,
                              const OperandSource (&x)[kEights], float (&total)[kEights][4]) {
  GPU_NO_UNROLL for (int portion = 0; portion < kExpertWarps; portion++) {
    RowSum sum[kEights][4] = {};
    multiply_steps<kType, kEights>(p, weights, portion, n_rows, x, sum);
    GPU_UNROLL for (int i = 0; i < kEights; i++) GPU_UNROLL for (int j = 0; j < 4; j++)
        total[i][j] += sum[i][j].total;
  }
}

/// A warp's results: a tile of weights, or of gate and up, times kEights * 8 rows.
template <BlockType kType, int kEights>
GPU_DEVICE void multiply_rows(const ExpertParams& p, const ExpertTile& tile, int weights_tile) {
  const int lane = threadIdx.x % GPU_LANES, n_rows = tile.n_rows;
  OperandSource x[kEights];
  GPU_UNROLL for (int i = 0; i < kEights; i++) x[i] = source_of(p, tile, i * kTileTokens);
  float first[kEights][4] = {}, second[kEights][4] = {};
  multiply_tile<kType>(p, expert_tile(p, tile.expert, 0, weights_tile), n_rows, x, first);
  if (p.b) multiply_tile<kType>(p, expert_tile(p, tile.expert, 1, weights_tile), n_rows, x, second);
  GPU_UNROLL for (int i = 0; i < kEights; i++) GPU_UNROLL for (int token = 0; token < 2; token++) {
    const int k = i * kTileTokens + lane % 4 * 2 + token;
    if (k >= n_rows) continue;
    const int row = tile.rows[k];
    const float factor = row_factor(p, row);
    GPU_UNROLL for (int half = 0; half < 2; half++) {
      const int col = weights_tile * kTileRows + lane / 4 + half * 8;
      if (col >= p.n_out) continue;
      const float a = first[i][2 * half + token] * factor;
      const float b = second[i][2 * half + token] * factor;
      p.out[static_cast<int64_t>(row) * p.n_out + col] = p.b ? swiglu(a, b) : a;
    }
  }
}

/// The kernel for many rows: a warp takes all columns, so that it waits for no other warp, and
/// unpacks weights once for up to 32 rows. Grid (a quarter of the tiles of weights, rounded up;
/// tiles of up to 32 rows).
template <BlockType kType>
GPU_DEVICE void multiply_many_rows(const ExpertParams& p) {
  wait_for_previous();
  let_next_start();
  const ExpertTile& tile = p.tiles[blockIdx.y];
  const int weights_tile = blockIdx.x * kExpertWarps + threadIdx.x / GPU_LANES;
  if (weights_tile * kTileRows >= p.n_out) return;
  // There is one loop for each number of eights, so that no loop has branches.
  switch (ceil_div(tile.n_rows, kTileTokens)) {
    case 1:
      return multiply_rows<kType, 1>(p, tile, weights_tile);
    case 2:
      return multiply_rows<kType, 2>(p, tile, weights_tile);
    case 3:
      return multiply_rows<kType, 3>(p, tile, weights_tile);
    case 4:
      return multiply_rows<kType, 4>(p, tile, weights_tile);
  }
}

/// x += scale * weight of the route * row, for each row of a token in ascending order of experts.
/// Grid (tokens, columns).
GPU_DEVICE void add_experts(const AddExpertsParams& p) {
  wait_for_previous();
  let_next_start();
  const int token = blockIdx.x, col = blockIdx.y * blockDim.x + threadIdx.x;
  if (col >= p.n_cols) return;
  const float* weights = p.routes + token * 2 * p.n_used + p.n_used;
  const float* rows = p.rows + static_cast<int64_t>(token) * p.n_used * p.n_cols + col;
  float& x = p.x[static_cast<int64_t>(token) * p.n_cols + col];
  float sum = x;
  for (int i = 0; i < p.n_used; i++) sum = fmaf(p.scale * weights[i], rows[i * p.n_cols], sum);
  x = sum;
}

}  // namespace hearth::kernels::hip
