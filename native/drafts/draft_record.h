// Acceptance statistics of speculative decoding. From the share of drafted tokens that was accepted
// and the measured cost of passes, these classes choose the length of the next draft.
//
//   gain(n) = expected tokens per pass / cost of the pass
//           = (1 + p + p q + ... + p q^(n-1)) / cost(n + 1 tokens)
//
//   p: how often the first token of a draft was right
//   q: how often a further token was right if all before it were
//
// The statistics are kept for each source of drafts, over all requests, because a single request is
// too short to measure them. Only the engine thread uses them.
#pragma once

#include <array>

namespace hearth {

/// The longest draft. Together with the token before it, it makes a batch of 12. Up to that size,
/// the CPU kernels take about as long to read the weights as to compute.
inline constexpr int kMaxDraft = 11;

/// The cost of a forward pass by its number of tokens, measured while the engine runs. Costs are
/// relative: a pass of one token costs 1.
class PassCosts {
 public:
  void record(int n_tokens, double ms);
  double relative(int n_tokens) const;
  /// Converts any other time to a relative cost; 0 while no pass of one token has been measured.
  double relative_ms(double ms) const { return ms_[1] > 0 ? ms / ms_[1] : 0; }

 private:
  std::array<double, kMaxDraft + 2> ms_{};  // by n_tokens; 0: not measured
};

class DraftRecord {
 public:
  /// The number of tokens to draft now. 0 if no length pays off; but even then, a draft of one
  /// token is tried now and then. token_cost: the relative cost of drafting one token.
  int next_length(const PassCosts& costs, double token_cost = 0);
  void record(int n_drafted, int n_accepted);

 private:
  double gain(int n, double cost) const;

  /// An exponential moving average of yes (1) and no (0).
  struct Share {
    double share;
    void update(bool is_yes);
  };
  // p and q above. They start with typical values for matches in source code.
  Share first_{0.5};
  Share further_{0.8};
  int n_resting_ = 0;  // opportunities to skip before the next trial
};

/// Statistics of drafts from n-gram lookup, by the length of the match: after a longer match, a
/// draft is more likely to be right.
class MatchRecords {
 public:
  static constexpr int kShortest = 3;
  /// match_length >= kShortest.
  DraftRecord& of(int match_length);

 private:
  std::array<DraftRecord, 5> records_;
};

}  // namespace hearth
