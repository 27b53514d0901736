// Mixture of experts: the routes and the plan of a batch. The router's logits give each token its
// routes: its experts and their weights. The plan groups the batch's expert rows (a row is one
// token at one of its experts) into tiles of up to 8 or 32 rows with the same expert (ExpertTile).
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

/// Maps logits to integers in the same order. NaN is lower than any logit.
GPU_DEVICE int order_of(float logit) {
  const float value = logit + 0.0f;  // -0 is 0
  int bits;
  memcpy(&bits, &value, sizeof bits);
  return logit == logit ? bits ^ (bits >> 31 & 0x7fffffff) : -0x7fffffff;
}

/// A warp chooses a token's experts; of equal logits the lowest id wins. Lane i gets the expert
/// with the i-th greatest logit; the routes list the experts in order of ids.
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

/// Makes the plan: the rows of each expert fill one tile after another. Thread i has expert i.
/// The order of an expert's rows varies from run to run; no sum depends on it.
GPU_DEVICE void plan_rows(const RouteParams& p) {
  __shared__ uint32_t counts[kMaxExperts];
  __shared__ int n_tiles[kMaxExperts], first_tiles[kMaxExperts];
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
  n_tiles[expert] = ceil_div(own, p.max_rows);
  __syncthreads();
  int first = 0, all = 0;
  for (int i = 0; i < p.n_experts; i++) {
    if (i < expert) first += n_tiles[i];
    all += n_tiles[i];
  }
  first_tiles[expert] = first;
  for (int done = 0; done < own; done += p.max_rows) {
    ExpertTile& tile = p.tiles[first + done / p.max_rows];
    tile.expert = expert;
    tile.n_rows = min(own - done, p.max_rows);
  }
  __syncthreads();
  for (int row = threadIdx.x; row < n_rows; row += blockDim.x) {
    ExpertTile* tiles = p.tiles + first_tiles[experts[row]];
    tiles[places[row] / p.max_rows].rows[places[row] % p.max_rows] = row;
  }
  for (int i = all + expert; i < p.n_tiles; i += blockDim.x) p.tiles[i].n_rows = 0;
}

/// The warps of the grid choose the experts of all tokens; each warp takes one token after another.
GPU_DEVICE void choose_routes(const RouteParams& p) {
  const int n_warps = blockDim.x / GPU_LANES, warp = threadIdx.x / GPU_LANES;
  for (int token = blockIdx.x * n_warps + warp; token < p.n_tokens; token += gridDim.x * n_warps)
    choose_experts(p.logits + token * p.n_experts, p.n_experts, p.n_used,
                   p.routes + token * 2 * p.n_used);
}

/// Three kernels. For few tokens, route() does all in one thread block. For more, a grid runs
/// choose(), and then one thread block runs plan().
GPU_DEVICE void route(const RouteParams& p) {
  wait_for_previous();
  let_next_start();
  choose_routes(p);
  __syncthreads();
  plan_rows(p);
}
GPU_DEVICE void choose(const RouteParams& p) {
  wait_for_previous();
  let_next_start();
  choose_routes(p);
}
GPU_DEVICE void plan(const RouteParams& p) {
  wait_for_previous();
  let_next_start();
  plan_rows(p);
}

}  // namespace hearth::kernels::hip
