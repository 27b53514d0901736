// The first kernel of a step brings the batch from the host's memory. A copy on the stream would
// cost the host three calls and the GPU, in front of every token, more than all that is to be read.
// If the batch is one token, the kernel that embeds it is the first.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

/// One block of kMailThreads, which all get the batch's first token. Kernels that start early read
/// the batch before their turn: here is said when they may, and not before it is there.
GPU_DEVICE int take_batch(const BatchParams& p) {
  __shared__ int token;
  wait_for_previous();
  const auto* from = reinterpret_cast<const uint2*>(p.mail + kMailHeader);
  auto* to = reinterpret_cast<uint2*>(p.to);
  // Both under way together, without asking first how many there are: each trip to the host takes
  // a microsecond.
  const uint32_t n = p.mail[kMailInts];
  const uint2 mine = from[threadIdx.x];
  to[threadIdx.x] = mine;
  if (threadIdx.x == 0) token = static_cast<int>(mine.x);
  for (uint32_t i = kMailThreads + threadIdx.x; 2 * i < n; i += kMailThreads) to[i] = from[i];
  __syncthreads();
  if (threadIdx.x == kMailThreads - 1) {  // which has the fewest columns of an embedding
    memory_fence();                       // for all that the block has written
    let_next_start();
    p.mail[kMailOut] = 0;
  }
  return token;
}

/// The token that a block embeds.
GPU_DEVICE int take_token(const EmbedParams& p) {
  if (p.batch.mail) return take_batch(p.batch);
  wait_for_previous();
  let_next_start();
  return p.batch.to[blockIdx.x];
}

}  // namespace hearth::kernels::hip
