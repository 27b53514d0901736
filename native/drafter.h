// Speculation without a second model: proposes as the next tokens what followed the same words
// earlier in the prompt or the answer. Owns how long a draft is and whether drafting pays; what is
// accepted is the decoder's business, so nothing here can change a text.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "suffix_automaton.h"

namespace hearth {

/// With the token before it, a batch of 12: up to there the CPU kernels read the weights about as
/// long as they compute.
inline constexpr int kMaxDraft = 11;

/// What a forward pass of n tokens takes, in passes of one. Measured as the engine runs; belongs to
/// the engine thread and outlives requests.
class PassCosts {
 public:
  void note(int n_tokens, double ms);
  double relative(int n_tokens) const;

 private:
  std::array<double, kMaxDraft + 2> ms_{};  // by n_tokens; 0: never run
};

class Drafter {
 public:
  Drafter(std::span<const uint32_t> prompt, int n_expected);
  void append(uint32_t token) { text_.append(token); }
  /// At most n_most tokens, often none. Valid until the next call.
  std::span<const uint32_t> propose(int n_most);
  /// How the last proposal fared.
  void learn(int n_drafted, int n_accepted, const PassCosts& costs);

 private:
  SuffixAutomaton text_;
  std::array<uint32_t, kMaxDraft> draft_{};
  int length_ = 3;  // of the next draft
  // Of passes with a draft, fading: tokens gained, and what the passes cost.
  double tokens_ = 0;
  double cost_ = 0;
  int n_tried_ = 0;
  bool is_off_ = false;
};

}  // namespace hearth
