#include "task.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "utf8.h"

namespace hearth {
namespace {

/// Background prompts go in small chunks: what an interruption throws away is at most this much.
constexpr int kBackgroundChunk = 32;

constexpr std::array<int32_t, kernels::kMaxBatch> kSequenceZero{};

double ms_between(int64_t from_ns, int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) / 1e6;
}

}  // namespace

Task::Task(std::shared_ptr<Job> job, Workbench& bench)
    : job_(std::move(job)), bench_(bench), random_(job_->request.sampling.seed) {
  heal_left_ = job_->request.heal;
}

bool Task::step() {
  if (!has_begun_) begin();
  const int64_t start = now_ns();
  const bool was_decoding = is_decoding_;
  const bool is_done = was_decoding ? decode_step() : prefill_step();
  double& ms = was_decoding ? result_.timings.decode_ms : result_.timings.prefill_ms;
  ms += ms_between(start, now_ns());
  return is_done;
}

void Task::begin() {
  has_begun_ = true;
  const Request& request = job_->request;
  if (request.kind == RequestKind::kClearCache) return;
  if (request.tokens.empty()) throw EngineError("bad-argument", "the prompt has no tokens");
  const int n_prompt = static_cast<int>(request.tokens.size());
  if (n_prompt > bench_.context_tokens)
    throw EngineError("context-full", "the prompt has " + std::to_string(n_prompt) +
                                          " tokens; the context holds " +
                                          std::to_string(bench_.context_tokens));
  for (uint32_t token : request.tokens)
    if (token >= static_cast<uint32_t>(bench_.n_vocab))
      throw EngineError("bad-argument", "token id " + std::to_string(token) +
                                            " is outside the vocabulary of " +
                                            std::to_string(bench_.n_vocab));
  const bool is_cold = request.kind == RequestKind::kLogits || request.kind == RequestKind::kScore;
  path_ = bench_.cache.find(is_cold ? std::span<const uint32_t>{} : request.tokens);
  result_.timings.prompt_tokens = n_prompt;
  result_.timings.cached_tokens = path_.length();
  // All that the answer will need, so that decoding does not allocate.
  result_.tokens.reserve(static_cast<size_t>(std::max(0, request.max_tokens)));
  if (is_cold) result_.values.reserve(request.tokens.size());
}

bool Task::prefill_step() {
  const Request& request = job_->request;
  if (request.kind == RequestKind::kClearCache) {
    bench_.cache.clear();
    return true;
  }
  const int n_prompt = static_cast<int>(request.tokens.size());
  const int first = path_.length();
  const int limit =
      request.priority == Priority::kForeground ? kernels::kMaxBatch : kBackgroundChunk;
  const int n = std::min(n_prompt - first, limit);
  const bool is_last = first + n == n_prompt;
  const bool wants_values =
      request.kind == RequestKind::kLogits || request.kind == RequestKind::kScore;
  const bool needs_head = wants_values || (is_last && request.kind != RequestKind::kPrefill);
  const std::span<const uint32_t> chunk = std::span(request.tokens).subspan(first, n);
  bench_.heartbeat.token.store(first, std::memory_order_relaxed);
  if (!evaluate(chunk, needs_head)) return false;
  // Before the commit: an interrupted head leaves the chunk to be run again.
  if (wants_values && !collect_values(first, n)) return false;
  bool is_done = is_last;
  if (is_last && request.kind == RequestKind::kLastLogits) {
    const int32_t row = n - 1;
    const float* logits = bench_.forward.head(std::span(&row, 1));
    if (!logits) return false;
    result_.values.resize(bench_.n_vocab);
    bench_.ops.read(result_.values, logits);
  }
  if (is_last && request.kind == RequestKind::kGenerate) {
    if (request.max_tokens <= 0) {
      finish_reason_ = FinishReason::kLength;
    } else {
      const size_t n_before = result_.tokens.size();
      is_done = choose_token(n - 1);
      if (!is_done && result_.tokens.size() == n_before) return false;  // interrupted
      is_decoding_ = true;
      result_.timings.ttft_ms = ms_between(job_->submitted_ns, now_ns());
    }
  }
  path_.commit(chunk);
  return is_done;
}

bool Task::decode_step() {
  const uint32_t last = result_.tokens.back();
  bench_.heartbeat.token.store(static_cast<int>(result_.tokens.size()), std::memory_order_relaxed);
  if (path_.length() + 1 >= bench_.context_tokens) {
    finish_reason_ = FinishReason::kLength;
    return true;
  }
  if (!evaluate(std::span(&last, 1), true)) return false;
  const size_t n_before = result_.tokens.size();
  const bool is_done = choose_token(0);
  if (!is_done && result_.tokens.size() == n_before) return false;  // interrupted
  path_.commit(std::span(&last, 1));
  return is_done;
}

