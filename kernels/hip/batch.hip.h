// The first kernel of a step: brings the batch from the host's memory. A copy on the stream would
// cost the host three calls and the GPU, in front of every token, more than all that is to be read.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

/// One block. Kernels that start early read the batch before their turn: none does so before this
/// one has ended, and its fence stands for what it wrote.
GPU_DEVICE void take_batch(const BatchParams& p) {
  wait_for_previous();
  const auto* from = reinterpret_cast<const uint4*>(p.mail + kMailHeader);
  auto* to = reinterpret_cast<uint4*>(p.to);
  // The first without asking how many there are: each trip to the host takes a microsecond.
  to[threadIdx.x] = from[threadIdx.x];
  const uint32_t n = p.mail[kMailInts];
  for (uint32_t i = blockDim.x + threadIdx.x; 4 * i < n; i += blockDim.x) to[i] = from[i];
  memory_fence();
  __syncthreads();
  if (threadIdx.x == 0) p.mail[kMailOut] = 0;
}

}  // namespace hearth::kernels::hip
