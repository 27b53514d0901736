// The engine's input and output as plain data: a Job with a Request, text streamed in Pieces, and a
// Result with Timings. A request contains its whole prompt as token ids.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/heartbeat.h"
#include "sampler.h"

namespace hearth {

enum class RequestKind {
  kGenerate,
  kPrefill,        // evaluates the prompt into the cache and generates nothing
  kLogits,         // values: the logits of every token, evaluated without the cache
  kLastLogits,     // values: the logits of the last token, evaluated with the cache
  kScore,          // values: the negative log-likelihoods of tokens[1..]
  kContinuations,  // values: the log-probabilities of the tokens of all continuations
};

inline constexpr int kMaxAlternatives = 4;

enum class Priority { kForeground, kBackground };
enum class FinishReason { kStop, kLength, kCancelled };

struct Request {
  RequestKind kind = RequestKind::kGenerate;
  std::vector<uint32_t> tokens;  // the whole prompt
  int adapter = 0;               // the number of a loaded adapter, from 1; 0: none
  std::string heal;              // token healing: bytes that the answer must begin with; the
                                 // result's text does not contain them
  std::vector<std::vector<uint32_t>> continuations;  // texts to score, each after the prompt
  std::vector<uint32_t>
      n_given;  // for each continuation: the number of first tokens without a score
  int max_tokens = 0;
  SamplingOptions sampling;
  Priority priority = Priority::kForeground;
  std::vector<uint32_t> stop_tokens;  // in addition to the model's own
  bool speculate = true;              // speculative decoding: never changes the answer
  int n_alternatives = 1;             // at most kMaxAlternatives; they differ in their first token
  bool streams_alternatives = false;  // streams all answers, not only the main one
  bool traces_ops = false;
};

struct Timings {
  int prompt_tokens = 0;  // cached plus evaluated ones: the whole prompt, unless cancelled
  int cached_tokens = 0;
  double prefill_ms = 0;
  int completion_tokens = 0;
  double decode_ms = 0;
  double ttft_ms = 0;     // from submit() to the first token
  int decode_passes = 0;  // forward passes after prefill
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
  std::vector<Alternative>
      alternatives;            // if several were requested: all answers, the main one first
  std::vector<OpEvent> trace;  // of every op, if traces_ops
};

/// A piece of streamed text. It consists of whole UTF-8 characters.
struct Piece {
  std::string_view text;
  double log_probability = 0;  // sum over the tokens since the answer's previous piece
  int answer = 0;              // 0: the main one
};

struct Workbench;

/// Work for the engine thread: a request or, if `chore` is set, a chore, which needs the thread but
/// does not run the model. The callbacks run on the engine thread and must not block or throw.
struct Job {
  uint64_t id = 0;  // chosen by the caller
  Request request;
  std::function<void(Workbench&)> chore;  // runs instead of the request, at its priority
  std::function<void(const Piece&)> on_text;
  std::function<void(Result&&, const EngineError*)> on_done;  // called once; no error: null
  std::atomic<bool> is_cancelled{false};
  std::array<std::atomic<bool>, kMaxAlternatives>
      is_ended_by_caller{};  // by answer: whether to end it before the next pass
  int64_t submitted_ns = 0;
};

}  // namespace hearth
