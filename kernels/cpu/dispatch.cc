// Which instruction-set builds there are, which of them this CPU can run, and the way to one.
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

bool runs_avx2() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c");
#else
  return false;
#endif
}

bool runs_avxvnni() {
#ifdef __x86_64__
  // Leaf 7.1 by hand: not every compiler's __builtin_cpu_supports knows the name.
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return runs_avx2() && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax >> 4 & 1) != 0;
#else
  return false;
#endif
}

bool runs_avx512vnni() {
#ifdef __x86_64__
  return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vnni");
#else
  return false;
#endif
}

/// The tile registers must be in the processor, saved by the system, and granted to this process:
/// Linux gives the 8 KiB a thread that they take to those who ask.
bool runs_amx() {
#if defined(__x86_64__) && defined(__linux__)
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

bool runs_neon() {
#if defined(__aarch64__) && defined(__linux__)
  constexpr unsigned long kNeeded = HWCAP_ASIMDDP | HWCAP_ASIMDHP | HWCAP_FPHP;
  return (getauxval(AT_HWCAP) & kNeeded) == kNeeded;
#else
  return true;  // built only where it runs: Apple's CPUs
#endif
}

struct Variant {
  const cpu::RowKernels* (*kernels)();
  bool (*runs)();
};

// Best first.
constexpr Variant kVariants[] = {
    {cpu::amx_kernels, runs_amx},         {cpu::avx512vnni_kernels, runs_avx512vnni},
    {cpu::avxvnni_kernels, runs_avxvnni}, {cpu::avx2_kernels, runs_avx2},
    {cpu::neon_kernels, runs_neon},       {cpu::scalar_kernels, [] { return true; }},
};

std::vector<const cpu::RowKernels*> usable() {
  std::vector<const cpu::RowKernels*> all;
  for (const Variant& variant : kVariants) {
    if (variant.kernels() != nullptr && variant.runs()) all.push_back(variant.kernels());
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
