// Builds batches, accepts the chosen tokens and streams text. decoder_choice.cc chooses the tokens.
#include "decoder.h"

#include <algorithm>
#include <cmath>

#include "common/output_guard.h"
#include "common/utf8.h"

namespace hearth {
namespace {

bool contains(const std::vector<uint32_t>& tokens, uint32_t token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

/// Whether one of the texts begins with the other.
bool agree(std::string_view a, std::string_view b) { return a.starts_with(b) || b.starts_with(a); }

}  // namespace

// --- the first tokens ---

Decoder::Answer Decoder::new_answer() const {
  const Request& request = job_.request;
  Answer answer;
  answer.heal_left = request.heal;
  answer.random = Random(request.sampling.seed);
  // Memory for the whole answer, so that decoding does not allocate.
  const int n_room = bench_.context_tokens - static_cast<int>(request.tokens.size());
  const auto n = static_cast<size_t>(std::clamp(n_room, 1, request.max_tokens));
  constexpr size_t kTokenBytes = 8;  // longer tokens are rare
  answer.tokens.reserve(n);
  answer.text.reserve(n * kTokenBytes);
  answer.log_probabilities.reserve(n);
  return answer;
}

std::vector<uint32_t> Decoder::first_draft(int n_max) const {
  const Request& request = job_.request;
  if (!request.speculate || request.heal.empty() || request.n_alternatives > 1) return {};
  const int n_room = bench_.context_tokens - static_cast<int>(request.tokens.size()) - 1;
  n_max = std::min({n_max, kMaxDraft, request.max_tokens - 1, n_room});
  std::vector<uint32_t> draft =
      bench_.cache.continuation(request.tokens, std::max(0, n_max), request.adapter);
  std::string_view left = request.heal;
  size_t n = 0;
  for (; n < draft.size(); n++) {
    const std::string_view bytes = bench_.tokenizer.bytes(draft[n]);
    if (bytes.empty() || !left.starts_with(bytes)) break;
    left.remove_prefix(bytes.size());
  }
  draft.resize(n);
  return draft;
}

bool Decoder::start(Path& path, std::span<const uint32_t> last_tokens,
                    std::span<const uint32_t> draft) {
  const Request& request = job_.request;
  answers_.reserve(request.n_alternatives);
  Answer& main = answers_.emplace_back(new_answer());
  Pass pass;
  pass.n_prompt_rows = static_cast<int>(last_tokens.size()) - 1;
  pass.n_rows = rows_of(pass, main).n = 1 + static_cast<int>(draft.size());
  pass.tokens[0] = last_tokens.back();
  std::copy(draft.begin(), draft.end(), pass.tokens.begin() + 1);
  if (!choose(pass)) {
    answers_.clear();
    return false;
  }
  if (request.speculate && request.n_alternatives == 1)
    drafter_.emplace(bench_.drafting, request.tokens, static_cast<int>(main.tokens.capacity()));
  path.commit(last_tokens.first(pass.n_prompt_rows));
  main.path = std::move(path);
  accept_choices(pass, main);
  if (request.n_alternatives > 1) add_alternatives(pass.logits);
  return true;
}

/// Alternative i begins with the i-th most likely token other than the main answer's first token.
/// logits: the row from which that token was chosen. (With several alternatives there is no draft,
/// so the first pass chooses only one token.)
void Decoder::add_alternatives(const float* logits) {
  const Request& request = job_.request;
  std::span<const uint32_t> candidates;  // the tokens of the logits; empty: all tokens
  if (!request.heal.empty())
    candidates = bench_.tokenizer.compatible_with(request.heal, bench_.candidates);
  read_logits(logits, candidates.empty() ? bench_.n_vocab : static_cast<int>(candidates.size()));
  std::vector<float>& remaining = bench_.host_logits;
  const Answer& main = answers_.front();
  const uint32_t first = main.tokens.front();
  // The index of the logit taken last.
  size_t taken =
      candidates.empty()
          ? first
          : std::lower_bound(candidates.begin(), candidates.end(), first) - candidates.begin();
  // log(sum(exp(logits))) is a token's logit minus its log-probability: no need to sum again.
  const double log_sum = double{remaining[taken]} - main.log_probabilities.front();
  while (static_cast<int>(answers_.size()) < request.n_alternatives) {
    remaining[taken] = -INFINITY;
    taken = greatest(remaining);
    if (taken == remaining.size()) break;
    Answer& answer = answers_.emplace_back(new_answer());
    answer.path = main.path.fork();
    const auto token = candidates.empty() ? static_cast<uint32_t>(taken) : candidates[taken];
    accept(answer, {token, static_cast<float>(remaining[taken] - log_sum)});
  }
}

// --- one pass ---

bool Decoder::step() {
  bench_.heartbeat.token.store(n_tokens(), std::memory_order_relaxed);
  Pass pass;
  build_batch(pass);
  if (pass.n_rows == 0) return true;
  const int64_t start = now_ns();
  const auto extensions = std::span(pass.extensions).first(pass.n_extensions);
  if (!bench_.forward.evaluate_for_logits(extensions) || !choose(pass)) return false;
  if (answers_.size() == 1)
    bench_.drafting.pass_costs.record(pass.n_rows, static_cast<double>(now_ns() - start) / 1e6);
  n_passes_++;
  for (Answer& answer : answers_) {
    const int n_rows = rows_of(pass, answer).n;
    if (n_rows == 0) continue;
    const int n_accepted = accept_choices(pass, answer);
    if (drafter_) drafter_->record_outcome(n_rows - 1, n_accepted - 1);
  }
  return true;
}

/// Ends answers that have no room left or that the caller has ended; adds rows for the others.
void Decoder::build_batch(Pass& pass) {
  for (Answer& answer : answers_) {
    // A second attempt first repeats the streamed text. Until then, the caller has seen more text
    // than the answer has.
    const int i = index_of(answer);
    if (job_.is_ended_by_caller[i] && text_to_repeat_[i].empty() && !answer.is_done)
      end(answer, FinishReason::kStop);
    if (!answer.is_done) add_rows(pass, answer);
  }
}

void Decoder::add_rows(Pass& pass, Answer& answer) {
  const int length = answer.path.length();
  if (length + 1 >= bench_.context_tokens) return end(answer, FinishReason::kLength);
  std::span<const uint32_t> draft = draft_for(answer);
  const bool fits_draft = !draft.empty() && answer.path.reserve(1 + static_cast<int>(draft.size()));
  if (!fits_draft) draft = {};
  if (!fits_draft && !make_room(answer)) return end(answer, FinishReason::kLength);

  AnswerRows& rows = rows_of(pass, answer);
  rows.first = pass.n_rows;
  rows.n = 1 + static_cast<int>(draft.size());
  const auto tokens = std::span(pass.tokens).subspan(rows.first, rows.n);
  tokens[0] = answer.tokens.back();
  std::copy(draft.begin(), draft.end(), tokens.begin() + 1);
  pass.extensions[pass.n_extensions++] = {&answer.path, tokens};
  pass.n_rows += rows.n;
}

/// Reserves one more position. If the main answer finds no room, the alternatives release their
/// pages. Returns false if an alternative finds no room; throws NoPages if the main answer does.
bool Decoder::make_room(Answer& answer) {
  if (answer.path.reserve(1)) return true;
  if (&answer != &answers_.front()) return false;
  for (size_t i = 1; i < answers_.size(); i++) release_pages(answers_[i]);
  if (answer.path.reserve(1)) return true;
  throw NoPages();
}

std::span<const uint32_t> Decoder::draft_for(const Answer& answer) {
  const Request& request = job_.request;
  const int n_max = std::min({kMaxDraft, bench_.context_tokens - answer.path.length() - 2,
                              request.max_tokens - static_cast<int>(answer.tokens.size()) - 1});
  if (!drafter_ || n_max <= 0 || !answer.heal_left.empty()) return {};
  // The first append() indexes the prompt, which takes a moment; by now, the first token has been
  // streamed.
  for (size_t i = drafter_->n_appended(); i < answer.tokens.size(); i++)
    drafter_->append(answer.tokens[i]);
  return drafter_->propose(n_max);
}

// --- accepting ---

/// Accepts the chosen tokens until the answer ends, and returns their number. Commits only the rows
/// after which they were chosen; the next pass overwrites the KV of rejected drafts.
int Decoder::accept_choices(const Pass& pass, Answer& answer) {
  const AnswerRows& rows = pass.rows_of[static_cast<size_t>(index_of(answer))];
  int n = 0;
  while (n < rows.n_chosen && !answer.is_done) {
    accept(answer, pass.choices[rows.first + n]);
    n++;
  }
  answer.random = rows.random_after;
  answer.path.commit(std::span(pass.tokens).subspan(rows.first, n));
  return n;
}

void Decoder::accept(Answer& answer, const Choice& choice) {
  const Request& request = job_.request;
  const uint32_t token = choice.token;
  if (index_of(answer) == 0) count_repeats(token);
  answer.tokens.push_back(token);
  answer.log_probabilities.push_back(choice.log_probability);
  answer.held_log_probability += choice.log_probability;
  if (contains(bench_.tokenizer.end_of_generation(), token) || contains(request.stop_tokens, token))
    return end(answer, FinishReason::kStop);
  std::string_view bytes = bench_.tokenizer.bytes(token);
  if (bench_.tokenizer.is_special(token)) bytes = {};
  // If they disagree, the vocabulary had no compatible token (choose_healed_rows()): healing ends.
  if (!agree(answer.heal_left, bytes)) answer.heal_left.clear();
  const size_t n_healed = std::min(answer.heal_left.size(), bytes.size());
  answer.heal_left.erase(0, n_healed);
  emit(answer, bytes.substr(n_healed));
  if (static_cast<int>(answer.tokens.size()) >= request.max_tokens)
    end(answer, FinishReason::kLength);
}

/// Called before the main answer takes the token.
void Decoder::count_repeats(uint32_t token) {
  const std::vector<uint32_t>& tokens = answers_.front().tokens;
  n_repeats_ = !tokens.empty() && tokens.back() == token ? n_repeats_ + 1 : 0;
  if (guards_against_repeats_ && n_repeats_ >= kMaxRepeats)
    throw BadOutput{"the same token again and again"};
}

/// Adds whole UTF-8 characters to the answer's text and holds back the beginning of an unfinished
/// one.
void Decoder::emit(Answer& answer, std::string_view bytes) {
  answer.held_bytes.append(bytes);
  const size_t n = whole_characters(answer.held_bytes);
  if (n == 0) return;
  const std::string_view text = std::string_view(answer.held_bytes).substr(0, n);
  answer.text.append(text);
  if (job_.on_text && (index_of(answer) == 0 || job_.request.streams_alternatives))
    stream(text, answer);
  answer.held_bytes.erase(0, n);
  answer.held_log_probability = 0;
}

/// Streams text. After start_over(), the model writes the text a second time: the part that was
/// streamed before must be the same, and is not streamed again.
void Decoder::stream(std::string_view text, const Answer& answer) {
  std::string& to_repeat = text_to_repeat_[index_of(answer)];
  const size_t n_again = std::min(to_repeat.size(), text.size());
  if (!text.starts_with(std::string_view(to_repeat).substr(0, n_again)))
    throw BadOutput{"a different answer at the second attempt"};
  to_repeat.erase(0, n_again);
  text.remove_prefix(n_again);
  if (!text.empty()) job_.on_text({text, answer.held_log_probability, index_of(answer)});
}

void Decoder::end(Answer& answer, FinishReason reason) {
  answer.is_done = true;
  answer.finish_reason = reason;
}

void Decoder::release_pages() {
  for (Answer& answer : answers_) release_pages(answer);
}

void Decoder::start_over() {
  for (size_t i = 0; i < answers_.size(); i++) text_to_repeat_[i] = std::move(answers_[i].text);
  answers_.clear();
  drafter_.reset();
  n_repeats_ = 0;
}

void Decoder::release_pages(Answer& answer) {
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
  if (job_.request.n_alternatives > 1)
    for (const Answer& answer : answers_)
      result.alternatives.push_back({answer.text, answer.tokens, answer.log_probabilities});
  Answer& main = answers_.front();
  result.text = std::move(main.text);
  result.tokens = std::move(main.tokens);
  result.values = std::move(main.log_probabilities);
}

}  // namespace hearth
