// IEEE half precision and bfloat16 in plain integer arithmetic, exact for subnormals, infinities
// and NaN. The scalar variant and packing use it; the other variants convert 16 at a time in
// simd_*.h. Everything has internal linkage, because each variant needs its own copy.
#pragma once

#include <cstdint>
#include <cstring>

namespace hearth::kernels::cpu {
namespace {

inline float float_from_bits(uint32_t bits) { return __builtin_bit_cast(float, bits); }
inline uint32_t bits_from_float(float value) { return __builtin_bit_cast(uint32_t, value); }

inline float bf16_to_f32(uint16_t half) { return float_from_bits(uint32_t{half} << 16); }

inline float f16_to_f32(uint16_t half) {
  const uint32_t sign = uint32_t{half} >> 15 << 31;
  const uint32_t magnitude = half & 0x7fffu;
  if (magnitude >= 0x7c00u) {  // Inf, NaN (made quiet, as hardware does)
    const uint32_t quiet = magnitude > 0x7c00u ? 0x00400000u : 0;
    return float_from_bits(sign | 0x7f800000u | magnitude << 13 | quiet);
  }
  if (magnitude < 0x0400u) {  // zero and subnormal: magnitude * 2^-24, exact
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return float_from_bits(sign | bits_from_float(value));
  }
  return float_from_bits(sign | ((magnitude << 13) + (112u << 23)));
}

/// Rounds to nearest, ties to even.
inline uint16_t f32_to_f16(float value) {
  const uint32_t bits = bits_from_float(value);
  const uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t half;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  } else if (magnitude >= 0x477ff000u) {  // rounds to 65536 or more
    half = 0x7c00u;
  } else if (magnitude < 0x38800000u) {  // subnormal: adding 0.5 rounds to a multiple of 2^-24
    half = bits_from_float(float_from_bits(magnitude) + 0.5f) - 0x3f000000u;
  } else {
    half = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
  }
  return static_cast<uint16_t>(sign | half);
}

/// A little-endian 16-bit value at any address.
inline uint16_t load_u16(const void* address) {
  uint16_t value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

}  // namespace
}  // namespace hearth::kernels::cpu
