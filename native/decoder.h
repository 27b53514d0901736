// Decoding: the answer of one request, or up to four alternatives side by side, pass by pass. Each
// pass evaluates of every unfinished answer the token chosen last and, of a single one, a draft of
// what may follow; of a draft only what the model would have chosen anyway is accepted.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drafter.h"
#include "forward.h"
#include "page_cache.h"
#include "pins.h"
#include "request.h"
#include "sampler.h"
#include "tokenizer.h"

namespace hearth {

/// What all requests work with. Belongs to the engine thread.
struct Workbench {
  kernels::Ops& ops;
  const Tokenizer& tokenizer;
  Forward& forward;
  PageCache& cache;
  Sampler& sampler;
  std::vector<float>& host_logits;    // scratch of n_vocab
  std::vector<uint32_t>& candidates;  // likewise
  Heartbeat& heartbeat;
  int n_vocab = 0;
  int context_tokens = 0;
  Pins pins{};
  Drafting drafting{};
  int chunk_tokens = kernels::kMaxBatch;  // of the next piece of a prompt
  int slice_tokens = 0;                   // of the next short one; 0: not measured yet
};

class Decoder {
 public:
  /// Both must outlive it.
  Decoder(const Job& job, Workbench& bench) : job_(job), bench_(bench) {}

  /// To be evaluated behind the prompt: what an earlier answer to it wrote of the bytes to be
  /// healed. At the next key of a word these are the same tokens, and the first new text need not
  /// wait for a pass for each. At most n_most tokens.
  std::vector<uint32_t> first_draft(int n_most) const;
  /// Chooses each answer's first tokens after the batch just evaluated, which holds the prompt's
  /// last tokens and the first draft; then commits these and takes the path. False when
  /// interrupted: nothing has changed.
  bool start(Path& path, std::span<const uint32_t> last_tokens, std::span<const uint32_t> draft);
  bool has_started() const { return !answers_.empty(); }
  /// One forward pass. False when interrupted: nothing has changed. Throws EngineError.
  bool step();
  bool is_done() const;
  FinishReason finish_reason() const { return answers_.front().finish_reason; }
  int n_tokens() const;
  /// Gives all pages back; the answers end where they are.
  void give_way();
  /// Gives all up, to begin anew. Text that was streamed before is not streamed again.
  void start_over();
  /// A token that comes again and again is BadOutput.
  void doubt_repeats(bool doubts) { doubts_repeats_ = doubts; }
  /// Moves the answers out.
  void finish(Result& result);

 private:
  struct Choice {
    uint32_t token = 0;
    float log_probability = 0;
  };
  struct Answer {
    Path path;
    std::vector<uint32_t> tokens;  // of which the last is not evaluated yet
    std::vector<float> log_probabilities;
    std::string text;
    std::string heal_left;            // bytes still to be generated again
    std::string held_bytes;           // an unfinished UTF-8 character
    double held_log_probability = 0;  // of the tokens since the last piece of text
    Random random{0};
    bool is_done = false;
    FinishReason finish_reason = FinishReason::kStop;
    // Of the pass under way: its rows, the first whose token may be any, and how many have a
    // choice.
    int first_row = 0;
    int n_rows = 0;
    int n_healed_rows = 0;
    int n_chosen = 0;
    Random random_after{0};
  };

  Answer new_answer() const;
  void add_alternatives();

  void gather();
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
  void note_repeat(const Answer& main, uint32_t token);
  void emit(Answer& answer, std::string_view bytes);
  void stream(std::string_view text, const Answer& answer);
  void give_way(Answer& answer);
  void end(Answer& answer, FinishReason reason);

  const Job& job_;
  Workbench& bench_;
  std::vector<Answer> answers_;  // the main one first; its text alone is streamed
  std::optional<Drafter> drafter_;
  int n_passes_ = 0;
  bool doubts_repeats_ = false;
  int n_repeats_ = 0;                                   // of the main answer's last token
  std::array<std::string, kMaxAlternatives> streamed_;  // before it started over

  // The rows of one pass, answer by answer; in the first pass they stand behind the prompt's rows.
  int n_prompt_rows_ = 0;
  int n_rows_ = 0;
  std::array<uint32_t, kMaxLogitRows> tokens_;  // by row
  int n_extensions_ = 0;
  std::array<Extension, kMaxAlternatives> extensions_;  // one of each answer that goes on
  std::array<Choice, kMaxLogitRows> choices_;           // by row
  const float* logits_ = nullptr;                       // that the pass's last head gave
};

}  // namespace hearth
