// Prefills in chunks, and answers requests that need no decoding. A prompt's last chunk is
// evaluated together with a draft of the first tokens of the answer, see Decoder::first_draft().
#include "task.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "common/output_guard.h"

namespace hearth {
namespace {

/// Twice the number of tokens that the CPU kernels multiply at a time.
constexpr int kSmallestChunk = 24;
constexpr int kLargestChunk = kernels::kMaxBatch;
/// Background chunks are smaller, because they are often interrupted and then their work is lost.
constexpr int kLargestBackgroundChunk = 48;
/// A short step should not delay a waiting request by more than this. Yet it has a few tokens even
/// on the slowest machine: a pass of eight costs little more than a pass of one. Steps that score
/// have fewer, since each scored token also costs a sum over the vocabulary.
constexpr double kShortStepMs = 10;
constexpr int kShortestStep = 8;
constexpr int kShortestScoringStep = 4;

double ms_between(int64_t from_ns, int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) / 1e6;
}

}  // namespace

void require_in_vocabulary(std::span<const uint32_t> tokens, int n_vocab) {
  for (const uint32_t token : tokens)
    if (token >= static_cast<uint32_t>(n_vocab))
      throw EngineError("bad-argument", "token id " + std::to_string(token) +
                                            " is outside the vocabulary of " +
                                            std::to_string(n_vocab));
}

void require_adapter(int adapter, const Forward& forward) {
  if (adapter < 0 || adapter > forward.n_adapters())
    throw EngineError("bad-argument", "the model has no adapter " + std::to_string(adapter));
}

Task::Task(std::shared_ptr<Job> job, Workbench& bench)
    : job_(std::move(job)), bench_(bench), decoder_(*job_, bench), scores_(job_->request, bench) {}

bool Task::step(StepSize size) {
  if (job_->chore) {
    job_->chore(bench_);
    return true;
  }
  if (!has_begun_) begin();
  bench_.forward.set_output_checks(is_second_try_);
  bench_.forward.trace_into(job_->request.traces_ops ? &result_.trace : nullptr);
  const int64_t start = now_ns();
  const bool was_decoding = is_decoding();
  const bool is_done = advance(size);
  double& ms = was_decoding ? result_.timings.decode_ms : result_.timings.prefill_ms;
  ms += ms_between(start, now_ns());
  return is_done;
}

/// Runs the next part of the request. Returns true when the request is done.
bool Task::advance(StepSize size) {
  if (decoder_.has_started()) return decoder_.step() && decoder_.is_done();
  return scores_.has_started() ? scoring_step(size) : prefill_step(size);
}

void Task::begin() {
  has_begun_ = true;
  const Request& request = job_->request;
  require_in_vocabulary(request.tokens, bench_.n_vocab);
  require_adapter(request.adapter, bench_.forward);
  if (request.tokens.empty()) throw EngineError("bad-argument", "the prompt has no tokens");
  const int n_prompt = static_cast<int>(request.tokens.size());
  if (n_prompt > bench_.context_tokens)
    throw EngineError("context-full", "the prompt has " + std::to_string(n_prompt) +
                                          " tokens; the context holds " +
                                          std::to_string(bench_.context_tokens));
  if (request.n_alternatives < 1 || request.n_alternatives > kMaxAlternatives)
    throw EngineError("bad-argument", "alternatives must be 1 to " +
                                          std::to_string(kMaxAlternatives) + ", not " +
                                          std::to_string(request.n_alternatives));
  scores_.require_valid();
  // Values of all tokens need the hidden state of every token, which the cache does not keep.
  path_ = bench_.cache.find(wants_all_values() ? std::span<const uint32_t>{} : request.tokens,
                            request.adapter);
  result_.timings.cached_tokens = path_.length();
  if (wants_all_values()) result_.values.reserve(request.tokens.size());
  decoder_.guard_against_repeats(path_.length() > 0 && !is_second_try_);
}

/// Whether the result has values of every token of the prompt, not only of the last one.
bool Task::wants_all_values() const {
  const RequestKind kind = job_->request.kind;
  return kind == RequestKind::kLogits || kind == RequestKind::kScore;
}

