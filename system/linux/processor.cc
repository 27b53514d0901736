#include "system/processor.h"

#include <sched.h>

#include <fstream>
#include <string>
#include <thread>

#include "cores.h"

#ifdef __x86_64__
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace hearth::system {
namespace {

std::string siblings_of(int cpu) {
  std::string list;
  std::ifstream("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                "/topology/thread_siblings_list") >>
      list;
  return list;
}

}  // namespace

// All cores count as fast: the kernel does not always tell which are efficiency cores, and it runs
// busy threads on the fast ones first.
Cores usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return {static_cast<int>(std::thread::hardware_concurrency()), 0};
  const auto may_use = [&](int cpu) { return CPU_ISSET(cpu, &allowed); };
  Cores cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (may_use(cpu) && is_first_of_core(cpu, siblings_of(cpu).c_str(), may_use)) cores.n_fast++;
  return cores;
}

void prefer_fast_cores() {}  // the kernel does

bool may_use_tiles() {
#ifdef __x86_64__
  constexpr int kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

bool has_dot_products() {
#ifdef __aarch64__
  constexpr unsigned long kNeeded = HWCAP_ASIMDDP | HWCAP_ASIMDHP | HWCAP_FPHP;
  return (getauxval(AT_HWCAP) & kNeeded) == kNeeded;
#else
  return false;
#endif
}

bool has_matrix_products() {
#ifdef __aarch64__
  return (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0;
#else
  return false;
#endif
}

}  // namespace hearth::system
