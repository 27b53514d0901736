// Greatest and second greatest logit of a row, and whether all are finite, in two steps: parts of
// the row, then the parts. The lowest id wins a tie whatever the order of comparing.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

#define GPU_ARGMAX_THREADS 256

/// Field by field: choosing one of two structures takes memory for both.
GPU_DEVICE ArgmaxPart better(ArgmaxPart a, ArgmaxPart b) {
  const bool a_wins = a.best > b.best || (a.best == b.best && a.id < b.id);
  return {a_wins ? a.best : b.best, fmaxf(a_wins ? a.second : b.second, a_wins ? b.best : a.best),
          a_wins ? a.id : b.id, a.finite & b.finite};
}

GPU_DEVICE ArgmaxPart nothing() { return {-INFINITY, -INFINITY, 0xffffffffu, 1}; }

/// Over the block; thread 0 has the result.
GPU_DEVICE ArgmaxPart block_best(ArgmaxPart mine, ArgmaxPart* scratch) {
  scratch[threadIdx.x] = mine;
  for (int n = GPU_ARGMAX_THREADS / 2; n > 0; n /= 2) {
    __syncthreads();
    if (threadIdx.x < n)
      scratch[threadIdx.x] = better(scratch[threadIdx.x], scratch[threadIdx.x + n]);
  }
  return scratch[0];
}

/// Grid (blocks, rows).
GPU_DEVICE void argmax_parts(const ArgmaxParams& p) {
  __shared__ ArgmaxPart scratch[GPU_ARGMAX_THREADS];
  wait_for_previous();
  let_next_start();
  const float* logits = p.logits + static_cast<int64_t>(blockIdx.y) * p.n_vocab;
  ArgmaxPart mine = nothing();
  for (int i = blockIdx.x * GPU_ARGMAX_THREADS + threadIdx.x; i < p.n_vocab;
       i += p.n_blocks * GPU_ARGMAX_THREADS) {
    const float value = logits[i];
    const bool finite = fabsf(value) <= 3.402823466e38f;  // false for NaN, too
    mine = better(mine, {finite ? value : -INFINITY, -INFINITY, static_cast<uint32_t>(i), finite});
  }
  const ArgmaxPart best = block_best(mine, scratch);
  if (threadIdx.x == 0) p.parts[blockIdx.y * p.n_blocks + blockIdx.x] = best;
}

/// Grid (rows).
GPU_DEVICE void argmax_result(const ArgmaxParams& p) {
  __shared__ ArgmaxPart scratch[GPU_ARGMAX_THREADS];
  wait_for_previous();
  let_next_start();
  ArgmaxPart mine = nothing();
  for (int i = threadIdx.x; i < p.n_blocks; i += GPU_ARGMAX_THREADS)
    mine = better(mine, p.parts[blockIdx.x * p.n_blocks + i]);
  const ArgmaxPart best = block_best(mine, scratch);
  if (threadIdx.x != 0) return;
  ArgmaxPart& to = p.result[blockIdx.x];
  to.best = best.best, to.second = best.second, to.id = best.id;
  host_fence();
  to.finite = best.finite;  // which the host waits for
}

/// Picks logits by id.
GPU_DEVICE void gather(const GatherParams& p) {
  wait_for_previous();
  let_next_start();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) p.to[i] = p.from[p.ids[i]];
}

}  // namespace hearth::kernels::hip
