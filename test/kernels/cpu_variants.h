// The variants of the CPU kernels that a build tests, and the row kernels of each.
#pragma once

#include <string>
#include <vector>

#include "cpu/row_kernels.h"
#include "ops.h"
#include "test.h"

namespace test {

/// The variants that this CPU can run, best first. A build with sanitizers leaves out the variants
/// that it does not sanitize: other builds test them just as well.
inline std::vector<std::string> tested_variants() {
  std::vector<std::string> names = hearth::kernels::cpu_variants();
#ifdef HEARTH_PLAIN_VARIANTS
  const std::string plain = HEARTH_PLAIN_VARIANTS;
  std::erase_if(names, [&](const std::string& name) {
    return plain.find(" " + name + " ") != std::string::npos;
  });
#endif
  return names;
}

/// Whether a few arrangements of this variant suffice: for the scalar kernels in an emulator. Their
/// source is the same for every processor, and the build for this machine's processor tests all
/// arrangements. The emulator only shows that the other compiler's code gives the same results.
inline bool is_tested_elsewhere(const std::string& variant) {
  return is_emulated() && variant == "scalar" && tested_variants().size() > 1;
}

inline std::vector<const hearth::kernels::cpu::RowKernels*> usable_row_kernels() {
  namespace cpu = hearth::kernels::cpu;
  std::vector<const cpu::RowKernels*> usable;
  for (const std::string& name : tested_variants()) {
#define HEARTH_IF_USABLE(variant) \
  if (cpu::variant##_kernels()->name == name) usable.push_back(cpu::variant##_kernels());
    HEARTH_CPU_VARIANTS(HEARTH_IF_USABLE)
#undef HEARTH_IF_USABLE
  }
  return usable;
}

/// The value of an IEEE half-precision number, by the definition of the format.
inline double half_value(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double sign = half >> 15 ? -1 : 1;
  if (exponent == 31) return fraction ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

}  // namespace test
