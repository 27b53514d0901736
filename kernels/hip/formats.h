// How weights lie in the file, and how they lie on the GPU.
//
// Packed layout: tiles of 16 rows; a tile is a row of records, a record one unit (64 columns), or
// four for formats whose blocks span 256 columns. In a unit, lane 4g + t owns rows g and g + 8 and
// of each 32-column group the columns 4t..4t+3 and 16+4t..16+4t+3: 32 weights, 8 words of 4. Word f
// = 4 * group
// + 2 * half + (row >= 8) is exactly operand register f % 4 of a 16x8x32 matrix instruction, so a
// lane's weights are one or two coalesced 16-byte loads and unpack with a shift and a mask a word.
// Codes are split into bit planes of 8, 4, 2 or 1 bits; plane word f % bits holds word f at bit
// bits * (f / bits) of each byte. Scales follow the planes, 4 entries (row half, group) a g.
// Sizes stay those of the file within 4 %.
#pragma once

#include "params.h"
#include "quant_blocks.h"

namespace hearth::kernels::hip {

enum class ScaleKind {
  kHalf,        // f16 scale a group
  kHalfMin,     // f16 scale and offset a group
  kSuper32,     // int8 scale a group, f16 scale a 256-block
  kSuper32Min,  // uint8 scale and minimum a group, two f16 a block
  kSuper16,     // int8 scale a half group, f16 a block
  kSuper16Min,  // 4-bit scale and minimum a half group, two f16 a block
};

/// Bits of low and high plane, offset taken from the code, non-linear code book, scales.
struct FormatTraits {
  int low, high, offset;
  bool code_book;
  ScaleKind scale;
};

constexpr FormatTraits format_traits(BlockType type) {
  switch (type) {
    case BlockType::kQ4_0:
      return {4, 0, 8, false, ScaleKind::kHalf};
    case BlockType::kQ4_1:
      return {4, 0, 0, false, ScaleKind::kHalfMin};
    case BlockType::kQ5_0:
      return {4, 1, 16, false, ScaleKind::kHalf};
    case BlockType::kQ5_1:
      return {4, 1, 0, false, ScaleKind::kHalfMin};
    case BlockType::kQ8_0:
      return {8, 0, 0, false, ScaleKind::kHalf};
    case BlockType::kQ2_K:
      return {2, 0, 0, false, ScaleKind::kSuper16Min};
    case BlockType::kQ3_K:
      return {2, 1, 4, false, ScaleKind::kSuper16};
    case BlockType::kQ4_K:
      return {4, 0, 0, false, ScaleKind::kSuper32Min};
    case BlockType::kQ5_K:
      return {4, 1, 0, false, ScaleKind::kSuper32Min};
    case BlockType::kQ6_K:
      return {4, 2, 32, false, ScaleKind::kSuper16};
    case BlockType::kIQ4_NL:
      return {4, 0, 0, true, ScaleKind::kHalf};
    case BlockType::kIQ4_XS:
      return {4, 0, 0, true, ScaleKind::kSuper32};
    default:
      return {0, 0, 0, false, ScaleKind::kHalf};
  }
}

/// Sizes and offsets that follow from the traits, in bytes.
template <BlockType kType>
struct Layout {
  static constexpr FormatTraits kTraits = format_traits(kType);
  static constexpr ScaleKind kScale = kTraits.scale;
  static constexpr bool kSuper = block_traits(kType).weights == 256;
  static constexpr bool kHalves = kScale == ScaleKind::kSuper16 || kScale == ScaleKind::kSuper16Min;
  static constexpr bool kMin = kScale == ScaleKind::kHalfMin || kScale == ScaleKind::kSuper32Min ||
                               kScale == ScaleKind::kSuper16Min;
  static constexpr bool kMinima = kSuper && kMin;  // of each of a block's groups
  /// For one token an offset is taken off a block's dots, not off each weight; that, and minima,
  /// take the sums of the token's groups.
  static constexpr bool kOffsetAfter = kHalves && kTraits.offset != 0;
  static constexpr bool kHasSums = kMin || kOffsetAfter;
  static constexpr int kEntryBytes = kScale == ScaleKind::kHalfMin   ? 4
                                     : kScale == ScaleKind::kSuper32 ? 1
                                                                     : 2;
  static constexpr int kHighOffset = 128 * kTraits.low;
  static constexpr int kScaleOffset = kHighOffset + 128 * kTraits.high;
  static constexpr int kUnitBytes = kScaleOffset + 32 * kEntryBytes;
  static constexpr int kUnits = kSuper ? 4 : 1;
  static constexpr int kTailOffset = kUnits * kUnitBytes;
  static constexpr int kTailEntry = kSuper ? (kMin ? 4 : 2) : 0;
  static constexpr int kRecordBytes = kTailOffset + 16 * kTailEntry;
};

}  // namespace hearth::kernels::hip

/// X(name in kernel names, BlockType) for every packed format.
#define HEARTH_PACKED_FORMATS(X) \
  X(q4_0, kQ4_0)                 \
  X(q4_1, kQ4_1)                 \
  X(q5_0, kQ5_0)                 \
  X(q5_1, kQ5_1)                 \
  X(q8_0, kQ8_0)                 \
  X(q2_k, kQ2_K)                 \
  X(q3_k, kQ3_K)                 \
  X(q4_k, kQ4_K)                 \
  X(q5_k, kQ5_K)                 \
  X(q6_k, kQ6_K)                 \
  X(iq4_nl, kIQ4_NL)             \
  X(iq4_xs, kIQ4_XS)