bool Task::prefill_step(StepSize size) {
  const Request& request = job_->request;
  const int n_prompt = static_cast<int>(request.tokens.size());
  const int first = path_.length();
  // After reading a prompt ahead (kPrefill), further steps evaluate the prompt with the draft
  // model, which can continue only text that it has evaluated.
  if (first == n_prompt) return bench_.drafting.model->read(request.tokens, chunk_tokens(size));
  const int n = std::min(n_prompt - first, chunk_tokens(size));
  const bool is_last = first + n == n_prompt;
  const bool needs_logits =
      wants_all_values() || (is_last && request.kind != RequestKind::kPrefill);
  const std::span<const uint32_t> chunk = std::span(request.tokens).subspan(first, n);
  const bool may_draft = is_last && request.kind == RequestKind::kGenerate;
  draft_ = may_draft ? decoder_.first_draft(kernels::kMaxBatch - n) : std::vector<uint32_t>();
  // If chunk and draft do not both fit, the draft is dropped. If the chunk alone does not fit,
  // evaluate_chunk() throws.
  if (!path_.reserve(n + static_cast<int>(draft_.size()))) draft_.clear();
  bench_.heartbeat.token.store(first, std::memory_order_relaxed);
  if (!evaluate_chunk(chunk, needs_logits, size)) return false;
  if (!needs_logits) return is_last && !bench_.drafting.model;
  // Collects values before the commit: if that is interrupted, the chunk is evaluated again.
  if (wants_all_values() && !collect_values(first, n)) return false;
  if (is_last) return end_prompt(chunk);
  path_.commit(chunk);
  return false;
}

bool Task::scoring_step(StepSize size) {
  const int64_t start = now_ns();
  const int n_max = chunk_tokens(size);
  const int n = scores_.step(n_max);
  adapt_chunk(n > 0, n > 0 ? n : n_max, ms_between(start, now_ns()), size);
  if (n == 0 || !scores_.is_done()) return false;
  result_.values = scores_.values();
  return true;
}

/// The chunk sizes for the next step's kind of work.
ChunkSizes& Task::chunks() const {
  return scores_.has_started() ? bench_.score_chunks : bench_.prompt_chunks;
}

int Task::chunk_tokens(StepSize size) const {
  if (size == StepSize::kShort)
    return std::max(chunks().brief, scores_.has_started() ? kShortestScoringStep : kShortestStep);
  const bool is_foreground = job_->request.priority == Priority::kForeground;
  return std::min(chunks().full, is_foreground ? kLargestChunk : kLargestBackgroundChunk);
}

/// Evaluates the chunk and, if logits are wanted, the draft after it. (Otherwise there is no
/// draft.) Returns false if interrupted.
bool Task::evaluate_chunk(std::span<const uint32_t> chunk, bool needs_logits, StepSize size) {
  const int n = static_cast<int>(chunk.size());
  const int64_t start = now_ns();
  std::array<uint32_t, kernels::kMaxBatch> tokens;
  const auto end = std::copy(draft_.begin(), draft_.end(),
                             std::copy(chunk.begin(), chunk.end(), tokens.begin()));
  const Extension with_draft{&path_, {tokens.begin(), end}};
  const bool completed = needs_logits
                             ? bench_.forward.evaluate_for_logits(std::span(&with_draft, 1))
                             : bench_.forward.evaluate(path_, chunk);
  if (completed) bench_.cache.count_evaluated(n);
  adapt_chunk(completed, n, ms_between(start, now_ns()), size);
  return completed;
}

/// Sets the size of the next chunk of this kind, whichever request it belongs to. Large chunks are
/// fast; small chunks lose less work when keys come faster than a chunk takes. So an interrupted
/// chunk halves the size, and each completed chunk increases it. A short step gets as many tokens
/// as the last short step could have evaluated in kShortStepMs. Results do not depend on the size.
void Task::adapt_chunk(bool completed, int n, double ms, StepSize size) {
  if (size == StepSize::kFull) {
    chunks().full = completed ? std::min(chunks().full + kSmallestChunk, kLargestChunk)
                              : std::max(kSmallestChunk, n / 2);
  } else if (completed && n >= chunk_tokens(size)) {  // not cut short by the end of the work
    chunks().brief =
        static_cast<int>(std::min<double>(n * kShortStepMs / ms, kLargestBackgroundChunk));
  }
}

