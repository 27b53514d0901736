// What callers hand to the engine and get back. Plain data.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "error.h"
#include "heartbeat.h"
#include "sampler.h"

namespace hearth {

enum class RequestKind {
  kGenerate,
  kPrefill,     // evaluate into the cache, generate nothing
  kLogits,      // values = logits of every token, evaluated cold
  kLastLogits,  // values = logits of the last token, through the cache
  kScore,       // values = negative log-likelihood of tokens[1..]
};

inline constexpr int kMaxAlternatives = 4;

enum class Priority { kForeground, kBackground };
enum class FinishReason { kStop, kLength, kCancelled };

struct Request {
  RequestKind kind = RequestKind::kGenerate;
  std::vector<uint32_t> tokens;  // the whole prompt
  std::string heal;              // bytes the generated text must begin with; not repeated in text
  int max_tokens = 0;
  SamplingOptions sampling;
  Priority priority = Priority::kForeground;
  std::vector<uint32_t> stop_tokens;  // beside the model's own
  bool speculate = true;   // drafts tokens from the text so far; never changes the answer
  int n_alternatives = 1;  // at most kMaxAlternatives; they differ in their first token
  bool streams_alternatives = false;  // all of them, not the main answer alone
  bool traces_ops = false;
};

struct Timings {
  int prompt_tokens = 0;  // all of them unless cancelled: the cached ones and those evaluated
  int cached_tokens = 0;
  double prefill_ms = 0;
  int completion_tokens = 0;
  double decode_ms = 0;
  double ttft_ms = 0;     // from submit() to the first token
  int decode_passes = 0;  // forward passes after the prompt's
};

struct Alternative {
  std::string text;
  std::vector<uint32_t> tokens;
  std::vector<float> log_probabilities;
};

struct Result {
  std::string text;
  std::vector<uint32_t> tokens;
  FinishReason finish_reason = FinishReason::kStop;
  Timings timings;
  std::vector<float> values;  // by kind: log-probabilities of the tokens, logits or scores
  // If several were asked for: the main answer first, then the others.
  std::vector<Alternative> alternatives;
  std::vector<OpEvent> trace;  // every op, if that was asked for
};

/// Streamed text of whole UTF-8 characters.
struct Piece {
  std::string_view text;
  /// Natural logarithm of the probability of the answer's tokens since its piece before, up to the
  /// one that completed this piece.
  double log_probability = 0;
  int answer = 0;  // 0: the main one
};

struct Workbench;

/// Work for the engine thread: a request, or a chore that needs the thread but not the model. The
/// callbacks run on the engine thread and must not block or throw.
struct Job {
  uint64_t id = 0;  // the caller's
  Request request;
  std::function<void(Workbench&)> chore;  // done in the request's place, at its priority
  std::function<void(const Piece&)> on_text;
  std::function<void(Result&&, const EngineError*)> on_done;  // exactly once; error or result
  std::atomic<bool> is_cancelled{false};
  /// Answers that the caller wants no more of: they end before the next pass.
  std::array<std::atomic<bool>, kMaxAlternatives> is_enough{};
  int64_t submitted_ns = 0;
};

}  // namespace hearth
