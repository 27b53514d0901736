// Computes a * b + c with one rounding, for processors and C libraries without a correct fma. For
// example, mingw-w64's fmaf rounds twice.
#pragma once

#include <bit>
#include <cstdint>

namespace hearth::kernels::cpu {

/// The product of two floats is exact in double. The sum is rounded to odd: if it is inexact, its
/// last bit is made 1. It then lies on the same side of every midpoint between two floats as the
/// exact sum, so rounding it to float gives the same result as a single rounding.
inline float fused(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, addend = c;
  const double sum = product + addend;
  // The rounding error of the sum (Knuth's two-sum); NaN if the sum is not finite.
  const double second = sum - product;
  const double lost = (product - (sum - second)) + (addend - second);
  const uint64_t bits = std::bit_cast<uint64_t>(sum);
  const bool is_inexact = lost > 0 || lost < 0;
  if (!is_inexact || (bits & 1) != 0) return static_cast<float>(sum);
  const bool grows = (lost > 0) == (sum > 0);
  return static_cast<float>(std::bit_cast<double>(grows ? bits + 1 : bits - 1));
}

}  // namespace hearth::kernels::cpu
