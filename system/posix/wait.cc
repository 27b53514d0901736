// A futex on Linux; on macOS the C++ library uses the kernel's wait by address.
#include "system/wait.h"

namespace hearth::system {

void wait(const std::atomic<int>& number, int old) { number.wait(old); }
void wake_one(std::atomic<int>& number) { number.notify_one(); }

}  // namespace hearth::system
