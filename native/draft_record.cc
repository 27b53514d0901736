#include "draft_record.h"

#include <algorithm>

namespace hearth {
namespace {

// Below this gain a draft only makes the machine warm.
constexpr double kLeastGain = 1.03;
// Chances to pass by before another trial of one token: at a tenth of a pass each they cost little.
constexpr int kRest = 64;
// A case's weight: the last dozen count.
constexpr double kLearning = 0.06;
// Until it has been measured: what another token adds to a pass.
constexpr double kAssumedTokenCost = 0.1;
// Other work on the machine makes a pass longer, never shorter: the least time counts, but slowly
// gives way to a context that has grown.
constexpr double kForgetting = 1.02;
// Matches of up to so many tokens are told apart; beyond, they are long.
constexpr std::array kMatchBounds{3, 5, 8, 15};

}  // namespace

void PassCosts::note(int n_tokens, double ms) {
  if (n_tokens >= static_cast<int>(ms_.size())) return;
  double& known = ms_[n_tokens];
  known = known > 0 ? std::min(ms, kForgetting * known) : ms;
}

/// A longer pass takes no less: the least of those known counts.
double PassCosts::relative(int n_tokens) const {
  const double assumed = 1 + kAssumedTokenCost * (n_tokens - 1);
  if (ms_[1] <= 0) return assumed;
  double least = 0;
  for (size_t n = n_tokens; n < ms_.size(); n++)
    if (ms_[n] > 0 && (least == 0 || ms_[n] < least)) least = ms_[n];
  return least > 0 ? std::max(1.0, least / ms_[1]) : assumed;
}

void DraftRecord::Share::learn(bool is_so) { share += kLearning * ((is_so ? 1 : 0) - share); }

/// Tokens that a pass is expected to give, for what it costs.
double DraftRecord::gain(int n, double cost) const {
  double tokens = 1, probability = first_.share;
  for (int i = 0; i < n; i++, probability *= further_.share) tokens += probability;
  return tokens / cost;
}

int DraftRecord::next_length(const PassCosts& costs, double token_cost) {
  int best = 0;
  double best_gain = kLeastGain;
  for (int n = 1; n <= kMaxDraft; n++) {
    const double n_gain = gain(n, costs.relative(n + 1) + n * token_cost);
    if (n_gain > best_gain) best = n, best_gain = n_gain;
  }
  if (best > 0) return best;
  if (n_resting_-- > 0) return 0;
  n_resting_ = kRest;
  return 1;
}

void DraftRecord::learn(int n_drafted, int n_accepted) {
  first_.learn(n_accepted > 0);
  for (int i = 1; i < n_drafted && i <= n_accepted; i++) further_.learn(i < n_accepted);
  // A trial that went well is followed by another one at once.
  if (n_accepted > 0) n_resting_ = 0;
}

DraftRecord& MatchRecords::of(int match_length) {
  const auto bound = std::lower_bound(kMatchBounds.begin(), kMatchBounds.end(), match_length);
  return records_[bound - kMatchBounds.begin()];
}

}  // namespace hearth
