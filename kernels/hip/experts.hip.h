// Mixture of experts (plain::mixture). A *row* is a token at one of its experts. The router's
// logits become routes and a plan, which groups the rows into tiles of up to 8 or 32 with the same
// expert. A product's thread block takes such a tile and 16 rows of its expert's weights:
//
//   for gate and up, or down alone:
//     warp w, of four: for steps w, w + 4, ... of the weights' columns:
//       load and unpack four units; multiply them with each row of the tile; add
//   sum of a row = warp 0 + warp 1 + warp 2 + warp 3
//
// So an expert's weights are read once for up to 32 of its rows, and those of experts without rows
// not at all. The order of a sum is not that of the other products (params.h), but it depends on
// the matrix alone: a token gets the same bits in any batch.
#pragma once

#include "matmul.hip.h"

namespace hearth::kernels::hip {

/// A logit as an integer of the same order; NaN is the least.
GPU_DEVICE int order_of(float logit) {
  const float value = logit + 0.0f;  // -0 is 0
  int bits;
  memcpy(&bits, &value, sizeof bits);
  return logit == logit ? bits ^ (bits >> 31 & 0x7fffffff) : -0x7fffffff;
}

/// A warp chooses a token's experts, the lowest id of equals. Lane i gets the i-th of them by
/// logits; routes want them by id.
GPU_DEVICE void choose_experts(const float* logits, int n_experts, int n_used, float* routes) {
  constexpr int kOwn = kMaxExperts / GPU_LANES, kNone = -0x7fffffff - 1;
  const int lane = threadIdx.x % GPU_LANES;
  int orders[kOwn];  // of experts lane, lane + 32, ...
  GPU_UNROLL for (int k = 0; k < kOwn; k++) {
    const int i = lane + k * GPU_LANES;
    orders[k] = i < n_experts ? order_of(logits[i]) : kNone;
  }
  int first = 0, mine = 0;
  GPU_NO_UNROLL for (int i = 0; i < n_used; i++) {
    int best = kNone, expert = kMaxExperts;
    GPU_UNROLL for (int k = 0; k < kOwn; k++) {
      if (orders[k] <= best) continue;
      best = orders[k], expert = lane + k * GPU_LANES;
    }
    const int greatest = warp_max(best);
    const int chosen = -warp_max(best == greatest ? -expert : -kMaxExperts);
    GPU_UNROLL for (int k = 0; k < kOwn; k++) {
      if (lane + k * GPU_LANES == chosen) orders[k] = kNone;
    }
    if (i == 0) first = chosen;
    if (i == lane) mine = chosen;
  }
  const float weight = lane < n_used ? expf(logits[mine] - logits[first]) : 0;
  const float sum = warp_sum(weight);
  int rank = 0;
  GPU_NO_UNROLL for (int i = 0; i < n_used; i++) rank += shuffle(mine, i) < mine;
  if (lane >= n_used) return;
  routes[rank] = static_cast<float>(mine);
  routes[n_used + rank] = weight / sum;
}

/// Makes the plan: the rows of each expert fill tiles one after the other. Thread i has expert i.
/// The order of an expert's rows varies from run to run; no sum depends on it.
GPU_DEVICE void plan_rows(const RouteParams& p) {
  __shared__ uint32_t counts[kMaxExperts];
  __shared__ int first_tiles[kMaxExperts];
  __shared__ int16_t experts[kMaxExpertRows], places[kMaxExpertRows];
  const int n_rows = p.n_tokens * p.n_used, expert = threadIdx.x;
  counts[expert] = 0;
  __syncthreads();
  for (int row = threadIdx.x; row < n_rows; row += blockDim.x) {
    const float id = p.routes[row / p.n_used * 2 * p.n_used + row % p.n_used];
    experts[row] = static_cast<int16_t>(id);
    places[row] = static_cast<int16_t>(atomicAdd(&counts[experts[row]], 1u));
  }
  __syncthreads();
  const int own = static_cast<int>(counts[expert]);
  int first = 0, all = 0;
  for (int i = 0; i < p.n_experts; i++) {
    const int n = ceil_div(static_cast<int>(counts[i]), p.most_rows);
    if (i < expert) first += n;
    all += n;
  }
  first_tiles[expert] = first;
  for (int done = 0; done < own; done += p.most_rows) {
    ExpertTile& tile = p.tiles[first + done / p.most_rows];
    tile.expert = expert;
    tile.n_rows = min(own - done, p.most_rows);
  }
  __syncthreads();
  for (int row = threadIdx.x; row < n_rows; row += blockDim.x) {
    ExpertTile* tiles = p.tiles + first_tiles[experts[row]];
    tiles[places[row] / p.most_rows].rows[places[row] % p.most_rows] = row;
  }
  for (int i = all + expert; i < p.n_tiles; i += blockDim.x) p.tiles[i].n_rows = 0;
}

/// One thread block: a warp chooses the experts of one token after the other; then the plan.
GPU_DEVICE void route(const RouteParams& p) {
  wait_for_previous();
  let_next_start();
  const int warp = threadIdx.x / GPU_LANES, n_warps = blockDim.x / GPU_LANES;
  for (int token = warp; token < p.n_tokens; token += n_warps)
    choose_experts(p.logits + token * p.n_experts, p.n_experts, p.n_used,
                   p.routes + token * 2 * p.n_used);
  __syncthreads();
  plan_rows(p);
}

/// The slot of a row's group 0 in x; that of group k is k * x.n_slots further.
GPU_DEVICE int first_slot(const ExpertParams& p, int row) {
  const int i = row / p.rows_of_input;
  return i / kTileTokens * p.x.n_groups * p.x.n_slots + i % kTileTokens;
}

/// A lane's operands of the eight rows of a tile from `first` on. Lanes of rows that do not exist
/// read the last one that does.
GPU_DEVICE OperandSource source_of(const ExpertParams& p, const ExpertTile& tile, int first) {
  const int lane = threadIdx.x % GPU_LANES, t = lane % 4, last = tile.n_rows - 1;
  const auto slot = [&](int i) { return first_slot(p, tile.rows[min(first + i, last)]); };
  return {p.x.q + slot(lane / 4) * kGroup + t * 8,
          {p.x.scales + slot(2 * t), p.x.scales + slot(2 * t + 1)}};
}

/// Adds up steps warp, warp + n_warps, ... of a tile of weights. A step is four units, in some
/// formats a super-block, whose loads are in flight together. Weights are unpacked once for all
/// kEights * 8 rows.
template <BlockType kType, int kEights>
GPU_DEVICE void multiply_steps(const ExpertParams& p, const uint8_t* weights, int warp, int n_warps,
                               const OperandSource (&x)[kEights], int n_rows,
                               RowSum (&sum)[kEights][4]) {
  constexpr int kStep = kBlockUnits;
  using Weights = GroupWeights<kType>;
  const int lane = threadIdx.x % GPU_LANES;
  GPU_NO_UNROLL for (int first = kStep * warp; first < p.n_units; first += kStep * n_warps) {
    Unit<kType> units[kStep];
    GPU_UNROLL for (int k = 0; k < kStep; k++) units[k] =
        Unit<kType>::load(weights, min(first + k, p.n_units - 1), lane);
    GPU_UNROLL for (int k = 0; k < kStep; k++) {
      if (first + k >= p.n_units) continue;
      const auto w0 = Weights::of(units[k], 0), w1 = Weights::of(units[k], 1);
      GPU_UNROLL for (int i = 0; i < kEights; i++) {
        const int n = n_rows - i * kTileTokens;
        if (n <= 0) continue;
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

/// Grid (tiles of weights, tiles of up to kEights * 8 rows). Thread n ends up with row n % 16 of
/// the weights and every eighth row of the tile from n / 16 on.
template <BlockType kType, int kEights>
GPU_DEVICE void multiply_experts(const ExpertParams& p) {
  constexpr int kWarps = kExpertThreads / GPU_LANES, kRows = kEights * kTileTokens;
  __shared__ float sums[2][kWarps][kRows][kTileRows + 1];
  wait_for_previous();  // which weights to read is known only now
  let_next_start();
  const ExpertTile& tile = p.tiles[blockIdx.y];
  const int n_rows = tile.n_rows;
  if (n_rows == 0) return;
  const int lane = threadIdx.x % GPU_LANES, warp = threadIdx.x / GPU_LANES;
  OperandSource x[kEights];
  GPU_UNROLL for (int i = 0; i < kEights; i++) x[i] = source_of(p, tile, i * kTileTokens);
  GPU_NO_UNROLL for (int k = 0; k < (p.b ? 2 : 1); k++) {
    const uint8_t* weights =
        (k ? p.b : p.a) + tile.expert * p.expert_bytes + blockIdx.x * p.tile_bytes;
    RowSum sum[kEights][4] = {};
    multiply_steps<kType, kEights>(p, weights, warp, kWarps, x, n_rows, sum);
    GPU_UNROLL for (int i = 0; i < kEights; i++) GPU_UNROLL for (int j = 0; j < 4; j++)
        sums[k][warp][i * kTileTokens + lane % 4 * 2 + j % 2][lane / 4 + j / 2 * 8] =
            sum[i][j].total;
  }
  __syncthreads();
  const int i = threadIdx.x % kTileRows, col = blockIdx.x * kTileRows + i;
  if (col >= p.n_out) return;
  for (int k = threadIdx.x / kTileRows; k < n_rows; k += kExpertThreads / kTileRows) {
    const int row = tile.rows[k];
    const auto total = [&](int matrix) {
      float sum = 0;
      GPU_UNROLL for (int w = 0; w < kWarps; w++) sum += sums[matrix][w][k][i];
      return sum * token_factor(p.norm, p.x.squares, p.x.n_groups, row / p.rows_of_input);
    };
    p.out[static_cast<int64_t>(row) * p.n_out + col] = p.b ? swiglu(total(0), total(1)) : total(0);
  }
}

/// Grid (tokens, columns). x += scale * weight of the route * row, for a token's rows in rising
/// order of experts.
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
