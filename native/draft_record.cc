#include "draft_record.h"

#include <algorithm>

namespace hearth {
namespace {

// Below this gain a draft only makes the machine warm.
constexpr double kLeastGain = 1.05;
// Drafts to see before judging: the first few may be unlucky.
constexpr int kFairTrial = 4;
// Chances to pass by before the next trial: a trial that fails costs about four passes.
constexpr int kRest = 100;
// A pass fades to half within about four.
constexpr double kFading = 0.84;
// Until it has been measured: what another token adds to a pass.
constexpr double kAssumedTokenCost = 0.1;
// Other work on the machine makes a pass longer, never shorter: the least time counts, but slowly
// gives way to a context that has grown.
constexpr double kForgetting = 1.02;

}  // namespace

void PassCosts::note(int n_tokens, double ms) {
  if (n_tokens >= static_cast<int>(ms_.size())) return;
  double& known = ms_[n_tokens];
  known = known > 0 ? std::min(ms, kForgetting * known) : ms;
}

double PassCosts::relative(int n_tokens, double draft_ms) const {
  if (ms_[1] > 0 && ms_[n_tokens] > 0) return (ms_[n_tokens] + draft_ms) / ms_[1];
  const double assumed = 1 + kAssumedTokenCost * (n_tokens - 1);
  return ms_[n_tokens] > 0 ? assumed * (1 + draft_ms / ms_[n_tokens]) : assumed;
}

bool DraftRecord::is_worth_trying() {
  if (n_resting_ == 0) return true;
  n_resting_--;
  return false;
}

void DraftRecord::learn(int n_drafted, int n_accepted, double cost) {
  const bool is_whole = n_accepted == n_drafted;
  length_ = is_whole ? std::min(kMaxDraft, std::max(length_, 2 * n_drafted))
                     : std::max(2, std::min(length_ - 1, n_accepted + 1));
  tokens_ = kFading * tokens_ + n_accepted + 1;
  cost_ = kFading * cost_ + cost;
  if (++n_tried_ < kFairTrial || tokens_ >= kLeastGain * cost_) return;
  *this = DraftRecord();
  n_resting_ = kRest;
}

}  // namespace hearth
