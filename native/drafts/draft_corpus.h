// The corpus for n-gram lookup beyond a request's own prompt: documents that the user has left, in
// one suffix automaton. Its size is limited; when it is full, the older half is dropped. Only the
// engine thread uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "suffix_automaton.h"

namespace hearth {

class DraftCorpus {
 public:
  /// The default holds about thirty source files and takes about 7 MB.
  explicit DraftCorpus(size_t max_tokens = 1 << 16) : max_tokens_(max_tokens), text_(0) {}

  /// Adds a text, unless the whole text is already in the corpus. If a text is too long, only its
  /// end is added.
  void add(std::span<const uint32_t> tokens);
  /// Increases whenever the matches found in text() become invalid.
  uint64_t generation() const { return generation_; }
  const SuffixAutomaton& text() const { return text_; }
  /// At most n_max tokens that followed the match, up to the end of the text that it is in.
  std::span<const uint32_t> continuation(SuffixAutomaton::Match match, size_t n_max) const;

 private:
  bool contains(std::span<const uint32_t> tokens) const;

  size_t max_tokens_;
  SuffixAutomaton text_;  // the texts, with a separator after each
  uint64_t generation_ = 0;
};

}  // namespace hearth
