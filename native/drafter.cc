#include "drafter.h"

#include <algorithm>

namespace hearth {
namespace {

// Shorter matches are mostly chance: ") {" occurs everywhere.
constexpr int kFewestMatching = 3;
// Below this gain a draft only makes the machine warm.
constexpr double kLeastGain = 1.05;
// Drafts to see before judging: the first few may be unlucky.
constexpr int kFairTrial = 4;
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

double PassCosts::relative(int n_tokens) const {
  const bool is_known = ms_[1] > 0 && ms_[n_tokens] > 0;
  return is_known ? ms_[n_tokens] / ms_[1] : 1 + kAssumedTokenCost * (n_tokens - 1);
}

Drafter::Drafter(std::span<const uint32_t> prompt, int n_expected)
    : text_(prompt.size() + n_expected) {
  for (const uint32_t token : prompt) text_.append(token);
}

std::span<const uint32_t> Drafter::propose(int n_most) {
  if (is_off_ || text_.match_length() < kFewestMatching) return {};
  const std::span<const uint32_t> known = text_.continuation();
  const int n = std::min(length_, n_most);
  // A match that overlaps the end is a period: the draft goes on with itself.
  const int n_known = static_cast<int>(known.size());
  for (int i = 0; i < n; i++) draft_[i] = i < n_known ? known[i] : draft_[i - n_known];
  return std::span(draft_).first(std::max(0, n));
}

void Drafter::learn(int n_drafted, int n_accepted, const PassCosts& costs) {
  if (n_drafted == 0) return;
  const bool is_whole = n_accepted == n_drafted;
  length_ = is_whole ? std::min(kMaxDraft, std::max(length_, 2 * n_drafted))
                     : std::max(2, std::min(length_ - 1, n_accepted + 1));
  tokens_ = kFading * tokens_ + n_accepted + 1;
  cost_ = kFading * cost_ + costs.relative(n_drafted + 1);
  is_off_ = ++n_tried_ >= kFairTrial && tokens_ < kLeastGain * cost_;
}

}  // namespace hearth
