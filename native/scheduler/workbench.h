// Everything that the engine thread works with. The references refer to the engine's own objects:
// the loaded model and whatever all requests share. The other members are state that outlives a
// request: pins, measurements of drafts, and the sizes of the next steps. Only the engine thread
// uses it.
#pragma once

#include <vector>

#include "cache/page_cache.h"
#include "cache/pins.h"
#include "drafts/drafter.h"
#include "model/forward.h"
#include "sampler.h"
#include "tokenizer/tokenizer.h"

namespace hearth {

/// The number of tokens that the next steps of one kind of work evaluate, see Task::adapt_chunk().
struct ChunkSizes {
  int full = kernels::kMaxBatch;  // for StepSize::kFull
  int brief = 0;                  // for StepSize::kShort; 0: not measured yet
};

struct Workbench {
  kernels::Ops& ops;
  const Tokenizer& tokenizer;
  Forward& forward;
  PageCache& cache;
  Sampler& sampler;
  std::vector<float>& host_logits;    // scratch memory with room for n_vocab, so that no request
                                      // allocates it
  std::vector<uint32_t>& candidates;  // likewise
  Heartbeat& heartbeat;
  int n_vocab = 0;
  int context_tokens = 0;
  Pins pins{};
  Drafting drafting{};
  ChunkSizes prompt_chunks{};
  ChunkSizes score_chunks{};  // for continuations, which also take the host's time to score
};

}  // namespace hearth
