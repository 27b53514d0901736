// Sleeping until a number changes. On Linux, std::atomic's wait() does this well; the C++ libraries
// for Windows poll, or take a lock that all numbers share.
#pragma once

#include <atomic>

namespace hearth::system {

/// Blocks until the number is no longer `old`. Whoever changes the number must call wake_one(), or
/// the waiting thread might not notice.
void wait(const std::atomic<int>& number, int old);
/// Wakes one thread that waits for the number.
void wake_one(std::atomic<int>& number);

}  // namespace hearth::system
