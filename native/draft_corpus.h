// Text that drafts may come from beside a request's own prompt: documents that are or were open,
// and accepted completions. Bounded: the newest counts. Belongs to the engine thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "suffix_automaton.h"

namespace hearth {

class DraftCorpus {
 public:
  /// Some thirty source files, in about 7 MB.
  explicit DraftCorpus(size_t most_tokens = 1 << 16) : most_tokens_(most_tokens), text_(0) {}

  /// Adds a text of which it does not know every word in this order. Of one that is too long, the
  /// end.
  void learn(std::span<const uint32_t> tokens);
  /// Rises whenever places in text() lose their meaning.
  uint64_t generation() const { return generation_; }
  const SuffixAutomaton& text() const { return text_; }
  /// What followed the words at the place, within their text.
  std::span<const uint32_t> continuation(SuffixAutomaton::Place place, size_t n_most) const;

 private:
  bool knows(std::span<const uint32_t> tokens) const;

  size_t most_tokens_;
  SuffixAutomaton text_;  // the texts, a mark behind each
  uint64_t generation_ = 0;
};

}  // namespace hearth
