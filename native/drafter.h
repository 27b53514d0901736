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

/// What drafting works with beside a request's own text, and what it has learned, over all
/// requests.
struct Drafting {
  DraftCorpus corpus{};
  DraftModel* model = nullptr;  // or there is none
  PassCosts pass_costs{};
  // By source: the request's own text, the corpus, the model.
  MatchRecords text_records{};
  MatchRecords corpus_records{};
  DraftRecord model_record{};
  double model_token_ms = 0;  // that the model takes to draft a token
};

class Drafter {
 public:
  /// Takes all memory that the prompt and so many more tokens need, and reads the prompt later: it
  /// must outlive the drafter. The corpus may grow meanwhile.
  Drafter(Drafting& drafting, std::span<const uint32_t> prompt, int n_expected);
  Drafter(const Drafter&) = delete;
  void append(uint32_t token);
  /// Tokens behind the prompt.
  int n_appended() const { return n_appended_; }
  /// At most n_most tokens, often none. Valid until the next call or change of the corpus.
  std::span<const uint32_t> propose(int n_most);
  /// How the last proposal fared.
  void learn(int n_drafted, int n_accepted);

 private:
  void read_prompt();
  void find_in_corpus();
  bool is_worth_trying(DraftRecord& record, int n_most, double token_ms = 0);
  std::span<const uint32_t> ask_model();
  std::span<const uint32_t> go_on(std::span<const uint32_t> known);

  Drafting& drafting_;
  std::span<const uint32_t> prompt_;
  int n_appended_ = 0;
  SuffixAutomaton text_;              // as far as it has been read
  SuffixAutomaton::Place in_corpus_;  // the end of text_
  uint64_t generation_ = 0;           // of the corpus that in_corpus_ means
  // Of the last proposal: the record of its source, and its length.
  DraftRecord* record_ = nullptr;
  int n_ = 0;
  std::array<uint32_t, kMaxDraft> draft_{};
};

}  // namespace hearth
