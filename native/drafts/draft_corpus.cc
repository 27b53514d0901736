#include "draft_corpus.h"

#include <algorithm>
#include <vector>

namespace hearth {
namespace {

// No vocabulary has this id, so no match extends beyond it.
constexpr uint32_t kSeparator = UINT32_MAX;

}  // namespace

void DraftCorpus::add(std::span<const uint32_t> tokens) {
  const size_t n_half = max_tokens_ / 2;
  tokens = tokens.last(std::min(tokens.size(), n_half - 1));
  if (contains(tokens)) return;
  if (text_.tokens().size() + tokens.size() + 1 > max_tokens_) {
    // Texts cannot be removed from the automaton, so it is built again from the newer half.
    const std::span<const uint32_t> all = text_.tokens();
    const std::vector<uint32_t> newest(all.end() - std::min(all.size(), n_half), all.end());
    text_ = SuffixAutomaton(max_tokens_);
    for (const uint32_t token : newest) text_.append(token);
    generation_++;
  }
  for (const uint32_t token : tokens) text_.append(token);
  text_.append(kSeparator);
}

bool DraftCorpus::contains(std::span<const uint32_t> tokens) const {
  SuffixAutomaton::Match match;
  for (const uint32_t token : tokens) match = text_.advance(match, token);
  return match.length == static_cast<int32_t>(tokens.size());
}

std::span<const uint32_t> DraftCorpus::continuation(SuffixAutomaton::Match match,
                                                    size_t n_max) const {
  const std::span<const uint32_t> after = text_.continuation(match);
  const std::span<const uint32_t> first = after.first(std::min(after.size(), n_max));
  return first.first(std::find(first.begin(), first.end(), kSeparator) - first.begin());
}

}  // namespace hearth
