// Quantized rows for tests. They have random bytes in every field except the float scales, which
// get plausible values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "cpu/half.h"
#include "quant_blocks.h"

namespace test {

using hearth::kernels::BlockType;

inline void put_half(std::byte* place, uint16_t half) { std::memcpy(place, &half, sizeof half); }

/// An f16 scale between 2^-9 and 2^-5 with a random sign; one in sixteen is subnormal.
inline uint16_t random_scale(std::mt19937& random) {
  const uint32_t bits = static_cast<uint32_t>(random());
  if (bits % 16 == 0) return static_cast<uint16_t>(bits >> 8 & 0x83ff);
  return static_cast<uint16_t>((bits >> 8 & 0x83ff) | (6 + bits % 4) << 10);
}

/// A random exponent, for a scale from 2^-8 to 2^-5; one in sixteen gives a subnormal f16.
inline std::byte random_power(std::mt19937& random) {
  const uint32_t bits = static_cast<uint32_t>(random());
  return static_cast<std::byte>((bits % 16 == 0 ? 104 : 120) + (bits >> 8) % 4);
}

inline std::vector<std::byte> random_rows(BlockType type, int n_rows, int n_cols, uint32_t seed) {
  std::mt19937 random(seed);
  const size_t n_bytes = static_cast<size_t>(n_rows) * hearth::kernels::row_bytes(type, n_cols);
  std::vector<std::byte> bytes(n_bytes);
  const hearth::kernels::BlockTraits traits = hearth::kernels::block_traits(type);
  const auto block_bytes = static_cast<size_t>(traits.bytes);
  if (traits.is_float()) {
    std::normal_distribution<float> normal(0, 0.05f);
    for (size_t i = 0; i < n_bytes; i += block_bytes) {
      const float value = normal(random);
      const uint32_t bits = hearth::kernels::cpu::bits_from_float(value);
      if (type == BlockType::kF32) std::memcpy(&bytes[i], &value, sizeof value);
      if (type == BlockType::kF16) put_half(&bytes[i], hearth::kernels::cpu::f32_to_f16(value));
      if (type == BlockType::kBF16) put_half(&bytes[i], static_cast<uint16_t>(bits >> 16));
    }
    return bytes;
  }
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  for (size_t block = 0; block < n_bytes; block += block_bytes) {
    std::byte* d = &bytes[block + static_cast<size_t>(traits.d)];
    if (traits.scales == hearth::kernels::ScaleKind::kPower)
      *d = random_power(random);
    else
      put_half(d, random_scale(random));
    if (traits.dmin < 0) continue;
    put_half(&bytes[block + static_cast<size_t>(traits.dmin)], random_scale(random));
  }
  return bytes;
}

}  // namespace test
