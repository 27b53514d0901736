// Argmax with log-sum-exp: each thread block reduces a range of a row to its greatest logit and the
// sum of exp(logit - greatest). The host merges the ranges (range_argmax.h).
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

/// The lowest float. It is finite, so differences of logits are never NaN.
inline constexpr float kLowestLogit = -3.402823466e38f;

GPU_DEVICE RangeArgmax no_logit() { return {kLowestLogit, 0xffffffff, 0.0f, 1}; }

GPU_DEVICE RangeArgmax one_logit(float value, int id) {
  const bool finite = fabsf(value) <= -kLowestLogit;  // false for NaN, too
  return {finite ? value : kLowestLogit, static_cast<uint32_t>(id), finite ? 1.0f : 0.0f, finite};
}

/// Merges two ranges. Bitwise commutative. Selects field by field, because selecting one of two
/// structs would put both in memory.
GPU_DEVICE RangeArgmax merge_ranges(const RangeArgmax& a, const RangeArgmax& b) {
  const bool a_wins = a.best > b.best || (a.best == b.best && a.id < b.id);
  const float best = a_wins ? a.best : b.best, less = a_wins ? b.best : a.best;
  const float sum = a_wins ? a.sum : b.sum, less_sum = a_wins ? b.sum : a.sum;
  return {best, a_wins ? a.id : b.id, sum + less_sum * expf(less - best), a.finite & b.finite};
}

/// Merges the ranges of kLanes neighbouring lanes.
template <int kLanes>
GPU_DEVICE RangeArgmax merge_lanes(RangeArgmax mine) {
  GPU_NO_UNROLL for (int mask = kLanes / 2; mask > 0; mask >>= 1) {
    const int other = threadIdx.x % GPU_LANES ^ mask;
    mine = merge_ranges(mine, {shuffle(mine.best, other), shuffle(mine.id, other),
                               shuffle(mine.sum, other), shuffle(mine.finite, other)});
  }
  return mine;
}

/// The kernel. Grid (ranges, rows).
GPU_DEVICE void argmax(const ArgmaxParams& p) {
  constexpr int kWarps = kArgmaxThreads / GPU_LANES;
  __shared__ RangeArgmax scratch[kWarps];
  wait_for_previous();
  let_next_start();
  const int lane = threadIdx.x % GPU_LANES, warp = threadIdx.x / GPU_LANES, row = blockIdx.y;
  const float* logits = p.logits + static_cast<int64_t>(row) * p.n_vocab;
  float values[kArgmaxLogits / kArgmaxThreads];  // in flight together
  const int first = blockIdx.x * kArgmaxLogits + threadIdx.x;
  int id = first;
  GPU_UNROLL for (float& value : values) {
    value = id < p.n_vocab ? logits[id] : 0;
    id += kArgmaxThreads;
  }
  RangeArgmax mine = no_logit();
  id = first;
  GPU_UNROLL for (const float value : values) {
    if (id < p.n_vocab) mine = merge_ranges(mine, one_logit(value, id));
    id += kArgmaxThreads;
  }
  mine = merge_lanes<GPU_LANES>(mine);
  if (lane == 0) scratch[warp] = mine;
  __syncthreads();
  if (warp != 0) return;
  mine = merge_lanes<kWarps>(scratch[lane % kWarps]);
  if (lane != 0) return;
  // The host sees an 8-byte store as a whole, and it waits for both halves, so no fence is needed.
  uint64_t halves[2];
  memcpy(halves, &mine, sizeof(mine));
  volatile uint64_t* to = reinterpret_cast<uint64_t*>(p.ranges + row * p.n_ranges + blockIdx.x);
  to[0] = halves[0];
  to[1] = halves[1];
}

/// Picks logits by id.
GPU_DEVICE void gather(const GatherParams& p) {
  wait_for_previous();
  let_next_start();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) p.to[i] = p.from[p.ids[i]];
}

}  // namespace hearth::kernels::hip
