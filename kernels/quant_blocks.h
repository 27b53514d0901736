// The block formats of GGUF tensors, as one table. A row describes a format completely: the layout
// in the file, the packed layouts on the CPU (cpu/packed_layout.h) and on the GPU (hip/formats.h),
// the dispatch by type, the names of GPU kernels and the lists in the tests follow from it.
//
// To add a format: a row here, a specialization of read_codes in file_blocks.h, which unpacks a
// block of the file, and an independent definition in test/kernels/dequantize_test.cc. If one of
// these is missing, the code does not compile.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hearth::kernels {

/// The formula of a weight from its quantized value w. In super-blocks (256 columns), s and m are
/// small integers. Other parameters are f16 unless the line says otherwise.
enum class ScaleKind {
  kNone,        // w: a float format
  kHalf,        // d * w                 d for each 32 columns
  kHalfMin,     // d * w + m             d and m for each 32 columns
  kPower,       // 2^(d - 128) * w       d for each 32 columns, an unsigned byte
  kSuper32,     // d * s * w             d for each 256 columns, int8 s for each 32
  kSuper32Min,  // d * s * w - dmin * m  d and dmin for each 256 columns, uint8 s and m for each 32
  kSuper16,     // d * s * w             as kSuper32, with s for each 16 columns
  kSuper16Min,  // d * s * w - dmin * m  as kSuper32Min, with 4-bit s and m for each 16 columns
};

/// Code books, for formats whose 4-bit codes are indices into 16 values instead of integers with a
/// zero point.
enum class CodeBook {
  kNone,
  kIq4,  // spaced like the quantiles of trained weights
  kFp4,  // twice the value of a float with a sign, two bits of exponent and one of mantissa
};

/// The weights w of the 16 codes.
struct CodeBookValues {
  int8_t w[16];
};

constexpr CodeBookValues values_of(CodeBook book) {
  switch (book) {
    case CodeBook::kNone:
      break;
    case CodeBook::kIq4:
      return {{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}};
    case CodeBook::kFp4:
      return {{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}};
  }
  return {};
}

}  // namespace hearth::kernels

/// X(name, kernel, id, bytes, d, dmin, scales, low, high, zero, book): one row for each quantized
/// format.
///   kernel     the format's name in the names of GPU kernels
///   id         the type's number in a GGUF file
///   bytes      size of a block in the file; with a kSuper... in scales it has 256 columns, else 32
///   d, dmin    byte offsets of these fields in the block (for kHalfMin, dmin is m); -1: none
///   low, high  bits of a code in the two planes of the packed layouts; low is 2, 4 or 8
///   zero       zero point: w = code - zero
///   book       the code book that gives w
// clang-format off
#define HEARTH_QUANTIZED_FORMATS(X)                                          \
  /* name    kernel  id  bytes   d  dmin  scales       low high zero book */ \
  X(Q4_0,   q4_0,    2,   18,   0,  -1,  kHalf,       4,  0,   8, kNone)     \
  X(Q4_1,   q4_1,    3,   20,   0,   2,  kHalfMin,    4,  0,   0, kNone)     \
  X(Q5_0,   q5_0,    6,   22,   0,  -1,  kHalf,       4,  1,  16, kNone)     \
  X(Q5_1,   q5_1,    7,   24,   0,   2,  kHalfMin,    4,  1,   0, kNone)     \
  X(Q8_0,   q8_0,    8,   34,   0,  -1,  kHalf,       8,  0,   0, kNone)     \
  X(Q2_K,   q2_k,   10,   84,  80,  82,  kSuper16Min, 2,  0,   0, kNone)     \
  X(Q3_K,   q3_k,   11,  110, 108,  -1,  kSuper16,    2,  1,   4, kNone)     \
  X(Q4_K,   q4_k,   12,  144,   0,   2,  kSuper32Min, 4,  0,   0, kNone)     \
  X(Q5_K,   q5_k,   13,  176,   0,   2,  kSuper32Min, 4,  1,   0, kNone)     \
  X(Q6_K,   q6_k,   14,  210, 208,  -1,  kSuper16,    4,  2,  32, kNone)     \
  X(IQ4_NL, iq4_nl, 20,   18,   0,  -1,  kHalf,       4,  0,   0, kIq4)      \
  X(IQ4_XS, iq4_xs, 23,  136,   0,  -1,  kSuper32,    4,  0,   0, kIq4)      \
  X(MXFP4,  mxfp4,  39,   17,   0,  -1,  kPower,      4,  0,   0, kFp4)

/// X(name, kernel, id, bytes) for each float format.
#define HEARTH_FLOAT_FORMATS(X) \
  X(F32,  f32,   0, 4)          \
  X(F16,  f16,   1, 2)          \
  X(BF16, bf16, 30, 2)
// clang-format on

