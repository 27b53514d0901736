// What the engine thread works with: the one loaded model and everything that all requests share,
// as references to what the engine owns, and state that outlives a request: pins, what drafting has
// measured, and the sizes of the next prefill steps. Only the engine thread touches it.
#pragma once

#include <vector>

#include "cache/page_cache.h"
#include "cache/pins.h"
#include "drafts/drafter.h"
#include "model/forward.h"
#include "sampler.h"
#include "tokenizer/tokenizer.h"

namespace hearth {

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
  int chunk_tokens = kernels::kMaxBatch;  // of a prompt in the next full step
  int short_step_tokens = 0;              // of a prompt in the next short step; 0: not measured yet
};

}  // namespace hearth
