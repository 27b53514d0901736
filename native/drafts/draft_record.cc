#include "draft_record.h"

#include <algorithm>

namespace hearth {
namespace {

// A smaller gain is not worth the energy.
constexpr double kMinGain = 1.03;
// While drafts do not pay off, the number of opportunities to skip between trial drafts of one
// token. A trial costs about a tenth of a pass.
constexpr int kTrialInterval = 64;
// The weight of the newest case in the moving averages: about the last dozen cases matter.
constexpr double kNewestWeight = 0.06;
// The relative cost of each further token in a pass, until it has been measured.
constexpr double kAssumedTokenCost = 0.1;
// PassCosts keeps the shortest time, because other work on the machine can only lengthen a pass.
// The minimum grows by 2 % with each pass, since passes take longer as the context grows.
constexpr double kMinimumGrowth = 1.02;
// Match lengths up to each of these bounds share a record; all longer matches share the last one.
constexpr std::array kMatchBounds{3, 5, 8, 15};

}  // namespace

void PassCosts::record(int n_tokens, double ms) {
  if (n_tokens >= static_cast<int>(ms_.size())) return;
  double& known = ms_[n_tokens];
  known = known > 0 ? std::min(ms, kMinimumGrowth * known) : ms;
}

/// Not every number of tokens has been measured. A pass of more tokens takes at least as long, so
/// this uses the minimum over all longer passes.
double PassCosts::relative(int n_tokens) const {
  const double assumed = 1 + kAssumedTokenCost * (n_tokens - 1);
  if (ms_[1] <= 0) return assumed;
  double least = 0;
  for (size_t n = n_tokens; n < ms_.size(); n++)
    if (ms_[n] > 0 && (least == 0 || ms_[n] < least)) least = ms_[n];
  return least > 0 ? std::max(1.0, least / ms_[1]) : assumed;
}

void DraftRecord::Share::update(bool is_yes) {
  share += kNewestWeight * ((is_yes ? 1 : 0) - share);
}

/// The formula is in draft_record.h.
double DraftRecord::gain(int n, double cost) const {
  double tokens = 1, probability = first_.share;
  for (int i = 0; i < n; i++, probability *= further_.share) tokens += probability;
  return tokens / cost;
}

int DraftRecord::next_length(const PassCosts& costs, double token_cost) {
  int best = 0;
  double best_gain = kMinGain;
  for (int n = 1; n <= kMaxDraft; n++) {
    const double n_gain = gain(n, costs.relative(n + 1) + n * token_cost);
    if (n_gain > best_gain) best = n, best_gain = n_gain;
  }
  if (best > 0) return best;
  if (n_resting_-- > 0) return 0;
  n_resting_ = kTrialInterval;
  return 1;
}

void DraftRecord::record(int n_drafted, int n_accepted) {
  first_.update(n_accepted > 0);
  for (int i = 1; i < n_drafted && i <= n_accepted; i++) further_.update(i < n_accepted);
  // After a successful trial, the next one comes at once.
  if (n_accepted > 0) n_resting_ = 0;
}

DraftRecord& MatchRecords::of(int match_length) {
  const auto bound = std::lower_bound(kMatchBounds.begin(), kMatchBounds.end(), match_length);
  return records_[bound - kMatchBounds.begin()];
}

}  // namespace hearth