bool Task::evaluate(std::span<const uint32_t> tokens, bool needs_head) {
  if (!path_.reserve(static_cast<int>(tokens.size())))
    throw EngineError("context-full",
                      "every page of the KV cache is in use; raise hearth.cache.memoryMiB");
  std::array<int32_t, kernels::kMaxBatch> positions;
  std::iota(positions.begin(), positions.begin() + tokens.size(), path_.length());
  const std::span<const int32_t> page_table = path_.pages();
  const kernels::Batch batch{
      .tokens = tokens,
      .positions = std::span(positions).first(tokens.size()),
      .sequences = std::span(kSequenceZero).first(tokens.size()),
      .page_tables = std::span(&page_table, 1),
  };
  return bench_.forward.run(batch, needs_head);
}

bool Task::collect_values(int first, int n) {
  const Request& request = job_->request;
  const size_t n_values_before = result_.values.size();
  std::array<int32_t, kMaxLogitRows> rows;
  std::vector<float> logits;
  for (int begin = 0; begin < n; begin += kMaxLogitRows) {
    const int n_rows = std::min(kMaxLogitRows, n - begin);
    std::iota(rows.begin(), rows.begin() + n_rows, begin);
    const float* data = bench_.forward.head(std::span(rows).first(n_rows));
    if (!data) {
      result_.values.resize(n_values_before);
      return false;
    }
    logits.resize(static_cast<size_t>(n_rows) * bench_.n_vocab);
    bench_.ops.read(logits, data);
    if (request.kind == RequestKind::kLogits) {
      result_.values.insert(result_.values.end(), logits.begin(), logits.end());
      continue;
    }
    for (int i = 0; i < n_rows; i++) {
      const size_t next = first + begin + i + 1;
      if (next >= request.tokens.size()) break;
      const auto row =
          std::span(logits).subspan(static_cast<size_t>(i) * bench_.n_vocab, bench_.n_vocab);
      result_.values.push_back(static_cast<float>(log_sum_exp(row) - row[request.tokens[next]]));
    }
  }
  return true;
}

/// Appends the next token after a batch row. True when the request is done; false with no token
/// appended when interrupted.
bool Task::choose_token(int32_t row) {
  if (!heal_left_.empty()) return choose_healed(row);
  const float* logits = bench_.forward.head(std::span(&row, 1));
  if (!logits) return false;
  const Request& request = job_->request;
  kernels::Argmax best;
  bench_.ops.argmax(logits, 1, bench_.n_vocab, std::span(&best, 1));
  if (!best.finite)
    throw EngineError("engine-fault", "the model gave logits that are not numbers at token " +
                                          std::to_string(path_.length()) + " on " +
                                          bench_.ops.description());
  if (request.sampling.temperature <= 0 && !request.wants_log_probabilities)
    return accept(best.id, 0);
  bench_.host_logits.resize(bench_.n_vocab);
  bench_.ops.read(bench_.host_logits, logits);
  const Sampled sampled = bench_.sampler.sample(bench_.host_logits, request.sampling, random_);
  return accept(sampled.index, sampled.log_probability);
}

/// The same among the tokens that agree with the bytes to be healed. The log-probability is among
/// these candidates.
bool Task::choose_healed(int32_t row) {
  const std::vector<uint32_t> candidates = bench_.tokenizer.compatible_with(heal_left_);
  const float* logits = bench_.forward.head(row, candidates);
  if (!logits) return false;
  bench_.host_logits.resize(candidates.size());
  bench_.ops.read(bench_.host_logits, logits);
  const Sampled sampled =
      bench_.sampler.sample(bench_.host_logits, job_->request.sampling, random_);
  return accept(candidates[sampled.index], sampled.log_probability);
}

bool Task::accept(uint32_t token, float log_probability) {
  const Request& request = job_->request;
  result_.tokens.push_back(token);
  if (request.wants_log_probabilities) result_.values.push_back(log_probability);
  const std::vector<uint32_t>& ends = bench_.tokenizer.end_of_generation();
  const bool is_end = std::find(ends.begin(), ends.end(), token) != ends.end() ||
                      std::find(request.stop_tokens.begin(), request.stop_tokens.end(), token) !=
                          request.stop_tokens.end();
  if (is_end) {
    finish_reason_ = FinishReason::kStop;
    return true;
  }
  std::string_view bytes = bench_.tokenizer.bytes(token);
  if (bench_.tokenizer.is_special(token)) bytes = {};
  const size_t n_healed = std::min(heal_left_.size(), bytes.size());
  heal_left_.erase(0, n_healed);
  emit(bytes.substr(n_healed));
  if (static_cast<int>(result_.tokens.size()) < request.max_tokens) return false;
  finish_reason_ = FinishReason::kLength;
  return true;
}

void Task::emit(std::string_view bytes) {
  held_bytes_.append(bytes);
  const size_t n = whole_characters(held_bytes_);
  if (n == 0) return;
  const std::string_view text = std::string_view(held_bytes_).substr(0, n);
  result_.text.append(text);
  if (job_->on_text) job_->on_text(text);
  held_bytes_.erase(0, n);
}

Result Task::finish(FinishReason reason) {
  result_.finish_reason = reason;
  result_.timings.completion_tokens = static_cast<int>(result_.tokens.size());
  return std::move(result_);
}

}  // namespace hearth
