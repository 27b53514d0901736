#include "system/processor.h"

#include <sched.h>

#include <cstdio>
#include <string>
#include <thread>

#ifdef __x86_64__
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace hearth::system {
namespace {

/// A number from a file below the processor's folder; otherwise the given one.
int read_number(int cpu, const char* file, int otherwise) {
  const std::string path = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + file;
  int number = otherwise;
  if (std::FILE* stream = std::fopen(path.c_str(), "r")) {
    if (std::fscanf(stream, "%d", &number) != 1) number = otherwise;
    std::fclose(stream);
  }
  return number;
}

/// The first hardware thread of a core: its siblings add next to nothing.
bool is_first_sibling(int cpu) {
  return read_number(cpu, "topology/thread_siblings_list", cpu) == cpu;
}

}  // namespace

// All count as fast: which of them are efficiency cores, the kernel tells only in part, and it runs
// busy threads on the others first.
Cores usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return {static_cast<int>(std::thread::hardware_concurrency()), 0};
  Cores cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &allowed) && is_first_sibling(cpu)) cores.n_fast++;
  // Only second siblings allowed: then they are the cores.
  if (cores.n_fast == 0) cores.n_fast = CPU_COUNT(&allowed);
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
