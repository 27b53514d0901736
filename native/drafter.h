// Speculation: proposes as the next tokens what followed the same words earlier in the prompt or
// the answer, else what a smaller model says, if there is one, else what followed them in the
// corpus of other texts. What is accepted is the decoder's business, so nothing here can change a
// text.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "draft_corpus.h"
#include "draft_model.h"
#include "draft_record.h"
#include "suffix_automaton.h"

namespace hearth {

class Drafter {
 public:
  /// The corpus, which may grow, and the model, which may be null, must outlive it.
  Drafter(DraftCorpus& corpus, DraftModel* model, std::span<const uint32_t> prompt, int n_expected);
  Drafter(const Drafter&) = delete;
  void append(uint32_t token);
  /// At most n_most tokens, often none. Valid until the next call or change of the corpus.
  std::span<const uint32_t> propose(int n_most);
  /// How the last proposal fared.
  void learn(int n_drafted, int n_accepted, const PassCosts& costs);

 private:
  void find_in_corpus();
  std::span<const uint32_t> go_on(std::span<const uint32_t> known, int n);

  SuffixAutomaton text_;
  DraftRecord own_;
  DraftCorpus& corpus_;
  SuffixAutomaton::Place in_corpus_;  // the end of text_
  uint64_t generation_ = 0;           // of the corpus that in_corpus_ means
  DraftModel* model_;
  double model_ms_ = 0;        // of the last proposal
  DraftRecord* last_ = &own_;  // of the last proposal's source
  std::array<uint32_t, kMaxDraft> draft_{};
};

}  // namespace hearth
