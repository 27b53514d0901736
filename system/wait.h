// Sleeping until a number changes. On Linux, std::atomic's wait() does this well; the C++ libraries
// for Windows poll, or take a lock that all numbers share.
#pragma once

#include <atomic>

namespace hearth::system {

/// Returns when the number is no longer `old`. After changing the number, call wake_one():
/// otherwise this might not notice.
void wait(const std::atomic<int>& number, int old);
/// Wakes one thread that waits for the number.
void wake_one(std::atomic<int>& number);

}  // namespace hearth::system
