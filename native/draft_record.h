// How drafts from one source fare: whether the next one pays, and how long it should be. Belongs to
// the engine thread and outlives requests: one request is too short to find out.
#pragma once

#include <array>

namespace hearth {

/// With the token before it, a batch of 12: up to there the CPU kernels read the weights about as
/// long as they compute.
inline constexpr int kMaxDraft = 11;

/// What a forward pass of n tokens takes, in passes of one, as measured while the engine runs.
class PassCosts {
 public:
  void note(int n_tokens, double ms);
  double relative(int n_tokens) const;
  /// What something else takes, in passes of one token; 0 while that is unknown.
  double relative_ms(double ms) const { return ms_[1] > 0 ? ms / ms_[1] : 0; }

 private:
  std::array<double, kMaxDraft + 2> ms_{};  // by n_tokens; 0: never run
};

class DraftRecord {
 public:
  /// Tokens to draft now; 0 where no number pays, but for a trial once in a while. token_cost: of
  /// drafting one, in passes of one token.
  int next_length(const PassCosts& costs, double token_cost = 0);
  void learn(int n_drafted, int n_accepted);

 private:
  double gain(int n, double cost) const;

  /// A share that is known from cases, of which old ones count less and less.
  struct Share {
    double share;
    void learn(bool is_so);
  };
  // Of drafts, those whose first token was right; of further tokens behind right ones, the right
  // ones. At first what matches in code are worth on the whole.
  Share first_{0.5};
  Share further_{0.8};
  int n_resting_ = 0;  // chances still to pass by
};

/// Of drafts that follow a match: the longer it is, the likelier what followed it follows again.
class MatchRecords {
 public:
  static constexpr int kShortest = 3;
  /// match_length >= kShortest.
  DraftRecord& of(int match_length);

 private:
  std::array<DraftRecord, 5> records_;
};

}  // namespace hearth
