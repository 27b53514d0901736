// What the engine thread works with: the one loaded model and everything that all requests share,
// as references to what the engine owns, and state that outlives a request: pins, what drafting has
// measured, and the sizes of the next steps. Only the engine thread touches it.
#pragma once

#include <vector>

#include "cache/page_cache.h"
#include "cache/pins.h"
#include "drafts/drafter.h"
#include "model/forward.h"
#include "sampler.h"
#include "tokenizer/tokenizer.h"

namespace hearth {

/// How many tokens the next steps of one kind of work evaluate, see Task::adapt_chunk().
struct ChunkSizes {
  int full = kernels::kMaxBatch;
  int brief = 0;  // of a short step; 0: not measured yet
};

struct Workbench {
  kernels::Ops& ops;
  const Tokenizer& tokenizer;
  Forward& forward;
  PageCache& cache;
  Sampler& sampler;
  std::vector<float>& host_logits;    // scratch with room for n_vocab, so that nothing allocates
  std::vector<uint32_t>& candidates;  // likewise
  Heartbeat& heartbeat;
  int n_vocab = 0;
  int context_tokens = 0;
  Pins pins{};
  Drafting drafting{};
  ChunkSizes prompt_chunks{};
  ChunkSizes score_chunks{};  // of continuations, whose tokens also take the host's time
};

}  // namespace hearth
