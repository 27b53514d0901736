// The proposing side of speculative decoding: drafts the next tokens, which the decoder verifies in
// one pass. It asks its sources in this order: n-gram lookup (also called prompt lookup) of the
// last tokens in the prompt and the answer; a smaller draft model, if there is one; n-gram lookup
// in a corpus of other texts. Acceptance statistics decide whether a source is worth asking, and
// for how many tokens. A bad draft costs time but cannot change the text.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "draft_corpus.h"
#include "draft_model.h"
#include "draft_record.h"
#include "suffix_automaton.h"

namespace hearth {

/// The state that drafting keeps between requests: the corpus, the draft model, and the
/// measurements of each source.
struct Drafting {
  DraftCorpus corpus{};
  DraftModel* model = nullptr;  // null: none
  PassCosts pass_costs{};
  MatchRecords text_records{};  // of drafts from the request's own text
  MatchRecords corpus_records{};
  DraftRecord model_record{};
  double model_token_ms = 0;  // the draft model's time for one token
};

class Drafter {
 public:
  /// Allocates memory for the prompt and n_expected more tokens. The prompt must outlive the
  /// drafter, which indexes it on first use. The corpus may change meanwhile.
  Drafter(Drafting& drafting, std::span<const uint32_t> prompt, int n_expected);
  Drafter(const Drafter&) = delete;
  /// Adds a token of the answer.
  void append(uint32_t token);
  /// Tokens of the answer so far.
  int n_appended() const { return n_appended_; }
  /// At most n_max tokens, often none. Valid until the next call or change of the corpus.
  std::span<const uint32_t> propose(int n_max);
  /// Reports how much of the last proposal was accepted.
  void record_outcome(int n_drafted, int n_accepted);

 private:
  void read_prompt();
  void find_in_corpus();
  bool is_worth_trying(DraftRecord& record, int n_max, double token_ms = 0);
  std::span<const uint32_t> ask_model();
  std::span<const uint32_t> repeated(std::span<const uint32_t> known);

  Drafting& drafting_;
  std::span<const uint32_t> prompt_;
  int n_appended_ = 0;
  SuffixAutomaton text_;              // prompt and answer
  SuffixAutomaton::Match in_corpus_;  // the longest suffix of text_ that occurs in the corpus
  uint64_t generation_ = 0;           // the corpus's generation when in_corpus_ was found
  DraftRecord* record_ = nullptr;     // the record of the last proposal's source
  int n_ = 0;                         // the number of tokens requested from that source
  std::array<uint32_t, kMaxDraft> draft_{};
};

}  // namespace hearth
