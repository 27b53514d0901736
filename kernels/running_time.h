// Measures how long the caller has waited for a GPU.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

namespace hearth::kernels {

/// How long a wait spins before it sleeps. A decode step takes about a millisecond; sleeping would
/// double it.
inline constexpr std::chrono::milliseconds kSpin{3};
/// A GPU that does not answer for this long counts as hung. A batch of 256 tokens of a 7B model
/// takes 0.3 s on a small GPU.
inline constexpr std::chrono::milliseconds kPatience{10'000};

/// The time that has passed while the computer was awake, counted in steps. An unusually long step
/// means that the computer slept: the clocks of some systems run during sleep, but a GPU does not.
class RunningTime {
 public:
  using Clock = std::chrono::steady_clock;
  /// patience: how long the caller will wait. No step counts for more than a hundredth of it.
  explicit RunningTime(Clock::duration patience) : longest_step_(patience / 100) {}
  /// Ends a step and returns the time so far.
  Clock::duration step() {
    const Clock::time_point now = Clock::now();
    passed_ += std::min(now - std::exchange(last_, now), longest_step_);
    return passed_;
  }

 private:
  const Clock::duration longest_step_;
  Clock::time_point last_ = Clock::now();
  Clock::duration passed_{0};
};

}  // namespace hearth::kernels
