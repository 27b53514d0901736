// Greatest and second greatest logit of a row, and whether all are finite: of each block's part of
// the row. The host puts the parts together.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

GPU_DEVICE ArgmaxPart one_logit(float value, int id) {
  const bool finite = fabsf(value) <= 3.402823466e38f;  // false for NaN, too
  return {finite ? value : -INFINITY, static_cast<uint32_t>(id), -INFINITY, finite};
}

/// Over kLanes neighbours.
template <int kLanes>
GPU_DEVICE ArgmaxPart lanes_best(ArgmaxPart mine) {
  GPU_NO_UNROLL for (int mask = kLanes / 2; mask > 0; mask >>= 1) {
    const int other = threadIdx.x % GPU_LANES ^ mask;
    mine = better(mine, {shuffle(mine.best, other), shuffle(mine.id, other),
                         shuffle(mine.second, other), shuffle(mine.finite, other)});
  }
  return mine;
}

/// Grid (parts, rows).
GPU_DEVICE void argmax(const ArgmaxParams& p) {
  constexpr int kWarps = kArgmaxThreads / GPU_LANES;
  __shared__ ArgmaxPart scratch[kWarps];
  wait_for_previous();
  let_next_start();
  const int lane = threadIdx.x % GPU_LANES, warp = threadIdx.x / GPU_LANES, row = blockIdx.y;
  const float* logits = p.logits + static_cast<int64_t>(row) * p.n_vocab;
  ArgmaxPart mine = no_logit();
  for (int first = blockIdx.x * kArgmaxLogits; first < p.n_vocab;
       first += p.n_parts * kArgmaxLogits) {
    float values[kArgmaxLogits / kArgmaxThreads];  // under way together
    int id = first + threadIdx.x;
    GPU_UNROLL for (float& value : values) {
      value = id < p.n_vocab ? logits[id] : 0;
      id += kArgmaxThreads;
    }
    id = first + threadIdx.x;
    GPU_UNROLL for (const float value : values) {
      if (id < p.n_vocab) mine = better(mine, one_logit(value, id));
      id += kArgmaxThreads;
    }
  }
  mine = lanes_best<GPU_LANES>(mine);
  if (lane == 0) scratch[warp] = mine;
  __syncthreads();
  if (warp != 0) return;
  mine = lanes_best<kWarps>(scratch[lane % kWarps]);
  if (lane != 0) return;
  // Each half comes to the host whole: it waits for both, and so the GPU need not.
  uint64_t halves[2];
  memcpy(halves, &mine, sizeof(mine));
  volatile uint64_t* to = reinterpret_cast<uint64_t*>(p.parts + row * p.n_parts + blockIdx.x);
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
