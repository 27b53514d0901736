#include "cpu/fused.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "test.h"

using hearth::kernels::cpu::fused;

namespace {

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }

float random_float(std::mt19937& random) {
  const float x = std::bit_cast<float>(static_cast<uint32_t>(random()));
  return std::isnan(x) ? 1 : x;
}

}  // namespace

TEST("a fused multiply-add rounds once") {
  // With two roundings, the first result would be exactly between two floats.
  const float a = 1 + 0x1p-12f, b = 1 + 0x1p-12f, c = 0x1p-60f;
  CHECK_EQUAL(bits(fused(a, b, c)), bits(1 + 0x1p-11f + 0x1p-23f));
  CHECK_EQUAL(bits(fused(a, b, -c)), bits(1 + 0x1p-11f));
  CHECK_EQUAL(bits(fused(-a, b, c)), bits(-(1 + 0x1p-11f)));
  CHECK_EQUAL(bits(fused(-a, b, -c)), bits(-(1 + 0x1p-11f + 0x1p-23f)));
  CHECK_EQUAL(bits(fused(3, 4, -12)), bits(0.0f));
  // Denormal numbers have fewer bits: 1.5 times the smallest, and a little less.
  CHECK_EQUAL(bits(fused(0x1.8p-75f, 0x1p-74f, 0)), 2u);
  CHECK_EQUAL(bits(fused(0x1.7ffffep-75f, 0x1p-74f, 0)), 1u);
}

TEST("a fused multiply-add keeps infinity and NaN") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  CHECK_EQUAL(fused(kInfinity, 2, 1), kInfinity);
  CHECK_EQUAL(fused(-kInfinity, 2, 1), -kInfinity);
  CHECK_EQUAL(fused(1, 2, -kInfinity), -kInfinity);
  CHECK_EQUAL(fused(0x1p127f, 4, 0), kInfinity);
  CHECK_EQUAL(fused(0x1p127f, -4, 0x1p127f), -kInfinity);
  CHECK(std::isnan(fused(kInfinity, 0, 1)));
  CHECK(std::isnan(fused(kInfinity, 1, -kInfinity)));
}

// Compares a hash of the results with the hash of glibc's fmaf, which is correct. The fmaf of other
// C libraries may be wrong.
TEST("a fused multiply-add gives the right bits for random numbers") {
  std::mt19937 random(1);
  uint64_t sum = 0;
  for (int i = 0; i < 1'000'000; i++) {
    const float a = random_float(random), b = random_float(random);
    // Every other addend is near the product, where cancellation and ties happen.
    const float c =
        i % 2 ? random_float(random) : a * b * -(1 + static_cast<float>(i % 7) * 0x1p-24f);
    const float result = std::isnan(c) ? 0 : fused(a, b, c);
    if (!std::isnan(result)) sum = sum * 0x9E3779B97F4A7C15 + bits(result);
  }
  CHECK_EQUAL(sum, uint64_t{4388933634127038024});
}
