// Quantized rows for tests: random bytes in every field but the f16 scales, which are set to sane
// values.
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

inline constexpr BlockType kAllTypes[] = {
    BlockType::kF32,  BlockType::kF16,  BlockType::kBF16, BlockType::kQ4_0,   BlockType::kQ4_1,
    BlockType::kQ5_0, BlockType::kQ5_1, BlockType::kQ8_0, BlockType::kQ2_K,   BlockType::kQ3_K,
    BlockType::kQ4_K, BlockType::kQ5_K, BlockType::kQ6_K, BlockType::kIQ4_NL, BlockType::kIQ4_XS};

/// Byte offsets of the f16 fields d and dmin in a block; -1 where there is none.
struct HalfFields {
  int d;
  int dmin;
};

inline HalfFields half_fields(BlockType type) {
  switch (type) {
    case BlockType::kQ4_1:
    case BlockType::kQ5_1:
    case BlockType::kQ4_K:
    case BlockType::kQ5_K:
      return {0, 2};
    case BlockType::kQ2_K:
      return {80, 82};
    case BlockType::kQ3_K:
      return {108, -1};
    case BlockType::kQ6_K:
      return {208, -1};
    case BlockType::kF32:
    case BlockType::kF16:
    case BlockType::kBF16:
      return {-1, -1};
    default:
      return {0, -1};
  }
}

inline void put_half(std::byte* place, uint16_t half) { std::memcpy(place, &half, sizeof half); }

/// Scales between 2^-9 and 2^-5 of either sign; one in sixteen is subnormal.
inline uint16_t random_scale(std::mt19937& random) {
  const uint32_t bits = static_cast<uint32_t>(random());
  if (bits % 16 == 0) return static_cast<uint16_t>(bits >> 8 & 0x83ff);
  return static_cast<uint16_t>((bits >> 8 & 0x83ff) | (6 + bits % 4) << 10);
}

inline std::vector<std::byte> random_rows(BlockType type, int n_rows, int n_cols, uint32_t seed) {
  std::mt19937 random(seed);
  const size_t n_bytes = static_cast<size_t>(n_rows) * hearth::kernels::row_bytes(type, n_cols);
  std::vector<std::byte> bytes(n_bytes);
  const auto block_bytes = static_cast<size_t>(hearth::kernels::block_traits(type).bytes);
  const HalfFields fields = half_fields(type);
  if (fields.d < 0) {
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
    put_half(&bytes[block + static_cast<size_t>(fields.d)], random_scale(random));
    if (fields.dmin < 0) continue;
    put_half(&bytes[block + static_cast<size_t>(fields.dmin)], random_scale(random));
  }
  return bytes;
}

}  // namespace test
