#include "decoder.h"

#include <algorithm>
#include <cmath>

#include "utf8.h"

namespace hearth {
namespace {

bool contains(const std::vector<uint32_t>& tokens, uint32_t token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

/// The text without white space: what makes alternatives different.
std::string essence(const std::string& text) {
  std::string rest;
  std::copy_if(text.begin(), text.end(), std::back_inserter(rest),
               [](char c) { return c != ' ' && (c < '\t' || c > '\r'); });
  return rest;
}

}  // namespace

// --- the first tokens ---

Decoder::Answer Decoder::new_answer() const {
  const Request& request = job_.request;
  Answer answer;
  answer.heal_left = request.heal;
  answer.random = Random(request.sampling.seed);
  // All that the answer will need, so that decoding does not allocate.
  const auto n = static_cast<size_t>(std::min(request.max_tokens, bench_.context_tokens));
  constexpr size_t kTokenBytes = 8;  // longer ones are rare
  answer.tokens.reserve(n);
  answer.text.reserve(n * kTokenBytes);
  if (request.wants_log_probabilities) answer.log_probabilities.reserve(n);
  return answer;
}

bool Decoder::start(Path& path, std::span<const uint32_t> last_tokens) {
  const auto row = static_cast<int32_t>(last_tokens.size()) - 1;
  std::vector<Answer> answers;
  answers.reserve(job_.request.n_alternatives);
  answers.push_back(new_answer());
  std::vector<Choice> firsts;
  if (!choose_firsts(row, answers.front(), firsts)) return false;
  path.commit(last_tokens);
  for (size_t i = 1; i < firsts.size(); i++) {
    answers.push_back(new_answer());
    answers.back().path = path.fork();
  }
  answers.front().path = std::move(path);
  answers_ = std::move(answers);
  for (size_t i = 0; i < firsts.size(); i++) accept(answers_[i], firsts[i]);
  return true;
}

/// The main answer's first token and, for the others, the most likely ones beside it.
bool Decoder::choose_firsts(int32_t row, Answer& main, std::vector<Choice>& firsts) {
  const Request& request = job_.request;
  std::vector<uint32_t> candidates;  // of the logits in host_logits; empty: all tokens
  Choice first;
  if (!main.heal_left.empty()) {
    candidates = bench_.tokenizer.compatible_with(main.heal_left);
    if (!choose_healed(row, candidates, main.random, first)) return false;
  } else {
    const float* logits = bench_.forward.head(std::span(&row, 1));
    kernels::Argmax best;
    if (!logits || !bench_.forward.argmax(logits, std::span(&best, 1))) return false;
    first = choose_from(logits, best, main.random);
    if (request.n_alternatives > 1) read_logits(logits, bench_.n_vocab);
  }
  firsts.push_back(first);
  std::vector<float>& left = bench_.host_logits;
  while (static_cast<int>(firsts.size()) < request.n_alternatives) {
    const uint32_t last = firsts.back().token;
    const auto at = std::lower_bound(candidates.begin(), candidates.end(), last);
    left[candidates.empty() ? last : at - candidates.begin()] = -INFINITY;
    Random unused(0);
    const Sampled next = bench_.sampler.sample(left, SamplingOptions{}, unused);
    if (next.log_probability == -INFINITY) break;
    firsts.push_back({candidates.empty() ? next.index : candidates[next.index], 0});
  }
  return true;
}

// --- one pass ---

bool Decoder::step() {
  bench_.heartbeat.token.store(n_tokens(), std::memory_order_relaxed);
  gather();
  if (n_rows_ == 0) return true;
  const int64_t start = now_ns();
  if (!evaluate() || !choose()) return false;
  if (answers_.size() == 1)
    bench_.pass_costs.note(n_rows_, static_cast<double>(now_ns() - start) / 1e6);
  n_passes_++;
  for (Answer& answer : answers_)
    if (answer.n_rows > 0) accept_choices(answer);
  return true;
}

/// Collects the rows of the batch. An answer that has no room left ends here.
void Decoder::gather() {
  n_rows_ = 0;
  for (Answer& answer : answers_) {
    answer.n_rows = 0;
    page_tables_[&answer - answers_.data()] = {};
    if (!answer.is_done) add_rows(answer);
  }
}

void Decoder::add_rows(Answer& answer) {
  const int length = answer.path.length();
  if (length + 1 >= bench_.context_tokens) return end(answer, FinishReason::kLength);
  std::span<const uint32_t> draft = draft_for(answer);
  const bool fits_draft = !draft.empty() && answer.path.reserve(1 + static_cast<int>(draft.size()));
  if (!fits_draft) draft = {};
  if (!fits_draft && !make_room(answer)) return end(answer, FinishReason::kLength);

  answer.first_row = n_rows_;
  answer.n_rows = 1 + static_cast<int>(draft.size());
  tokens_[n_rows_] = answer.tokens.back();
  std::copy(draft.begin(), draft.end(), tokens_.begin() + n_rows_ + 1);
  const auto sequence = static_cast<int32_t>(&answer - answers_.data());
  for (int i = 0; i < answer.n_rows; i++) {
    positions_[n_rows_ + i] = length + i;
    sequences_[n_rows_ + i] = sequence;
  }
  page_tables_[sequence] = answer.path.pages();
  n_rows_ += answer.n_rows;
}

/// For one more position. The main answer takes it from the others if need be.
bool Decoder::make_room(Answer& answer) {
  if (answer.path.reserve(1)) return true;
  if (&answer != &answers_.front()) return false;
  for (size_t i = 1; i < answers_.size(); i++) give_way(answers_[i]);
  if (answer.path.reserve(1)) return true;
  throw NoPages();
}

std::span<const uint32_t> Decoder::draft_for(const Answer& answer) {
  const Request& request = job_.request;
  const int n_most = std::min({kMaxDraft, bench_.context_tokens - answer.path.length() - 2,
                               request.max_tokens - static_cast<int>(answer.tokens.size()) - 1});
  const bool is_possible = request.speculate && answers_.size() == 1 && answer.heal_left.empty();
  if (!is_possible || n_most <= 0) return {};
  // Made here, not with the request: the first token does not wait for it.
  if (!drafter_) {
    drafter_.emplace(bench_.corpus, bench_.draft_model, request.tokens,
                     static_cast<int>(answer.tokens.capacity()));
    for (const uint32_t token : answer.tokens) drafter_->append(token);
  }
  return drafter_->propose(n_most);
}

bool Decoder::evaluate() {
  const kernels::Batch batch{
      .tokens = std::span(tokens_).first(n_rows_),
      .positions = std::span(positions_).first(n_rows_),
      .sequences = std::span(sequences_).first(n_rows_),
      .page_tables = std::span(page_tables_).first(answers_.size()),
  };
  return bench_.forward.run(batch, true);
}

/// One head for all rows that are free to be any token; healed ones have each their own.
bool Decoder::choose() {
  const auto is_free = [](const Answer& answer) {
    return answer.n_rows > 0 && answer.heal_left.empty();
  };
  std::array<int32_t, kMaxLogitRows> rows;
  int n = 0;
  for (const Answer& answer : answers_)
    for (int i = 0; is_free(answer) && i < answer.n_rows; i++) rows[n++] = answer.first_row + i;
  if (n > 0) {
    const float* logits = bench_.forward.head(std::span(rows).first(n));
    std::array<kernels::Argmax, kMaxLogitRows> bests;
    if (!logits || !bench_.forward.argmax(logits, std::span(bests).first(n))) return false;
    const kernels::Argmax* best = bests.data();
    for (Answer& answer : answers_) {
      if (!is_free(answer)) continue;
      choose_rows(answer, logits, best);
      logits += static_cast<size_t>(answer.n_rows) * bench_.n_vocab;
      best += answer.n_rows;
    }
  }
  for (Answer& answer : answers_) {
    if (answer.n_rows == 0 || is_free(answer)) continue;
    answer.random_after = answer.random;
    answer.n_chosen = 1;
    const std::vector<uint32_t> candidates = bench_.tokenizer.compatible_with(answer.heal_left);
    if (!choose_healed(answer.first_row, candidates, answer.random_after,
                       choices_[answer.first_row]))
      return false;
  }
  return true;
}

/// Row by row while the draft says what the model would have chosen.
void Decoder::choose_rows(Answer& answer, const float* logits, const kernels::Argmax* bests) {
  answer.random_after = answer.random;
  answer.n_chosen = 0;
  for (int i = 0; i < answer.n_rows; i++) {
    const int row = answer.first_row + i;
    if (i > 0 && tokens_[row] != choices_[row - 1].token) return;
    choices_[row] = choose_from(logits + static_cast<size_t>(i) * bench_.n_vocab, bests[i],
                                answer.random_after);
    answer.n_chosen++;
  }
}

Decoder::Choice Decoder::choose_from(const float* logits, const kernels::Argmax& best,
                                     Random& random) {
  const Request& request = job_.request;
  if (!best.finite)
    throw EngineError("engine-fault", "the model gave logits that are not numbers after token " +
                                          std::to_string(n_tokens()) + " of the answer on " +
                                          bench_.ops.description());
  if (request.sampling.temperature <= 0 && !request.wants_log_probabilities) return {best.id, 0};
  read_logits(logits, bench_.n_vocab);
  const Sampled sampled = bench_.sampler.sample(bench_.host_logits, request.sampling, random);
  return {sampled.index, sampled.log_probability};
}

/// Among the tokens that agree with the bytes to be healed; so is the log-probability.
bool Decoder::choose_healed(int32_t row, std::span<const uint32_t> candidates, Random& random,
                            Choice& choice) {
  const float* logits = bench_.forward.head(row, candidates);
  if (!logits) return false;
  read_logits(logits, static_cast<int>(candidates.size()));
  const Sampled sampled = bench_.sampler.sample(bench_.host_logits, job_.request.sampling, random);
  choice = {candidates[sampled.index], sampled.log_probability};
  return true;
}

void Decoder::read_logits(const float* logits, int n) {
  bench_.host_logits.resize(n);
  bench_.ops.read(bench_.host_logits, logits);
}

// --- accepting ---

/// What was drafted beyond the choices stays uncommitted: the next pass writes over it.
void Decoder::accept_choices(Answer& answer) {
  int n = 0;
  while (n < answer.n_chosen && !answer.is_done) {
    accept(answer, choices_[answer.first_row + n]);
    n++;
  }
  answer.random = answer.random_after;
  if (drafter_) drafter_->learn(answer.n_rows - 1, n - 1, bench_.pass_costs);
  answer.path.commit(std::span(tokens_).subspan(answer.first_row, n));
}

void Decoder::accept(Answer& answer, const Choice& choice) {
  const Request& request = job_.request;
  const uint32_t token = choice.token;
  answer.tokens.push_back(token);
  if (request.wants_log_probabilities) answer.log_probabilities.push_back(choice.log_probability);
  if (contains(bench_.tokenizer.end_of_generation(), token) || contains(request.stop_tokens, token))
    return end(answer, FinishReason::kStop);
  if (drafter_) drafter_->append(token);
  std::string_view bytes = bench_.tokenizer.bytes(token);
  if (bench_.tokenizer.is_special(token)) bytes = {};
  const size_t n_healed = std::min(answer.heal_left.size(), bytes.size());
  answer.heal_left.erase(0, n_healed);
  emit(answer, bytes.substr(n_healed));
  if (static_cast<int>(answer.tokens.size()) >= request.max_tokens)
    end(answer, FinishReason::kLength);
}

void Decoder::emit(Answer& answer, std::string_view bytes) {
  answer.held_bytes.append(bytes);
  const size_t n = whole_characters(answer.held_bytes);
  if (n == 0) return;
  const std::string_view text = std::string_view(answer.held_bytes).substr(0, n);
  answer.text.append(text);
  if (job_.on_text && &answer == &answers_.front()) job_.on_text(text);
  answer.held_bytes.erase(0, n);
}

void Decoder::end(Answer& answer, FinishReason reason) {
  answer.is_done = true;
  answer.finish_reason = reason;
}

void Decoder::give_way() {
  for (Answer& answer : answers_) give_way(answer);
}

void Decoder::give_way(Answer& answer) {
  if (!answer.is_done) end(answer, FinishReason::kLength);
  answer.path = Path();
}

bool Decoder::is_done() const {
  return std::all_of(answers_.begin(), answers_.end(),
                     [](const Answer& answer) { return answer.is_done; });
}

int Decoder::n_tokens() const {
  return answers_.empty() ? 0 : static_cast<int>(answers_.front().tokens.size());
}

void Decoder::finish(Result& result) {
  result.timings.completion_tokens = n_tokens();
  result.timings.decode_passes = n_passes_;
  std::vector<std::string> known;
  for (size_t i = 0; job_.request.n_alternatives > 1 && i < answers_.size(); i++) {
    const std::string new_essence = essence(answers_[i].text);
    const bool is_new =
        !new_essence.empty() && std::find(known.begin(), known.end(), new_essence) == known.end();
    if (i > 0 && !is_new) continue;
    result.alternatives.push_back({answers_[i].text, answers_[i].tokens});
    known.push_back(new_essence);
  }
  Answer& main = answers_.front();
  result.text = std::move(main.text);
  result.tokens = std::move(main.tokens);
  result.values = std::move(main.log_probabilities);
}

}  // namespace hearth
