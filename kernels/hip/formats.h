// The packed layout of weights on the GPU, at most 6 % larger than the file.
//
//   tile    record | record | ...          16 rows
//   record  unit, or unit x 4 | tail       64 columns, or a super-block of 256
//   unit    low plane | high plane | scale entries
//   tail    f16 d (and dmin) of 16 rows    super-blocks only
//
// A unit has two groups of 32 columns. In rows g and g + 8, lane 4g + t of a warp owns columns
// 4t..4t+3 and 16+4t..16+4t+3 of each group: 32 weights, or 8 words of 4 bytes. Word
//   f = 4 * group + 2 * half + (row >= 8)
// is exactly operand register f % 4 of a 16x8x32 matrix instruction. So a lane's weights are one or
// two coalesced 16-byte loads, and a word unpacks with a shift and a mask.
//
// In a plane of b bits (8, 4, 2 or 1), plane word f % b holds the bits of word f from bit
// b * (f / b) of each byte on. Scale entries: for each g, 4 entries [row g or g + 8][group].
#pragma once

#include "params.h"
#include "quant_blocks.h"

namespace hearth::kernels::hip {

/// Bytes of a scale entry; each row has one entry per group of 32 columns. An entry is d and, in
/// some formats, m as f16. In super-block formats it is integers: one or two of 8 bits, or four of
/// 4 bits.
constexpr int entry_bytes(ScaleKind scales) {
  switch (scales) {
    case ScaleKind::kNone:
      return 0;
    case ScaleKind::kHalf:
    case ScaleKind::kPower:
    case ScaleKind::kSuper32Min:
    case ScaleKind::kSuper16:
    case ScaleKind::kSuper16Min:
      return 2;
    case ScaleKind::kHalfMin:
      return 4;
    case ScaleKind::kSuper32:
      return 1;
  }
  return 0;
}

/// Sizes and offsets in bytes, derived from the format's row in quant_blocks.h.
template <BlockType kType>
struct Layout {
  static constexpr BlockTraits kTraits = block_traits(kType);
  static constexpr ScaleKind kScale = kTraits.scales;
  static constexpr bool kSuper = kTraits.has_super_block();
  static constexpr bool kHalves = kTraits.scale_columns() == 16;
  static constexpr bool kMin = kTraits.has_min();
  static constexpr bool kMinima = kSuper && kMin;  // integer minima for each group
  /// For these formats the GEMV subtracts the zero point from the dot products of half groups, not
  /// from each weight. Zero points and minima need the sums of the token's groups.
  static constexpr bool kZeroPointAfter = kHalves && kTraits.zero_point != 0;
  static constexpr bool kHasSums = kMin || kZeroPointAfter;
  static constexpr int kEntryBytes = entry_bytes(kScale);
  static constexpr int kHighOffset = 128 * kTraits.low_bits;
  static constexpr int kScaleOffset = kHighOffset + 128 * kTraits.high_bits;
  static constexpr int kUnitBytes = kScaleOffset + 32 * kEntryBytes;
  static constexpr int kUnits = kSuper ? 4 : 1;
  static constexpr int kTailOffset = kUnits * kUnitBytes;
  static constexpr int kTailEntry = kSuper ? (kMin ? 4 : 2) : 0;
  static constexpr int kRecordBytes = kTailOffset + 16 * kTailEntry;
};

}  // namespace hearth::kernels::hip
