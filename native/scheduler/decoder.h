// Decoding: writes the answer of one request, or up to four alternative answers in one batch. Each
// pass evaluates, for every unfinished answer, the token chosen last. With speculative decoding,
// the pass of a single answer also evaluates a draft of the tokens that may follow, and the answer
// keeps those that the model would have chosen itself: drafts change the speed and never the text.
//
//   rows of a pass:    a0 d1 d2 d3       a0: last chosen token, d1..d3: draft
//   chosen after it:   c1 c2 c3 c4       c1 = d1, c2 = d2, c3 != d3: c1, c2, c3 accepted, c4
//   discarded
//
// An answer may have to begin with given bytes (token healing: the prompt ends before the word at
// the cursor, which the model writes again). While bytes are left, only tokens compatible with them
// are candidates.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "request.h"
#include "workbench.h"

namespace hearth {

class Decoder {
 public:
  /// Both must outlive it.
  Decoder(const Job& job, Workbench& bench) : job_(job), bench_(bench) {}

  /// A draft to evaluate in one batch with the end of the prompt: the cached tokens that followed
  /// this prompt last time, as far as they spell the bytes to be healed. They are usually the same
  /// at the next keystroke, so that the first new text needs one pass and not one for each healed
  /// token. At most n_most tokens.
  std::vector<uint32_t> first_draft(int n_most) const;
  /// Chooses the first tokens of each answer from the batch just evaluated, which holds the
  /// prompt's last tokens and the first draft. Then commits those tokens and takes the path. False
  /// when interrupted: nothing has changed.
  bool start(Path& path, std::span<const uint32_t> last_tokens, std::span<const uint32_t> draft);
  bool has_started() const { return !answers_.empty(); }
  /// One forward pass. False when interrupted: nothing has changed. Throws EngineError.
  bool step();
  bool is_done() const;
  FinishReason finish_reason() const { return answers_.front().finish_reason; }
  int n_tokens() const;
  /// Releases all pages, which ends the answers here, with kLength.
  void release_pages();
  /// Drops the answers, so that start() can begin them again. Text that was streamed already is not
  /// streamed a second time.
  void start_over();
  /// Whether the main answer throws BadOutput once it has repeated a token kMostRepeats times
  /// (output_guard.h).
  void guard_against_repeats(bool enabled) { guards_against_repeats_ = enabled; }
  /// Moves the answers out.
  void finish(Result& result);

 private:
  struct Choice {
    uint32_t token = 0;
    float log_probability = 0;
  };
  struct Answer {
    Path path;
    std::vector<uint32_t> tokens;  // all but the last have been evaluated
    std::vector<float> log_probabilities;
    std::string text;
    std::string heal_left;            // bytes that the answer must still write again
    std::string held_bytes;           // the beginning of a UTF-8 character
    double held_log_probability = 0;  // of the tokens since text was last emitted
    Random random{0};
    bool is_done = false;
    FinishReason finish_reason = FinishReason::kStop;
    // The pass in progress. Its rows are first_row to first_row + n_rows.
    int first_row = 0;
    int n_rows = 0;
    int first_free = 0;      // the first row that heal_left does not restrict; n_rows if none is
    int n_chosen = 0;        // rows for which a token has been chosen
    Random random_after{0};  // becomes `random` if the pass is not interrupted
  };

  Answer new_answer() const;
  int index_of(const Answer& answer) const { return static_cast<int>(&answer - answers_.data()); }
  void add_alternatives();

  void build_batch();
  void add_rows(Answer& answer);
  bool make_room(Answer& answer);
  std::span<const uint32_t> draft_for(const Answer& answer);
  bool choose();
  bool is_reached(const Answer& answer, int i) const;
  bool choose_healed_rows(Answer& answer);
  bool choose_free_rows();
  void choose_rows(Answer& answer, const float* logits, const kernels::Argmax* bests);
  Choice choose_from(const float* logits, const kernels::Argmax& best, Random& random);
  void read_logits(const float* logits, int n);

  int accept_choices(Answer& answer);
  void accept(Answer& answer, const Choice& choice);
  void count_repeats(uint32_t token);
  void emit(Answer& answer, std::string_view bytes);
  void stream(std::string_view text, const Answer& answer);
  void release_pages(Answer& answer);
  void end(Answer& answer, FinishReason reason);

  const Job& job_;
  Workbench& bench_;
  std::vector<Answer> answers_;  // the main answer first
  std::optional<Drafter> drafter_;
  int n_passes_ = 0;
  bool guards_against_repeats_ = false;
  int n_repeats_ = 0;  // of the main answer's last token
  // By answer: text streamed before start_over() that has not been written again yet.
  std::array<std::string, kMaxAlternatives> streamed_;

  // The batch of a pass: the rows of one answer after those of another. In the first pass,
  // n_prompt_rows_ rows of the prompt come before them, the prompt's last token is row 0 of the
  // main answer, and n_rows_ is not used.
  int n_prompt_rows_ = 0;
  int n_rows_ = 0;
  std::array<uint32_t, kMaxLogitRows> tokens_;  // [n_rows_], evaluated
  std::array<Choice, kMaxLogitRows> choices_;   // [n_rows_], chosen after them
  int n_extensions_ = 0;
  std::array<Extension, kMaxAlternatives> extensions_;  // one for each unfinished answer
  const float* logits_ = nullptr;  // what Forward::head() returned last in this pass
};

}  // namespace hearth