/// Produces the request's values or first tokens from the batch with the prompt's last chunk.
/// Returns true when the request is done. If it is interrupted, nothing has changed, and the chunk
/// is evaluated again.
bool Task::end_prompt(std::span<const uint32_t> chunk) {
  const Request& request = job_->request;
  if (request.kind == RequestKind::kGenerate && request.max_tokens > 0) {
    if (!decoder_.start(path_, chunk, draft_)) return false;
    result_.timings.ttft_ms = ms_between(job_->submitted_ns, now_ns());
    return decoder_.is_done();
  }
  if (request.kind == RequestKind::kLastLogits || request.kind == RequestKind::kContinuations) {
    const auto row = static_cast<int32_t>(chunk.size()) - 1;
    const float* logits = bench_.forward.head(std::span(&row, 1));
    if (!logits) return false;
    result_.values.resize(bench_.n_vocab);
    bench_.ops.read(result_.values, logits);
    require_finite(result_.values);
  }
  path_.commit(chunk);
  if (request.kind == RequestKind::kContinuations) {
    scores_.start(path_, std::exchange(result_.values, {}));
    if (!scores_.is_done()) return false;
    result_.values = scores_.values();
  }
  return true;
}

/// Appends the logits of the batch's n tokens, or the scores of the tokens after each. first: the
/// position of the batch's first token. Returns false if interrupted; then nothing is appended.
bool Task::collect_values(int first, int n) {
  const Request& request = job_->request;
  const auto interrupted = [this, n_before = result_.values.size()] {
    result_.values.resize(n_before);
    return false;
  };
  std::array<int32_t, kMaxLogitRows> rows;
  std::vector<float> logits;
  for (int row0 = 0; row0 < n; row0 += kMaxLogitRows) {
    const int n_rows = std::min(kMaxLogitRows, n - row0);
    std::iota(rows.begin(), rows.begin() + n_rows, row0);
    const float* device_logits = bench_.forward.head(std::span(rows).first(n_rows));
    if (!device_logits) return interrupted();
    logits.resize(static_cast<size_t>(n_rows) * bench_.n_vocab);
    bench_.ops.read(logits, device_logits);
    require_finite(logits);
    if (request.kind == RequestKind::kLogits) {
      result_.values.insert(result_.values.end(), logits.begin(), logits.end());
      continue;
    }
    for (int i = 0; i < n_rows; i++) {
      const size_t next = first + row0 + i + 1;
      if (next >= request.tokens.size()) break;
      if (bench_.forward.is_interrupted()) return interrupted();
      const auto row =
          std::span(logits).subspan(static_cast<size_t>(i) * bench_.n_vocab, bench_.n_vocab);
      result_.values.push_back(static_cast<float>(log_sum_exp(row) - row[request.tokens[next]]));
    }
  }
  return true;
}

void Task::release_pages() {
  decoder_.release_pages();
  if (!is_decoding() && has_begun_) rewind();
}

bool Task::start_over() {
  if (is_second_try_) return false;
  is_second_try_ = true;
  bench_.forward.forget_bad_op();
  decoder_.start_over();
  rewind();
  return true;
}

/// Goes back to before the first chunk; the next step calls begin() again.
void Task::rewind() {
  path_ = Path();
  scores_.reset();
  result_ = Result();
  has_begun_ = false;
}

FinishReason Task::finish_reason() const {
  if (decoder_.has_started()) return decoder_.finish_reason();
  return job_->request.kind == RequestKind::kGenerate ? FinishReason::kLength : FinishReason::kStop;
}

Result Task::finish(FinishReason reason) {
  result_.timings.prompt_tokens = path_.length();
  if (decoder_.has_started()) {
    result_.timings.prompt_tokens = static_cast<int>(job_->request.tokens.size());
    decoder_.finish(result_);
  }
  result_.finish_reason = reason;
  return std::move(result_);
}

}  // namespace hearth
