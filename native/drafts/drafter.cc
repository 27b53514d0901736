// Chooses among the sources of drafts, and keeps two suffix automata up to date: the text's own
// grows with each token, and in the corpus's each token advances a match.
#include "drafter.h"

#include <algorithm>

namespace hearth {
namespace {

// Drafts from matches of three tokens in other texts save passes, but fewer than verifying them
// costs.
constexpr int kShortestCorpusMatch = 4;
// MatchRecords treats all longer matches alike, so looking up more tokens would gain nothing.
constexpr size_t kLongestCorpusMatch = 32;

}  // namespace

Drafter::Drafter(Drafting& drafting, std::span<const uint32_t> prompt, int n_expected)
    : drafting_(drafting), prompt_(prompt), text_(prompt.size() + n_expected) {}

void Drafter::read_prompt() {
  if (!text_.tokens().empty() || prompt_.empty()) return;
  for (const uint32_t token : prompt_) text_.append(token);
  find_in_corpus();
}

void Drafter::append(uint32_t token) {
  read_prompt();
  n_appended_++;
  text_.append(token);
  if (generation_ != drafting_.corpus.generation()) return find_in_corpus();
  in_corpus_ = drafting_.corpus.text().advance(in_corpus_, token);
}

/// Looks up the end of the text in the corpus, the first time and whenever the corpus has changed.
void Drafter::find_in_corpus() {
  const DraftCorpus& corpus = drafting_.corpus;
  generation_ = corpus.generation();
  in_corpus_ = {};
  const std::span<const uint32_t> all = text_.tokens();
  for (const uint32_t token : all.last(std::min(all.size(), kLongestCorpusMatch)))
    in_corpus_ = corpus.text().advance(in_corpus_, token);
}

std::span<const uint32_t> Drafter::propose(int n_max) {
  DraftCorpus& corpus = drafting_.corpus;
  read_prompt();
  if (generation_ != corpus.generation()) find_in_corpus();
  const int n_matching = text_.match_length();
  if (n_matching >= MatchRecords::kShortest &&
      is_worth_trying(drafting_.text_records.of(n_matching), n_max))
    return repeated(text_.continuation());
  if (drafting_.model && is_worth_trying(drafting_.model_record, n_max, drafting_.model_token_ms)) {
    const auto draft = ask_model();
    if (!draft.empty()) return draft;
  }
  if (in_corpus_.length >= kShortestCorpusMatch &&
      is_worth_trying(drafting_.corpus_records.of(in_corpus_.length), n_max))
    return corpus.continuation(in_corpus_, n_);
  return {};
}

/// Sets record_ and n_, the number of tokens to draft; returns whether n_ > 0. token_ms: the time
/// to draft one token.
bool Drafter::is_worth_trying(DraftRecord& record, int n_max, double token_ms) {
  const PassCosts& costs = drafting_.pass_costs;
  record_ = &record;
  n_ = std::min(n_max, record.next_length(costs, costs.relative_ms(token_ms)));
  return n_ > 0;
}

std::span<const uint32_t> Drafter::ask_model() {
  const int64_t start = now_ns();
  const auto draft = drafting_.model->propose(text_.tokens(), n_);
  const double ms = static_cast<double>(now_ns() - start) / 1e6;
  if (!draft.empty()) drafting_.model_token_ms = ms / static_cast<double>(draft.size());
  return draft;
}

/// Repeats `known`, the continuation of the match, until there are n_ tokens. A continuation is
/// shorter if the match overlaps the end of the text, as in "a b a b a b": its length is the period
/// with which the text repeats.
std::span<const uint32_t> Drafter::repeated(std::span<const uint32_t> known) {
  const int n_known = static_cast<int>(known.size());
  for (int i = 0; i < n_; i++) draft_[i] = i < n_known ? known[i] : draft_[i - n_known];
  return std::span(draft_).first(n_);
}

void Drafter::record_outcome(int n_drafted, int n_accepted) {
  if (n_drafted > 0) record_->record(n_drafted, n_accepted);
}

}  // namespace hearth
