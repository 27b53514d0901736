#include "system/wait.h"

#include "windows.h"

namespace hearth::system {

static_assert(sizeof(std::atomic<int>) == sizeof(int));

void wait(const std::atomic<int>& number, int old) {
  while (number.load() == old)
    WaitOnAddress(const_cast<std::atomic<int>*>(&number), &old, sizeof old, INFINITE);
}

void wake_one(std::atomic<int>& number) { WakeByAddressSingle(&number); }

}  // namespace hearth::system
