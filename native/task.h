// One request under way: a state machine that the engine thread advances step by step, so that a
// more urgent request can run in between. Owns the request's path in the page cache.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forward.h"
#include "page_cache.h"
#include "request.h"
#include "sampler.h"
#include "tokenizer.h"

namespace hearth {

/// What all tasks work with. Belongs to the engine thread.
struct Workbench {
  kernels::Ops& ops;
  const Tokenizer& tokenizer;
  Forward& forward;
  PageCache& cache;
  Sampler& sampler;
  std::vector<float>& host_logits;  // scratch of n_vocab
  Heartbeat& heartbeat;
  int n_vocab = 0;
  int context_tokens = 0;
};

class Task {
 public:
  Task(std::shared_ptr<Job> job, Workbench& bench);

  /// One chunk of the prompt or one token. True when the request is done; interrupted steps leave
  /// the task as it was. Throws EngineError.
  bool step();
  /// Ends the request now, with what there is.
  Result finish(FinishReason reason);

  Job& job() { return *job_; }
  bool is_decoding() const { return is_decoding_; }
  /// Why the request ended; valid once step() returned true.
  FinishReason finish_reason() const { return finish_reason_; }

 private:
  void begin();
  bool prefill_step();
  bool decode_step();
  bool evaluate(std::span<const uint32_t> tokens, bool needs_head);
  bool collect_values(int first, int n);
  bool choose_token(int32_t row);
  bool choose_healed(int32_t row);
  bool accept(uint32_t token, float log_probability);
  void emit(std::string_view bytes);

  std::shared_ptr<Job> job_;
  Workbench& bench_;
  Path path_;
  bool has_begun_ = false;
  bool is_decoding_ = false;
  std::string heal_left_;   // bytes still to be generated again
  std::string held_bytes_;  // an unfinished UTF-8 character
  Random random_;
  FinishReason finish_reason_ = FinishReason::kStop;
  Result result_;
};

}  // namespace hearth
