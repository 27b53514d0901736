// Sleeping until a number changes. std::atomic's wait() is this on Linux; the C++ libraries for
// Windows poll, or take a lock that all numbers share.
#pragma once

#include <atomic>

namespace hearth::system {

/// Returns when the number is no longer `old`. A change is noticed at the latest when it is
/// followed by wake_one().
void wait(const std::atomic<int>& number, int old);
/// Wakes one thread that waits for the number.
void wake_one(std::atomic<int>& number);

}  // namespace hearth::system
