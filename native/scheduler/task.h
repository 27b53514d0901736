// One job in progress: a state machine that the scheduler advances step by step, so that a more
// urgent job can run in between. A task looks its prompt up in the page cache and evaluates the
// rest in chunks (prefill). The request's kind decides what follows: Decoder writes an answer token
// by token, ContinuationScores scores texts, or the task collects logits or scores.
#pragma once

#include <memory>

#include "continuation_scores.h"
#include "decoder.h"

namespace hearth {

/// The amount of a prompt or of continuations that one step evaluates. Decoding ignores it.
enum class StepSize {
  kFull,   // a chunk of the current size, see adapt_chunk()
  kShort,  // about 10 ms of work, but at least a few tokens: a foreground job is waiting
};

/// Throws EngineError "bad-argument" for an id that the model does not have.
void require_in_vocabulary(std::span<const uint32_t> tokens, int n_vocab);

/// Throws EngineError "bad-argument" if no adapter with this number was loaded.
void require_adapter(int adapter, const Forward& forward);

class Task {
 public:
  Task(std::shared_ptr<Job> job, Workbench& bench);

  /// Evaluates one chunk of the prompt, or runs one pass of decoding. Returns true when the request
  /// is done. An interrupted step leaves the task unchanged. Throws EngineError, NoPages or
  /// BadOutput.
  bool step(StepSize size);
  /// Releases all pages. During prefill, the prompt will be evaluated again from its beginning;
  /// during decoding, the answer ends here.
  void release_pages();
  /// Restarts from the prompt and drops the answer. Returns false if it was restarted before.
  bool start_over();
  /// Returns the result so far. The task must not be used afterwards.
  Result finish(FinishReason reason);

  Job& job() const { return *job_; }
  std::shared_ptr<Job> shared_job() const { return job_; }
  bool is_decoding() const { return decoder_.has_started(); }
  /// Why the request ended; valid once step() returned true.
  FinishReason finish_reason() const;

 private:
  void begin();
  void rewind();
  bool wants_all_values() const;
  bool advance(StepSize size);
  bool prefill_step(StepSize size);
  bool scoring_step(StepSize size);
  ChunkSizes& chunks() const;
  int chunk_tokens(StepSize size) const;
  bool evaluate_chunk(std::span<const uint32_t> chunk, bool needs_logits, StepSize size);
  void adapt_chunk(bool completed, int n, double ms, StepSize size);
  bool end_prompt(std::span<const uint32_t> chunk);
  bool collect_values(int first, int n);

  std::shared_ptr<Job> job_;
  Workbench& bench_;
  Path path_;  // the evaluated part of the prompt; moves into decoder_
  bool has_begun_ = false;
  bool is_second_try_ = false;
  std::vector<uint32_t> draft_;  // evaluated in one batch with the prompt's last chunk
  Decoder decoder_;
  ContinuationScores scores_;
  Result result_;
};

}  // namespace hearth
