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

/// Bytes of the scale entry of a row and a group of 32 columns: f16 d, and m; or the integers of a
/// super-block, one or two of 8 bits or four of 4 bits.
constexpr int entry_bytes(ScaleKind scales) {
  switch (scales) {
    case ScaleKind::kNone:
      return 0;
    case ScaleKind::kHalf:
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

/// Sizes and offsets in bytes, which follow from the format's row in quant_blocks.h.
template <BlockType kType>
struct Layout {
  static constexpr BlockTraits kTraits = block_traits(kType);
  static constexpr ScaleKind kScale = kTraits.scales;
  static constexpr bool kSuper = kTraits.has_super_block();
  static constexpr bool kHalves = kTraits.scale_columns() == 16;
  static constexpr bool kMin = kTraits.has_min();
  static constexpr bool kMinima = kSuper && kMin;  // of each of a block's groups
  /// For one token an offset is taken off a block's dots, not off each weight; that, and minima,
  /// take the sums of the token's groups.
  static constexpr bool kOffsetAfter = kHalves && kTraits.zero_point != 0;
  static constexpr bool kHasSums = kMin || kOffsetAfter;
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
