// How drafts from one source fare: how long the next should be, and whether they pay at all.
#pragma once

#include <array>

namespace hearth {

/// With the token before it, a batch of 12: up to there the CPU kernels read the weights about as
/// long as they compute.
inline constexpr int kMaxDraft = 11;

/// What a forward pass of n tokens takes, in passes of one. Measured as the engine runs; belongs to
/// the engine thread and outlives requests.
class PassCosts {
 public:
  void note(int n_tokens, double ms);
  /// With what was spent on the draft before it.
  double relative(int n_tokens, double draft_ms = 0) const;

 private:
  std::array<double, kMaxDraft + 2> ms_{};  // by n_tokens; 0: never run
};

class DraftRecord {
 public:
  int length() const { return length_; }
  /// Whether to draft this time. After drafts that did not pay it says no for a while.
  bool is_worth_trying();
  /// cost: of the pass and its draft, in passes of one token.
  void learn(int n_drafted, int n_accepted, double cost);

 private:
  int length_ = 3;
  // Of passes with a draft, fading: tokens gained, and what the passes cost.
  double tokens_ = 0;
  double cost_ = 0;
  int n_tried_ = 0;
  int n_resting_ = 0;  // chances still to be left alone
};

}  // namespace hearth
