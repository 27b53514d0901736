#include "draft_corpus.h"

#include <algorithm>
#include <vector>

namespace hearth {
namespace {

// No token of any vocabulary: matches end there.
constexpr uint32_t kMark = UINT32_MAX;

}  // namespace

void DraftCorpus::learn(std::span<const uint32_t> tokens) {
  const size_t n_half = most_tokens_ / 2;
  tokens = tokens.last(std::min(tokens.size(), n_half - 1));
  if (knows(tokens)) return;
  if (text_.tokens().size() + tokens.size() + 1 > most_tokens_) {
    // Half of the room is free then: this happens seldom.
    const std::span<const uint32_t> all = text_.tokens();
    const std::vector<uint32_t> newest(all.end() - std::min(all.size(), n_half), all.end());
    text_ = SuffixAutomaton(most_tokens_);
    for (const uint32_t token : newest) text_.append(token);
    generation_++;
  }
  for (const uint32_t token : tokens) text_.append(token);
  text_.append(kMark);
}

bool DraftCorpus::knows(std::span<const uint32_t> tokens) const {
  SuffixAutomaton::Place place;
  for (const uint32_t token : tokens) place = text_.advance(place, token);
  return place.length == static_cast<int32_t>(tokens.size());
}

std::span<const uint32_t> DraftCorpus::continuation(SuffixAutomaton::Place place,
                                                    size_t n_most) const {
  const std::span<const uint32_t> after = text_.continuation(place);
  const std::span<const uint32_t> first = after.first(std::min(after.size(), n_most));
  return first.first(std::find(first.begin(), first.end(), kMark) - first.begin());
}

}  // namespace hearth
