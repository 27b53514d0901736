// Run-time dispatch: finds the variants that this processor can run, and makes the CPU backend with
// one of them.
#include <span>
#include <stdexcept>

#include "cpu_ops.h"
#include "ops.h"
#include "row_kernels.h"
#include "system/processor.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace hearth::kernels {
namespace {

// Each runs_NAME returns whether this processor can run the variant NAME.

bool runs_scalar() { return true; }

#ifdef __x86_64__
// These functions call CPUID themselves, because __builtin_cpu_supports lacks some of the names in
// some compilers.

struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// Returns the registers that CPUID sets for a leaf, or zeros if the processor lacks that leaf.
Registers cpuid(unsigned leaf, unsigned subleaf) {
  Registers r;
  if (__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0) return {};
  return r;
}

bool has_bits(unsigned word, unsigned wanted) { return (word & wanted) == wanted; }
constexpr unsigned bit(int i) { return 1u << i; }

/// Whether the operating system saves these kinds of registers when it switches threads. `wanted`
/// has their bits of XCR0, which XGETBV reads.
bool saves(unsigned wanted) {
  if (!has_bits(cpuid(1, 0).ecx, bit(27))) return false;  // OSXSAVE: XGETBV can be used
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return has_bits(low, wanted);
}
constexpr unsigned kVectors = bit(1) | bit(2);  // SSE, AVX
// AVX-512: masks, the upper halves of registers 0 to 15, registers 16 to 31.
constexpr unsigned kWideVectors = kVectors | bit(5) | bit(6) | bit(7);
constexpr unsigned kTileRegisters = bit(17) | bit(18);  // AMX: configuration, data

bool runs_avx2() {
  constexpr unsigned kFma = bit(12), kAvx = bit(28), kF16c = bit(29), kAvx2 = bit(5);
  return has_bits(cpuid(1, 0).ecx, kFma | kAvx | kF16c) && has_bits(cpuid(7, 0).ebx, kAvx2) &&
         saves(kVectors);
}

bool runs_avxvnni() {
  constexpr unsigned kAvxVnni = bit(4);
  return runs_avx2() && has_bits(cpuid(7, 1).eax, kAvxVnni);
}

bool runs_avx512vnni() {
  constexpr unsigned kF = bit(16), kDq = bit(17), kBw = bit(30), kVl = bit(31), kVnni = bit(11);
  return runs_avx2() && has_bits(cpuid(7, 0).ebx, kF | kDq | kBw | kVl) &&
         has_bits(cpuid(7, 0).ecx, kVnni) && saves(kWideVectors);
}

/// The processor must have tile registers, the system must save them, and this process must be
/// allowed to use them.
bool runs_amx() {
  constexpr unsigned kTile = bit(24), kInt8 = bit(25);
  return runs_avx512vnni() && has_bits(cpuid(7, 0).edx, kTile | kInt8) && saves(kTileRegisters) &&
         system::may_use_tiles();
}

bool is_from_amd() {
  constexpr unsigned kAuth = 0x68747541;  // the first letters of AuthenticAMD
  return cpuid(0, 0).ebx == kAuth;
}
#else
bool is_from_amd() { return false; }
#endif

#ifdef __aarch64__
bool runs_neon() { return system::has_dot_products(); }
bool runs_i8mm() { return runs_neon() && system::has_matrix_products(); }
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

// We assume that all AMD processors do, and no others.
const bool cpu::l1_tracks_all_fills = is_from_amd();

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
