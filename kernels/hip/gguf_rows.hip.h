// Single weights of a row as the file stores it: the integer code of a column, and its scales. Only
// packing reads these; speed comes from the packed layout.
#pragma once

#include "formats.h"
#include "gpu.hip.h"

namespace hearth::kernels::hip {

GPU_DEVICE uint32_t u16_at(const uint8_t* p) { return p[0] | p[1] << 8; }  // blocks are unaligned

/// Unsigned code of column col (int8 for Q8_0), before offset and code book.
template <BlockType kType>
GPU_DEVICE uint32_t row_code(const uint8_t* row, int col) {
  constexpr BlockTraits kBlock = block_traits(kType);
  const uint8_t* block = row + static_cast<uint64_t>(col / kBlock.weights) * kBlock.bytes;
  const int i = col % kBlock.weights;
  const int l = i % 32, chunk = i / 32;  // of a 256-block
  const int nibble = i % 32 / 16 * 4;    // of a 32-block: columns 16..31 in the high nibbles
  if constexpr (kType == BlockType::kQ4_0 || kType == BlockType::kIQ4_NL)
    return block[2 + i % 16] >> nibble & 15;
  if constexpr (kType == BlockType::kQ4_1) return block[4 + i % 16] >> nibble & 15;
  if constexpr (kType == BlockType::kQ5_0)
    return (block[6 + i % 16] >> nibble & 15) | (block[2 + i / 8] >> i % 8 & 1) << 4;
  if constexpr (kType == BlockType::kQ5_1)
    return (block[8 + i % 16] >> nibble & 15) | (block[4 + i / 8] >> i % 8 & 1) << 4;
  if constexpr (kType == BlockType::kQ8_0) return block[2 + i];
  if constexpr (kType == BlockType::kQ2_K)
    return block[16 + 32 * (i / 128) + l] >> 2 * (chunk % 4) & 3;
  if constexpr (kType == BlockType::kQ3_K)
    return (block[32 + 32 * (i / 128) + l] >> 2 * (chunk % 4) & 3) | (block[l] >> chunk & 1) << 2;
  if constexpr (kType == BlockType::kQ4_K)
    return block[16 + 32 * (chunk / 2) + l] >> 4 * (chunk % 2) & 15;
  if constexpr (kType == BlockType::kQ5_K)
    return (block[48 + 32 * (chunk / 2) + l] >> 4 * (chunk % 2) & 15) | (block[16 + l] >> chunk & 1)
                                                                            << 4;
  if constexpr (kType == BlockType::kQ6_K)
    return (block[64 * (i / 128) + l + 32 * (chunk % 2)] >> 4 * (chunk / 2 % 2) & 15) |
           (block[128 + 32 * (i / 128) + l] >> 2 * (chunk % 4) & 3) << 4;
  if constexpr (kType == BlockType::kIQ4_XS) return block[8 + 16 * chunk + i % 16] >> nibble & 15;
  return 0;
}

/// Six-bit scale (low byte) and minimum (high byte) of group 0..7 of a Q4_K or Q5_K block.
GPU_DEVICE uint32_t scale_min_6bit(const uint8_t* packed, int group) {
  if (group < 4) return (packed[group] & 63) | (packed[group + 4] & 63) << 8;
  return (packed[group + 4] & 15) | (packed[group - 4] >> 6) << 4 |
         ((packed[group + 4] >> 4) | (packed[group] >> 6) << 4) << 8;
}

GPU_DEVICE uint32_t q3_scale(const uint8_t* packed, int i) {
  const uint32_t low = i < 8 ? packed[i] & 15 : packed[i - 8] >> 4;
  return ((low | (packed[8 + i % 4] >> 2 * (i / 4) & 3) << 4) - 32) & 255;
}

/// Scale entry of the 32-column group that begins at col, as the packed layout holds it.
template <BlockType kType>
GPU_DEVICE uint32_t row_scale_entry(const uint8_t* row, int col) {
  constexpr BlockTraits kBlock = block_traits(kType);
  const uint8_t* block = row + static_cast<uint64_t>(col / kBlock.weights) * kBlock.bytes;
  const int group = col % kBlock.weights / 32;
  if constexpr (Layout<kType>::kScale == ScaleKind::kHalf) return u16_at(block);
  if constexpr (Layout<kType>::kScale == ScaleKind::kHalfMin)
    return u16_at(block) | u16_at(block + 2) << 16;
  if constexpr (kType == BlockType::kQ4_K || kType == BlockType::kQ5_K)
    return scale_min_6bit(block + 4, group);
  if constexpr (kType == BlockType::kQ2_K) return u16_at(block + 2 * group);
  if constexpr (kType == BlockType::kQ3_K)
    return q3_scale(block + 96, 2 * group) | q3_scale(block + 96, 2 * group + 1) << 8;
  if constexpr (kType == BlockType::kQ6_K) return u16_at(block + 192 + 2 * group);
  if constexpr (kType == BlockType::kIQ4_XS) {
    const uint32_t low = block[4 + group / 2] >> 4 * (group % 2) & 15;
    return ((low | (u16_at(block + 2) >> 2 * group & 3) << 4) - 32) & 255;
  }
  return 0;
}

/// f16 scale (and minimum) of the 256-block that begins at col.
template <BlockType kType>
GPU_DEVICE uint32_t row_tail_entry(const uint8_t* row, int col) {
  constexpr BlockTraits kBlock = block_traits(kType);
  const uint8_t* block = row + static_cast<uint64_t>(col / kBlock.weights) * kBlock.bytes;
  if constexpr (kType == BlockType::kQ4_K || kType == BlockType::kQ5_K)
    return u16_at(block) | u16_at(block + 2) << 16;
  if constexpr (kType == BlockType::kQ2_K) return u16_at(block + 80) | u16_at(block + 82) << 16;
  if constexpr (kType == BlockType::kQ3_K) return u16_at(block + 108);
  if constexpr (kType == BlockType::kQ6_K) return u16_at(block + 208);
  if constexpr (kType == BlockType::kIQ4_XS) return u16_at(block);
  return 0;
}

}  // namespace hearth::kernels::hip
