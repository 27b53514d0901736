// Writes blocks of Q8_0: a scale as f16, then 32 codes of eight bits. For packing adapters on CPUs
// and GPUs. Everything has internal linkage, as in half.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "half.h"

namespace hearth::kernels::cpu {
namespace {

inline constexpr int kQ8_0Values = 32, kQ8_0Bytes = 2 + kQ8_0Values;

inline void put_half(float value, std::byte* to) {
  const uint16_t half = f32_to_f16(value);
  std::memcpy(to, &half, sizeof half);
}

/// The scale with which the greatest value gets this code. It reproduces the values of a block of
/// Q8_0 whose greatest code is 127.
inline float scale_of(const float* values, int greatest_code = 127) {
  float greatest = 0;
  for (int i = 0; i < kQ8_0Values; i++) greatest = std::max(greatest, std::fabs(values[i]));
  return f16_to_f32(f32_to_f16(greatest / static_cast<float>(greatest_code)));
}

/// A scale that reproduces the values exactly; one exists for values from a file's block of Q8_0 or
/// Q4_0. Otherwise scale_of().
inline float exact_scale_of(const float* values) {
  for (int code = 127; code > 0; code--) {
    const float scale = scale_of(values, code);
    const auto is_multiple = [&](float value) {
      return std::round(value / scale) * scale == value;
    };
    if (std::all_of(values, values + kQ8_0Values, is_multiple)) return scale;
  }
  return scale_of(values);
}

inline void put_q8_0(const float* values, float scale, std::byte* block) {
  put_half(scale, block);
  for (int i = 0; i < kQ8_0Values; i++) {
    const float code = scale > 0 ? std::clamp(values[i] / scale, -127.0f, 127.0f) : 0;
    block[2 + i] = static_cast<std::byte>(static_cast<int8_t>(std::lround(code)));
  }
}

}  // namespace
}  // namespace hearth::kernels::cpu
