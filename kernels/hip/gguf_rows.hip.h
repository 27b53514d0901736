// Single weights of a row as the GGUF file stores it: the integer code of a column, and the scales
// of its group. Only the packing kernels read them, so they are written for brevity, not speed.
#pragma once

#include "formats.h"
#include "gpu.hip.h"

namespace hearth::kernels::hip {

GPU_DEVICE uint32_t u16_at(const uint8_t* p) { return p[0] | p[1] << 8; }  // blocks are unaligned

/// How a block of the file is read; a format without a specialization below does not compile.
///   code(block, i)         unsigned code of column i (int8 for Q8_0), before zero point and table
///   scales(block, group)   super-blocks only: the integer scales of 32 columns, as the packed
///                          layout holds them (formats.h)
template <BlockType kType>
struct FileBlock;

// --- blocks of 32 columns: columns 16..31 are in the high nibbles ---

GPU_DEVICE uint32_t nibble_at(const uint8_t* codes, int i) {
  return codes[i % 16] >> i % 32 / 16 * 4 & 15;
}

/// Codes of 4 bits behind kHead bytes of scales.
template <int kHead>
struct FourBitBlock {
  GPU_DEVICE uint32_t code(const uint8_t* block, int i) { return nibble_at(block + kHead, i); }
};
/// Codes of 5 bits: the highest bits of all 32 come first.
template <int kHead>
struct FiveBitBlock {
  GPU_DEVICE uint32_t code(const uint8_t* block, int i) {
    return nibble_at(block + kHead + 4, i) | (block[kHead + i / 8] >> i % 8 & 1) << 4;
  }
};
template <>
struct FileBlock<BlockType::kQ4_0> : FourBitBlock<2> {};
template <>
struct FileBlock<BlockType::kIQ4_NL> : FourBitBlock<2> {};
template <>
struct FileBlock<BlockType::kMXFP4> : FourBitBlock<1> {};
template <>
struct FileBlock<BlockType::kQ4_1> : FourBitBlock<4> {};
template <>
struct FileBlock<BlockType::kQ5_0> : FiveBitBlock<2> {};
template <>
struct FileBlock<BlockType::kQ5_1> : FiveBitBlock<4> {};
template <>
struct FileBlock<BlockType::kQ8_0> {
  GPU_DEVICE uint32_t code(const uint8_t* block, int i) { return block[2 + i]; }
};

// --- super-blocks of 256 columns: group g = i / 32, column l = i % 32 in it ---

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

template <>
struct FileBlock<BlockType::kQ2_K> {
  GPU_DEVICE uint32_t code(const uint8_t* block, int i) {
    return block[16 + 32 * (i / 128) + i % 32] >> 2 * (i / 32 % 4) & 3;
  }
  GPU_DEVICE uint32_t scales(const uint8_t* block, int group) { return u16_at(block + 2 * group); }
};
template <>
struct FileBlock<BlockType::kQ3_K> {
  GPU_DEVICE uint32_t code(const uint8_t* block, int i) {
    return (block[32 + 32 * (i / 128) + i % 32] >> 2 * (i / 32 % 4) & 3) |
           (block[i % 32] >> i / 32 & 1) << 2;
  }
  GPU_DEVICE uint32_t scales(const uint8_t* block, int group) {
    return q3_scale(block + 96, 2 * group) | q3_scale(block + 96, 2 * group + 1) << 8;
  }
};
template <>
struct FileBlock<BlockType::kQ4_K> {
  GPU_DEVICE uint32_t code(const uint8_t* block, int i) {
    return block[16 + 32 * (i / 64) + i % 32] >> 4 * (i / 32 % 2) & 15;
  }
  GPU_DEVICE uint32_t scales(const uint8_t* block, int group) {
    return scale_min_6bit(block + 4, group);
  }
};
template <>
struct FileBlock<BlockType::kQ5_K> : FileBlock<BlockType::kQ4_K> {  // with the same scales
  GPU_DEVICE uint32_t code(const uint8_t* block, int i) {
    return (block[48 + 32 * (i / 64) + i % 32] >> 4 * (i / 32 % 2) & 15) |
           (block[16 + i % 32] >> i / 32 & 1) << 4;
  }
};
template <>
struct FileBlock<BlockType::kQ6_K> {
  GPU_DEVICE uint32_t code(const uint8_t* block, int i) {
    return (block[64 * (i / 128) + i % 32 + 32 * (i / 32 % 2)] >> 4 * (i / 64 % 2) & 15) |
           (block[128 + 32 * (i / 128) + i % 32] >> 2 * (i / 32 % 4) & 3) << 4;
  }
  GPU_DEVICE uint32_t scales(const uint8_t* block, int group) {
    return u16_at(block + 192 + 2 * group);
  }
};
template <>
struct FileBlock<BlockType::kIQ4_XS> {
  GPU_DEVICE uint32_t code(const uint8_t* block, int i) {
    return nibble_at(block + 8 + 16 * (i / 32), i);
  }
  GPU_DEVICE uint32_t scales(const uint8_t* block, int group) {
    const uint32_t low = block[4 + group / 2] >> 4 * (group % 2) & 15;
    return ((low | (u16_at(block + 2) >> 2 * group & 3) << 4) - 32) & 255;
  }
};

// --- rows ---

/// The block of column col.
template <BlockType kType>
GPU_DEVICE const uint8_t* block_of(const uint8_t* row, int col) {
  constexpr BlockTraits kBlock = block_traits(kType);
  return row + static_cast<uint64_t>(col / kBlock.weights) * kBlock.bytes;
}

template <BlockType kType>
GPU_DEVICE uint32_t row_code(const uint8_t* row, int col) {
  return FileBlock<kType>::code(block_of<kType>(row, col), col % block_traits(kType).weights);
}

/// The f16 scale of the block of column col and, in the upper half, its minimum.
template <BlockType kType>
GPU_DEVICE uint32_t row_halves(const uint8_t* row, int col) {
  constexpr BlockTraits kBlock = block_traits(kType);
  const uint8_t* block = block_of<kType>(row, col);
  if constexpr (kBlock.has_min())
    return u16_at(block + kBlock.d) | u16_at(block + kBlock.dmin) << 16;
  if constexpr (kBlock.scales == ScaleKind::kPower) return half_power(block[kBlock.d]);
  return u16_at(block + kBlock.d);
}

/// Scale entry of the 32-column group that begins at col, as the packed layout holds it.
template <BlockType kType>
GPU_DEVICE uint32_t row_scale_entry(const uint8_t* row, int col) {
  if constexpr (Layout<kType>::kSuper) {
    const int group = col % block_traits(kType).weights / 32;
    return FileBlock<kType>::scales(block_of<kType>(row, col), group);
  } else {
    return row_halves<kType>(row, col);
  }
}

}  // namespace hearth::kernels::hip
