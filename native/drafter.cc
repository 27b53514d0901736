#include "drafter.h"

#include <algorithm>

namespace hearth {
namespace {

// Shorter matches are mostly chance: ") {" occurs everywhere. More so in other texts than in one's
// own: drafts from there at three words gain passes and lose time.
constexpr int kFewestMatching = 3;
constexpr int kFewestMatchingElsewhere = 4;
// Longer ones need not be told apart.
constexpr size_t kMostMatching = 32;

}  // namespace

Drafter::Drafter(DraftCorpus& corpus, DraftModel* model, std::span<const uint32_t> prompt,
                 int n_expected)
    : text_(prompt.size() + n_expected), corpus_(corpus), model_(model) {
  for (const uint32_t token : prompt) text_.append(token);
  find_in_corpus();
}

void Drafter::append(uint32_t token) {
  text_.append(token);
  in_corpus_ = corpus_.text().advance(in_corpus_, token);
}

void Drafter::find_in_corpus() {
  generation_ = corpus_.generation();
  in_corpus_ = {};
  const std::span<const uint32_t> all = text_.tokens();
  for (const uint32_t token : all.last(std::min(all.size(), kMostMatching)))
    in_corpus_ = corpus_.text().advance(in_corpus_, token);
}

std::span<const uint32_t> Drafter::propose(int n_most) {
  if (generation_ != corpus_.generation()) find_in_corpus();
  n_most = std::max(0, n_most);
  model_ms_ = 0;
  if (text_.match_length() >= kFewestMatching && own_.is_worth_trying()) {
    last_ = &own_;
    return go_on(text_.continuation(), std::min(own_.length(), n_most));
  }
  if (model_ && model_->record().is_worth_trying()) {
    last_ = &model_->record();
    const int64_t start = now_ns();
    const auto draft = model_->propose(text_.tokens(), std::min(last_->length(), n_most));
    model_ms_ = static_cast<double>(now_ns() - start) / 1e6;
    if (!draft.empty()) return draft;
  }
  DraftRecord& record = corpus_.record();
  if (in_corpus_.length >= kFewestMatchingElsewhere && record.is_worth_trying()) {
    last_ = &record;
    return corpus_.continuation(in_corpus_, std::min(record.length(), n_most));
  }
  return {};
}

/// A match that overlaps the end is a period: the draft goes on with itself.
std::span<const uint32_t> Drafter::go_on(std::span<const uint32_t> known, int n) {
  const int n_known = static_cast<int>(known.size());
  for (int i = 0; i < n; i++) draft_[i] = i < n_known ? known[i] : draft_[i - n_known];
  return std::span(draft_).first(n);
}

void Drafter::learn(int n_drafted, int n_accepted, const PassCosts& costs) {
  if (n_drafted > 0) last_->learn(n_drafted, n_accepted, costs.relative(n_drafted + 1, model_ms_));
}

}  // namespace hearth
