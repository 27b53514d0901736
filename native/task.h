// One request under way: a state machine that the engine thread advances step by step, so that a
// more urgent request can run in between. Evaluates the prompt; the answer is Decoder's.
#pragma once

#include <memory>

#include "decoder.h"

namespace hearth {

/// How much of a prompt a step may take: what runs best, or little because something urgent waits.
enum class Slice { kFree, kShort };

/// Throws EngineError "bad-argument" for an id that the model does not have.
void require_in_vocabulary(std::span<const uint32_t> tokens, int n_vocab);

class Task {
 public:
  Task(std::shared_ptr<Job> job, Workbench& bench);

  /// One chunk of the prompt or one pass of decoding. True when the request is done; interrupted
  /// steps leave the task as it was. Throws EngineError.
  bool step(Slice slice);
  /// Lets go of all pages. A prompt begins anew at the next step, an answer ends where it is.
  void give_way();
  /// Gives all up, to begin anew. False if it has done so before.
  bool start_over();
  /// Ends the request now, with what there is.
  Result finish(FinishReason reason);

  Job& job() const { return *job_; }
  std::shared_ptr<Job> shared_job() const { return job_; }
  bool is_decoding() const { return decoder_.has_started(); }
  /// Why the request ended; valid once step() returned true.
  FinishReason finish_reason() const;

 private:
  void begin();
  bool wants_values() const;
  bool prefill_step(Slice slice);
  int chunk_tokens(Slice slice) const;
  bool evaluate_chunk(std::span<const uint32_t> chunk, bool needs_logits, Slice slice);
  bool end_prompt(std::span<const uint32_t> chunk);
  bool collect_values(int first, int n);

  std::shared_ptr<Job> job_;
  Workbench& bench_;
  Path path_;  // of the prompt, until the decoder takes it
  bool has_begun_ = false;
  bool is_second_try_ = false;
  std::vector<uint32_t> draft_;  // evaluated behind the prompt's last chunk
  Decoder decoder_;
  Result result_;
};

}  // namespace hearth
