// The packed layout of weights on the CPU. A row tile is 16 rows, interleaved so that one 64-byte
// vector holds 16 rows x 4 columns of unsigned codes w. A GEMV reads a tile from front to back.
//
//   tile     block | block | ...              64-byte aligned
//   block    header | group | group | ...     2 groups (the last block may have 1), or the 8
//                                             of a super-block
//   group    low plane | high plane           32 columns: 64 bytes for each bit of a code
//   header   f16 scales[n_groups][16 rows], f16 minima[n_groups][16]
//            in a super-block: f16 d[16], f16 dmin[16], int8 scales[][16][2], int8 minima[][16][2]
//
//   weight = scale * (w - offset) - minimum   (minima only if the format has them)
//
// A group has 8 steps of 4 columns. A plane has b bits of each code and takes b vectors. A vector
// holds 8 / b consecutive steps; each byte holds b bits of each step's code, the first step in the
// lowest bits. For example, with b = 4, byte i of the first vector holds byte i of step 0 in its
// low half and byte i of step 1 in its high half. F32, F16 and BF16 are not quantized: their tile
// is [n_cols][16 rows] in their own format.
#pragma once

#include "quant_blocks.h"
#include "row_kernels.h"

namespace hearth::kernels::cpu {
namespace {

inline constexpr int kSteps = 8;         // in a group; each has 4 columns
inline constexpr int kVectorBytes = 64;  // 16 rows x 4 columns

struct Layout {
  int n_groups;       // in a block
  int low_bits;       // 2, 4 or 8
  int high_bits;      // 0, 1 or 2
  int scale_columns;  // columns that share a scale: 16 or 32
  int offset;
  bool has_min;
  bool has_block_scale;
  bool has_nibble_scales = false;  // a byte holds a scale (low nibble) and its minimum (high)
  CodeBook book = CodeBook::kNone;

  constexpr int n_halves() const { return kGroup / scale_columns; }
  constexpr int n_scales() const { return n_groups * n_halves(); }
  constexpr int low_bytes() const { return low_bits * kVectorBytes; }
  constexpr int group_bytes() const { return (low_bits + high_bits) * kVectorBytes; }
  /// The offsets of scales and minima in the header.
  constexpr int scales_offset() const { return has_block_scale ? 4 * kTileRows : 0; }
  constexpr int min_offset() const { return scales_offset() + scales_bytes(); }
  constexpr int scales_bytes() const { return n_scales() * kTileRows * (has_block_scale ? 1 : 2); }
  constexpr int header_bytes() const {
    return min_offset() + (has_min && !has_nibble_scales ? scales_bytes() : 0);
  }
  constexpr int block_bytes() const { return header_bytes() + n_groups * group_bytes(); }
  /// The weight of a code as an integer, without its scale and minimum.
  constexpr int weight(int code) const {
    return has_book() ? values_of(book).w[code] : code - offset;
  }
  constexpr bool has_book() const { return book != CodeBook::kNone; }
  constexpr bool is_8_bit() const { return low_bits == 8 || has_book(); }
  constexpr int weight_bits() const { return is_8_bit() ? 8 : low_bits + high_bits; }
  /// The index of a row's scale (or minimum) i in a super-block's header. They are stored in pairs,
  /// which widen to the pairs of int16 that madd and dpwssd multiply.
  static constexpr int pair_place(int i, int row) { return (i / 2 * kTileRows + row) * 2 + i % 2; }
};

/// A code book's values + 128, which makes them unsigned.
struct BookCodes {
  uint8_t w[16];
};

constexpr BookCodes book_codes(CodeBook book) {
  BookCodes codes{};
  for (int i = 0; i < 16; i++) codes.w[i] = static_cast<uint8_t>(values_of(book).w[i] + 128);
  return codes;
}

constexpr int least(int a, int b) { return a < b ? a : b; }
constexpr int greatest(int a, int b) { return a > b ? a : b; }

/// The layout of a quantized type, from its row in quant_blocks.h.
constexpr Layout layout_of(BlockType type) {
  const BlockTraits row = block_traits(type);
  return {.n_groups = row.has_super_block() ? kBlock / kGroup : 2,
          .low_bits = row.low_bits,
          .high_bits = row.high_bits,
          .scale_columns = row.scale_columns(),
          .offset = row.low_bits == 8 || row.has_book() ? 128 : row.zero_point,
          .has_min = row.has_min(),
          .has_block_scale = row.has_super_block(),
          .has_nibble_scales = row.scales == ScaleKind::kSuper16Min,
          .book = row.book};
}

}  // namespace
}  // namespace hearth::kernels::cpu
