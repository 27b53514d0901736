// Run-time dispatch: which variants this processor can run, and the CPU backend over one of them.
#include <span>
#include <stdexcept>

#include "cpu_ops.h"
#include "ops.h"
#include "row_kernels.h"

#ifdef __x86_64__
#include <cpuid.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace hearth::kernels {
namespace {

// runs_NAME: whether this processor can run the variant of that name.

bool runs_scalar() { return true; }

#ifdef __x86_64__
// F16C and AVX-VNNI by hand: not every compiler's __builtin_cpu_supports knows the names.

bool runs_avx2() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

bool runs_avxvnni() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return runs_avx2() && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax >> 4 & 1) != 0;
}

bool runs_avx512vnni() {
  return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vnni");
}

/// The processor must have tile registers, the system must save them, and this process must be
/// allowed to use them: Linux grants their 8 KiB of state a thread on request.
bool runs_amx() {
#ifdef __linux__
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!runs_avx512vnni() || __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  constexpr unsigned kTile = 1u << 24, kInt8 = 1u << 25;
  constexpr int kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM
  return (edx & kTile) != 0 && (edx & kInt8) != 0 &&
         syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}
#endif

#ifdef __aarch64__
bool runs_neon() {
#ifdef __linux__
  constexpr unsigned long kNeeded = HWCAP_ASIMDDP | HWCAP_ASIMDHP | HWCAP_FPHP;
  return (getauxval(AT_HWCAP) & kNeeded) == kNeeded;
#else
  return true;  // built only where it runs: Apple's CPUs
#endif
}
#endif

struct Variant {
  const cpu::RowKernels* (*kernels)();
  bool (*runs)();
};

constexpr Variant kVariants[] = {
#define HEARTH_VARIANT(name) {cpu::name##_kernels, runs_##name},
    HEARTH_CPU_VARIANTS(HEARTH_VARIANT)
#undef HEARTH_VARIANT
};

std::vector<const cpu::RowKernels*> usable() {
  std::vector<const cpu::RowKernels*> all;
  for (const Variant& variant : kVariants) {
    if (variant.runs()) all.push_back(variant.kernels());
  }
  return all;
}

}  // namespace

std::vector<std::string> cpu_variants() {
  std::vector<std::string> names;
  for (const cpu::RowKernels* kernels : usable()) names.emplace_back(kernels->name);
  return names;
}

std::unique_ptr<Ops> make_cpu_ops(const CpuOptions& options) {
  std::string names;
  for (const cpu::RowKernels* kernels : usable()) {
    if (options.variant.empty() || options.variant == kernels->name) {
      return std::make_unique<cpu::CpuOps>(*kernels, options.n_threads);
    }
    names += (names.empty() ? "" : ", ") + std::string(kernels->name);
  }
  throw std::invalid_argument("the CPU variant \"" + options.variant +
                              "\" cannot run here; this CPU runs " + names);
}

}  // namespace hearth::kernels
