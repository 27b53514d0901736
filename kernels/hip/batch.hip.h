// The first kernel of a step reads the batch from pinned host memory (the mailbox, params.h). A
// copy on the stream would cost the host three calls and delay every token by more than this read.
// For a batch of one token, the embedding is that kernel.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

/// For one thread block of kMailThreads; all its threads get the batch's first token. Later kernels
/// may read the batch before their wait_for_previous(), so let_next_start() comes only after the
/// batch is written.
GPU_DEVICE int take_batch(const BatchParams& p) {
  __shared__ int token;
  wait_for_previous();
  const auto* from = reinterpret_cast<const uint2*>(p.mail + kMailHeader);
  auto* to = reinterpret_cast<uint2*>(p.to);
  // Both loads are in flight together, before n is known: each round trip to host memory takes a
  // microsecond.
  const uint32_t n = p.mail[kMailInts];
  const uint2 mine = from[threadIdx.x];
  to[threadIdx.x] = mine;
  if (threadIdx.x == 0) token = static_cast<int>(mine.x);
  for (uint32_t i = kMailThreads + threadIdx.x; 2 * i < n; i += kMailThreads) to[i] = from[i];
  __syncthreads();
  if (threadIdx.x == kMailThreads - 1) {  // the thread with the fewest columns of the embedding
    memory_fence();                       // after the barrier: for all writes of the thread block
    let_next_start();
    p.mail[kMailPending] = 0;
  }
  return token;
}

/// The token that this thread block embeds.
GPU_DEVICE int take_token(const EmbedParams& p) {
  if (p.batch.mail) return take_batch(p.batch);
  wait_for_previous();
  let_next_start();
  return p.batch.to[blockIdx.x];
}

}  // namespace hearth::kernels::hip