namespace hearth::kernels {

/// Tensor element types, with the ids that GGUF stores.
enum class BlockType : uint32_t {
#define HEARTH_TYPE_ID(name, kernel, id, ...) k##name = id,
  HEARTH_FLOAT_FORMATS(HEARTH_TYPE_ID) HEARTH_QUANTIZED_FORMATS(HEARTH_TYPE_ID)
#undef HEARTH_TYPE_ID
};

/// Every type that Hearth runs.
inline constexpr BlockType kBlockTypes[] = {
#define HEARTH_TYPE(name, ...) BlockType::k##name,
    HEARTH_FLOAT_FORMATS(HEARTH_TYPE) HEARTH_QUANTIZED_FORMATS(HEARTH_TYPE)
#undef HEARTH_TYPE
};

/// A row of the table above.
struct BlockTraits {
  const char* name = nullptr;  // null for a type that Hearth does not run
  const char* kernel = nullptr;
  int weights = 0;  // columns of a block
  int bytes = 0;
  int d = -1, dmin = -1;
  ScaleKind scales = ScaleKind::kNone;
  int low_bits = 0, high_bits = 0;
  int zero_point = 0;
  CodeBook book = CodeBook::kNone;

  constexpr bool is_float() const { return scales == ScaleKind::kNone; }
  constexpr bool has_super_block() const { return weights == 256; }
  constexpr bool has_min() const { return dmin >= 0; }
  constexpr bool has_book() const { return book != CodeBook::kNone; }
  /// Columns that share a scale.
  constexpr int scale_columns() const {
    return scales == ScaleKind::kSuper16 || scales == ScaleKind::kSuper16Min ? 16 : 32;
  }
};

/// The f16 of 2^(exponent - 128): 0 below 2^-24, infinite from 2^16 on.
constexpr uint16_t half_power(uint8_t exponent) {
  const int field = exponent - 128 + 15;  // f16 adds 15 to an exponent
  if (field >= 31) return 0x7c00;
  if (field > 0) return static_cast<uint16_t>(field << 10);
  return static_cast<uint16_t>(field > -10 ? 1 << (field + 9) : 0);
}

constexpr int block_columns(ScaleKind scales) {
  switch (scales) {
    case ScaleKind::kNone:
      return 1;
    case ScaleKind::kHalf:
    case ScaleKind::kHalfMin:
    case ScaleKind::kPower:
      return 32;
    case ScaleKind::kSuper32:
    case ScaleKind::kSuper32Min:
    case ScaleKind::kSuper16:
    case ScaleKind::kSuper16Min:
      return 256;
  }
  return 0;
}

constexpr BlockTraits block_traits(BlockType type) {
  switch (type) {
#define HEARTH_QUANTIZED_TRAITS(name, kernel, id, bytes, d, dmin, scales, low, high, zero, book) \
  case BlockType::k##name:                                                                       \
    return {#name,                                                                               \
            #kernel,                                                                             \
            block_columns(ScaleKind::scales),                                                    \
            bytes,                                                                               \
            d,                                                                                   \
            dmin,                                                                                \
            ScaleKind::scales,                                                                   \
            low,                                                                                 \
            high,                                                                                \
            zero,                                                                                \
            CodeBook::book};
    HEARTH_QUANTIZED_FORMATS(HEARTH_QUANTIZED_TRAITS)
#undef HEARTH_QUANTIZED_TRAITS
#define HEARTH_FLOAT_TRAITS(name, kernel, id, bytes) \
  case BlockType::k##name:                           \
    return {#name, #kernel, 1, bytes};
    HEARTH_FLOAT_FORMATS(HEARTH_FLOAT_TRAITS)
#undef HEARTH_FLOAT_TRAITS
  }
  return {};  // a file may have any number here
}

/// Calls f.operator()<kType>() for a quantized type.
template <class F>
void with_quantized_type(BlockType type, F&& f) {
  switch (type) {
#define HEARTH_CASE(name, ...) \
  case BlockType::k##name:     \
    return f.template operator()<BlockType::k##name>();
    HEARTH_QUANTIZED_FORMATS(HEARTH_CASE)
#undef HEARTH_CASE
    default:
      return;
  }
}

constexpr bool is_float(BlockType type) { return block_traits(type).is_float(); }

/// Bytes of one row of n_cols weights as stored in the file; n_cols is a multiple of the block.
constexpr size_t row_bytes(BlockType type, int n_cols) {
  const BlockTraits traits = block_traits(type);
  return static_cast<size_t>(n_cols / traits.weights) * static_cast<size_t>(traits.bytes);
}

/// Whether the packed layouts can hold the format of this row.
constexpr bool is_sound(const BlockTraits& row) {
  const bool has_min = row.scales == ScaleKind::kHalfMin || row.scales == ScaleKind::kSuper32Min ||
                       row.scales == ScaleKind::kSuper16Min;
  const bool has_planes = row.low_bits == 2 || row.low_bits == 4 || row.low_bits == 8;
  const int scale_bits = row.scales == ScaleKind::kPower ? 8 : 16;
  return has_planes && row.high_bits >= 0 && row.low_bits + row.high_bits <= 8 &&
         row.has_min() == has_min && row.d >= 0 && (row.zero_point == 0 || !row.has_book()) &&
         8 * row.bytes >= row.weights * (row.low_bits + row.high_bits) + scale_bits * (1 + has_min);
}
#define HEARTH_CHECK_ROW(name, ...) static_assert(is_sound(block_traits(BlockType::k##name)));
HEARTH_QUANTIZED_FORMATS(HEARTH_CHECK_ROW)
#undef HEARTH_CHECK_ROW

}  // namespace hearth::kernels
