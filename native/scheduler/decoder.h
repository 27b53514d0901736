// Decoding: writes the answer of one request, or up to four alternative answers in one batch. Each
// pass evaluates, for every unfinished answer, the token chosen last. With speculative decoding, a
// pass of a single answer also evaluates a draft of the tokens that might follow. The answer keeps
// the drafted tokens that the model would have chosen itself: drafts change the speed and never the
// text.
//
//   tokens of a pass       a0 d1 d2 d3     a0: last chosen token, d1..d3: draft
//   chosen after each      c1 c2 c3 c4     c1 = d1, c2 = d2, c3 != d3:
//                                          c1, c2, c3 are accepted, c4 is discarded
//
// An answer may have to begin with given bytes (token healing: the prompt ends before the word at
// the cursor, and the model writes that word again). While such bytes are left, the candidates are
// the tokens compatible with them: tokens that begin with these bytes, and tokens that are a prefix
// of them. If there are none, since the vocabulary lacks a byte, the answer continues without
// restriction.
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
  /// this prompt last time, as long as they spell the bytes to be healed. They are usually right
  /// for the next keystroke, too: then the first new text needs one pass instead of one for each
  /// healed token. At most n_max tokens.
  std::vector<uint32_t> first_draft(int n_max) const;
  /// Chooses the first tokens of each answer; a batch of the prompt's last tokens and the first
  /// draft must have been evaluated. Then commits the tokens of the batch and takes the path.
  /// Returns false if interrupted; then nothing has changed.
  bool start(Path& path, std::span<const uint32_t> last_tokens, std::span<const uint32_t> draft);
  bool has_started() const { return !answers_.empty(); }
  /// Runs one forward pass. Returns false if interrupted; then nothing has changed. Throws
  /// EngineError.
  bool step();
  bool is_done() const;
  FinishReason finish_reason() const { return answers_.front().finish_reason; }
  int n_tokens() const;
  /// Releases all pages, which ends the answers where they are, with kLength.
  void release_pages();
  /// Drops the answers, so that start() can begin them again. Text that has been streamed is not
  /// streamed a second time.
  void start_over();
  /// Sets whether step() throws BadOutput once the main answer has repeated a token kMaxRepeats
  /// times (output_guard.h).
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
    std::string heal_left;            // bytes that the answer still has to repeat
    std::string held_bytes;           // the beginning of a UTF-8 character
    double held_log_probability = 0;  // of the tokens since text was last emitted
    Random random{0};
    bool is_done = false;
    FinishReason finish_reason = FinishReason::kStop;
  };
  /// The rows of one answer in a pass: rows [first, first + n). A row is an evaluated token, whose
  /// logits the next token is chosen from.
  struct AnswerRows {
    int first = 0;
    int n = 0;
    int first_free = 0;      // the first of its rows whose choice heal_left does not restrict
    int n_chosen = 0;        // number of its rows after which a token has been chosen
    Random random_after{0};  // the answer's `random` once the pass is accepted
  };
  /// A batch, and the tokens chosen after its rows. An answer does not change before its choices
  /// are accepted, so a pass can be dropped at any point.
  struct Pass {
    // In the first pass: the number of prompt tokens before row 0, which is the prompt's last
    // token.
    int n_prompt_rows = 0;
    int n_rows = 0;
    std::array<AnswerRows, kMaxAlternatives> rows_of;  // by answer
    std::array<uint32_t, kMaxLogitRows> tokens;        // [n_rows], evaluated
    std::array<Choice, kMaxLogitRows> choices;         // [n_rows], chosen after them
    int n_extensions = 0;
    std::array<Extension, kMaxAlternatives> extensions;  // one for each unfinished answer
    const float* logits = nullptr;                       // the last result of Forward::head()

    Pass() = default;
    Pass(const Pass&) = delete;  // its extensions refer to its tokens
  };

  Answer new_answer() const;
  int index_of(const Answer& answer) const { return static_cast<int>(&answer - answers_.data()); }
  AnswerRows& rows_of(Pass& pass, const Answer& answer) const {
    return pass.rows_of[static_cast<size_t>(index_of(answer))];
  }
  void add_alternatives(const float* logits);

  void build_batch(Pass& pass);
  void add_rows(Pass& pass, Answer& answer);
  bool make_room(Answer& answer);
  std::span<const uint32_t> draft_for(const Answer& answer);
  bool choose(Pass& pass);
  static bool is_reached(const Pass& pass, const AnswerRows& rows, int i);
  bool choose_healed_rows(Pass& pass, const Answer& answer);
  bool choose_free_rows(Pass& pass);
  bool choose_rows(Pass& pass, AnswerRows& rows, const float* logits, const kernels::Argmax* bests);
  Choice choose_from(const float* logits, const kernels::Argmax& best, Random& random);
  void read_logits(const float* logits, int n);

  int accept_choices(const Pass& pass, Answer& answer);
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
  // By answer: the text that was streamed before start_over() and has not been written again yet.
  std::array<std::string, kMaxAlternatives> text_to_repeat_;
};

}  // namespace hearth
