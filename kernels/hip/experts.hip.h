// Mixture of experts. The router's logits become routes and a plan, which groups the rows (a token
// for one of its experts) into tiles of up to eight rows with the same expert. A product's thread
// block takes such a tile and 16 rows of its expert's weights: so an expert's weights are read once
// for eight of its rows, and those of experts without rows not at all. The order in which a sum is
// added depends on the matrix alone, and so a token gets the same bits in any batch.
#pragma once

#include "matmul.hip.h"

namespace hearth::kernels::hip {

struct ExpertLogit {
  float logit;  // NaN counts as the least
  int expert;

  GPU_MEMBER bool precedes(const ExpertLogit& other) const {
    return logit > other.logit || (logit == other.logit && expert < other.expert);
  }
};

/// The greatest logit that `last` precedes; a warp looks for it, and all lanes get it.
GPU_DEVICE ExpertLogit next_expert(const float* logits, int n_experts, const ExpertLogit& last) {
  ExpertLogit best = {-INFINITY, kMaxExperts};
  for (int i = threadIdx.x % GPU_LANES; i < n_experts; i += GPU_LANES) {
    const float logit = logits[i];
    const ExpertLogit one = {logit == logit ? logit : -INFINITY, i};
    if (last.precedes(one) && one.precedes(best)) best = one;
  }
  GPU_UNROLL for (int mask = GPU_LANES / 2; mask > 0; mask >>= 1) {
    const ExpertLogit other = {shuffle_xor(best.logit, mask), shuffle_xor(best.expert, mask)};
    if (other.precedes(best)) best = other;
  }
  return best;
}

/// A warp chooses a token's experts. Lane i has the i-th of them by logits; routes want them by id.
GPU_DEVICE void choose_experts(const float* logits, int n_experts, int n_used, float* routes) {
  const int lane = threadIdx.x % GPU_LANES;
  ExpertLogit last = {INFINITY, -1};
  int first = 0, mine = kMaxExperts;
  GPU_NO_UNROLL for (int i = 0; i < n_used; i++) {
    last = next_expert(logits, n_experts, last);
    if (i == 0) first = last.expert;
    if (i == lane) mine = last.expert;
  }
  const float weight = lane < n_used ? expf(logits[mine] - logits[first]) : 0;
  const float sum = warp_sum(weight);
  int rank = 0;
  GPU_NO_UNROLL for (int i = 0; i < n_used; i++) rank += shuffle(mine, i) < mine;
  if (lane >= n_used) return;
  routes[rank] = static_cast<float>(mine);
  routes[n_used + rank] = weight / sum;
}

/// Makes the plan from the experts of all rows. A thread does it for one expert.
GPU_DEVICE void plan_rows(const int16_t* experts, const RouteParams& p) {
  __shared__ int n_tiles[kMaxExperts];
  const int expert = threadIdx.x, n_rows = p.n_tokens * p.n_used;
  int n = 0;
  for (int row = 0; row < n_rows; row++) n += experts[row] == expert;
  n_tiles[expert] = ceil_div(n, kTileTokens);
  __syncthreads();
  int first = 0, all = 0;
  for (int i = 0; i < p.n_experts; i++) {
    if (i < expert) first += n_tiles[i];
    all += n_tiles[i];
  }
  for (int i = 0; i < n_tiles[expert]; i++) {
    p.tiles[first + i].expert = expert;
    p.tiles[first + i].n_rows = min(n - i * kTileTokens, kTileTokens);
  }
  for (int row = 0, k = 0; row < n_rows && k < n; row++) {
    if (experts[row] != expert) continue;
    p.tiles[first + k / kTileTokens].rows[k % kTileTokens] = row;
    k++;
  }
  for (int i = all + expert; i < p.n_tiles; i += blockDim.x) p.tiles[i].n_rows = 0;
}

/// One thread block: a warp chooses the experts of one token after the other; then the plan.
GPU_DEVICE void route(const RouteParams& p) {
  __shared__ int16_t experts[kMaxExpertRows];
  wait_for_previous();
  let_next_start();
  const int warp = threadIdx.x / GPU_LANES, n_warps = blockDim.x / GPU_LANES;
  for (int token = warp; token < p.n_tokens; token += n_warps)
    choose_experts(p.logits + token * p.n_experts, p.n_experts, p.n_used,
                   p.routes + token * 2 * p.n_used);
  __syncthreads();
  for (int row = threadIdx.x; row < p.n_tokens * p.n_used; row += blockDim.x)
    experts[row] = static_cast<int16_t>(p.routes[row / p.n_used * 2 * p.n_used + row % p.n_used]);
  __syncthreads();
  plan_rows(experts, p);
}

/// Where a row's slots are in x: that of group k is `first` + k * x.n_slots.
GPU_DEVICE int first_slot(const ExpertParams& p, int row) {
  const int i = row / p.rows_of_input;
  return i / kTileTokens * p.x.n_groups * p.x.n_slots + i % kTileTokens;
}

/// A lane's operand of a tile of rows. Lanes of rows that do not exist read the last one that does.
GPU_DEVICE OperandSource source_of(const ExpertParams& p, const ExpertTile& tile) {
  const int lane = threadIdx.x % GPU_LANES, t = lane % 4, last = tile.n_rows - 1;
  const auto slot = [&](int i) { return first_slot(p, tile.rows[min(i, last)]); };
  return {p.x.q + slot(lane / 4) * kGroup + t * 8,
          {p.x.scales + slot(2 * t), p.x.scales + slot(2 * t + 1)}};
}

/// Adds up a warp's share of a tile of weights, every n_warps-th step of four units, which for some
/// formats are a super-block. Its loads are in flight together.
template <BlockType kType>
GPU_DEVICE void multiply_steps(const ExpertParams& p, const uint8_t* weights, int warp, int n_warps,
                               const OperandSource& x, int n_rows, RowSum (&sum)[4]) {
  constexpr int kStep = kBlockUnits;
  const int lane = threadIdx.x % GPU_LANES;
  GPU_NO_UNROLL for (int first = kStep * warp; first < p.n_units; first += kStep * n_warps) {
    Unit<kType> units[kStep];
    GPU_UNROLL for (int k = 0; k < kStep; k++) units[k] =
        Unit<kType>::load(weights, min(first + k, p.n_units - 1), lane);
    GPU_UNROLL for (int k = 0; k < kStep; k++) {
      if (first + k >= p.n_units) continue;
      const Operand x0 = x.load(2 * (first + k) * p.x.n_slots);
      const Operand x1 = x.load((2 * (first + k) + 1) * p.x.n_slots);
      multiply_group<kType, 0>(units[k], x0, n_rows, sum);
      multiply_group<kType, 1>(units[k], x1, n_rows, sum);
      if (!Layout<kType>::kSuper || k < kStep - 1) continue;
      const RowScale rows[2] = {units[k].scales.scale(0, 0), units[k].scales.scale(1, 0)};
      GPU_UNROLL for (int i = 0; i < 4; i++)
          close_block<kType>(sum[i], rows[i / 2], x0.scales[i % 2].scale);
    }
  }
}

/// Grid (tiles of weights, tiles of rows). Thread i ends up with row i % 16 of the weights and
/// row i / 16 of the tile.
template <BlockType kType>
GPU_DEVICE void multiply_experts(const ExpertParams& p) {
  constexpr int kWarps = kExpertThreads / GPU_LANES;
  __shared__ float sums[2][kWarps][kTileTokens][kTileRows + 1];
  wait_for_previous();
  let_next_start();
  const ExpertTile& tile = p.tiles[blockIdx.y];
  const int n_rows = tile.n_rows;
  if (n_rows == 0) return;
  const int lane = threadIdx.x % GPU_LANES, warp = threadIdx.x / GPU_LANES;
  const OperandSource x = source_of(p, tile);
  GPU_NO_UNROLL for (int k = 0; k < (p.b ? 2 : 1); k++) {
    const uint8_t* weights =
        (k ? p.b : p.a) + tile.expert * p.expert_bytes + blockIdx.x * p.tile_bytes;
    RowSum sum[4] = {};
    multiply_steps<kType>(p, weights, warp, kWarps, x, n_rows, sum);
    GPU_UNROLL for (int i = 0; i < 4; i++)
        sums[k][warp][lane % 4 * 2 + i % 2][lane / 4 + i / 2 * 8] = sum[i].total;
  }
  __syncthreads();
  const int i = threadIdx.x % kTileRows, k = threadIdx.x / kTileRows;
  const int col = blockIdx.x * kTileRows + i;
  if (k >= n_rows || col >= p.n_out) return;
  const int row = tile.rows[k];
  const auto total = [&](int matrix) {
    float sum = 0;
    GPU_UNROLL for (int w = 0; w < kWarps; w++) sum += sums[matrix][w][k][i];
    return sum * token_factor(p.norm, p.x.squares, p.x.n_groups, row / p.rows_of_input);
  };
  p.out[static_cast<int64_t>(row) * p.n_out + col] = p.b ? swiglu(total(0), total(1)) : total(0);
}

/// Grid (tokens, columns). Adds the rows of a token to it, in rising order of experts.
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
