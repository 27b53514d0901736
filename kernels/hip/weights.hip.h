// Reads weights from the packed layout (formats.h) a unit at a time, unpacks codes and scales, and
// accumulates dot products: in float-scale formats scale * dot; in super-block formats integer
// sums, which close_block() converts to float at the end of a super-block.
#pragma once

#include "formats.h"
#include "gpu.hip.h"

namespace hearth::kernels::hip {

/// Four values of a code book in a word, beginning with value i.
constexpr uint32_t book_word(CodeBook book, int i) {
  const CodeBookValues values = values_of(book);
  uint32_t word = 0;
  for (int k = 3; k >= 0; k--) word = word << 8 | static_cast<uint8_t>(values.w[i + k]);
  return word;
}

/// Turns four codes, one in each byte, into four signed weights.
template <BlockType kType>
GPU_DEVICE int decode_word(uint32_t codes) {
  constexpr BlockTraits kTraits = block_traits(kType);
  if constexpr (kTraits.has_book()) {
    constexpr CodeBook kBook = kTraits.book;
    constexpr uint32_t kWords[] = {book_word(kBook, 0), book_word(kBook, 4), book_word(kBook, 8),
                                   book_word(kBook, 12)};
    const uint32_t table[4] = {kWords[0], kWords[1], kWords[2], kWords[3]};
    return lookup16(static_cast<int>(codes), table);
  } else if constexpr (kTraits.zero_point != 0) {
    // code - zero point = (code + 128 - zero point) ^ 128 in each byte. Codes are below 64, so that
    // no byte carries into the next.
    return static_cast<int>((codes + (128 - kTraits.zero_point) * 0x01010101u) ^ 0x80808080u);
  } else {
    return static_cast<int>(codes);
  }
}

/// The scales of one row in one group (w: code less zero point, or from the code book):
///   float-scale formats   weight = scale * w + offset
///   super-blocks          weight = scale * factors[half] * w + offset * minima[half]
struct RowScale {
  float scale, offset;
  int factors[2], minima[2];
};

/// Unpacks a scale entry and the f16 of the tail, which pack_unit() (pack.hip.h) has stored.
template <BlockType kType>
GPU_DEVICE RowScale row_scale(uint32_t entry, uint32_t tail) {
  constexpr ScaleKind kScale = Layout<kType>::kScale;
  const uint32_t floats = Layout<kType>::kSuper ? tail : entry;
  RowScale r = {};
  r.scale = half_to_float(floats & 0xffff);
  if constexpr (Layout<kType>::kMin)
    r.offset = Layout<kType>::kSuper ? -half_to_float(floats >> 16) : half_to_float(floats >> 16);
  if constexpr (kScale == ScaleKind::kSuper32) r.factors[0] = r.factors[1] = int8_t(entry & 255);
  if constexpr (kScale == ScaleKind::kSuper32Min) {
    r.factors[0] = r.factors[1] = entry & 255;
    r.minima[0] = r.minima[1] = entry >> 8 & 255;
  }
  if constexpr (kScale == ScaleKind::kSuper16) {
    r.factors[0] = int8_t(entry & 255);
    r.factors[1] = int8_t(entry >> 8 & 255);
  }
  if constexpr (kScale == ScaleKind::kSuper16Min) {
    r.factors[0] = entry & 15, r.factors[1] = entry >> 8 & 15;
    r.minima[0] = entry >> 4 & 15, r.minima[1] = entry >> 12 & 15;
  }
  return r;
}

/// `?:` for values. On references, `?:` selects an address, and AMD's compiler then keeps both
/// operands in memory.
GPU_DEVICE uint32_t choose(bool is_first, uint32_t first, uint32_t second) {
  return is_first ? first : second;
}

template <int kWords>
GPU_DEVICE void load_words(uint32_t (&to)[kWords], const uint8_t* from) {
  static_assert(kWords == 1 || kWords == 2 || kWords == 4);
  if constexpr (kWords == 4) {
    const uint4 v = *reinterpret_cast<const uint4*>(from);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
  } else if constexpr (kWords == 2) {
    const uint2 v = *reinterpret_cast<const uint2*>(from);
    to[0] = v.x, to[1] = v.y;
  } else {
    to[0] = *reinterpret_cast<const uint32_t*>(from);
  }
}

/// The address of unit i. Unit 0 is the first of `record`; i may lie in a later record.
template <BlockType kType>
GPU_DEVICE const uint8_t* unit_at(const uint8_t* record, unsigned i) {
  using L = Layout<kType>;
  return record + i / L::kUnits * L::kRecordBytes + i % L::kUnits * L::kUnitBytes;
}

/// The record of a unit of a tile.
template <BlockType kType>
GPU_DEVICE const uint8_t* record_of(const uint8_t* tile, unsigned unit) {
  return tile + unit / Layout<kType>::kUnits * Layout<kType>::kRecordBytes;
}

/// The tail of that record.
template <BlockType kType>
GPU_DEVICE const uint8_t* tail_at(const uint8_t* tile, unsigned unit) {
  return record_of<kType>(tile, unit) + Layout<kType>::kTailOffset;
}

/// A lane's 32 codes of one unit, still packed.
template <BlockType kType>
struct UnitCodes {
  using L = Layout<kType>;
  static constexpr int kLow = L::kTraits.low_bits, kHigh = L::kTraits.high_bits;
  uint32_t low[kLow == 8 ? 2 : 1][kLow == 8 ? 4 : kLow];
  uint32_t high[kHigh ? kHigh : 1];

  GPU_DEVICE UnitCodes load_at(const uint8_t* base, int lane) {
    UnitCodes u;
    if constexpr (kLow == 8) {
      load_words(u.low[0], base + 16 * lane);
      load_words(u.low[1], base + 512 + 16 * lane);
    } else {
      load_words(u.low[0], base + 4 * kLow * lane);
    }
    if constexpr (kHigh) load_words(u.high, base + L::kHighOffset + 4 * kHigh * lane);
    return u;
  }

  /// Returns codes whose first row is the chosen one of the lane's two rows; the second is
  /// meaningless.
  GPU_MEMBER UnitCodes keep_row(bool is_upper) const {
    constexpr int kPlanes = kLow == 8 ? 2 : 1, kWords = kLow == 8 ? 4 : kLow;
    UnitCodes kept = *this;
    GPU_UNROLL for (int i = 0; i < kPlanes * kWords; i += 2) {
      const uint32_t* row = &low[i / kWords][i % kWords];
      kept.low[i / kWords][i % kWords] = choose(is_upper, row[1], row[0]);
    }
    if constexpr (kHigh == 2) kept.high[0] = choose(is_upper, high[1], high[0]);
    if constexpr (kHigh == 1) kept.high[0] = high[0] >> is_upper;
    return kept;
  }

  /// Operand word i (0..3) of group 0 or 1. kWithOffset: does not subtract the zero point from the
  /// codes.
  template <bool kWithOffset = false>
  GPU_MEMBER int word(int group, int i) const {
    if constexpr (kLow == 8) return static_cast<int>(low[group][i]);
    const int f = 4 * group + i;
    constexpr uint32_t kMask = 0x01010101u * ((1 << kLow) - 1);
    uint32_t codes = low[0][f % kLow] >> kLow * (f / kLow) & kMask;
    if constexpr (kHigh) {
      constexpr uint32_t kHighMask = 0x01010101u * ((1 << kHigh) - 1);
      codes |= (high[f % kHigh] >> kHigh * (f / kHigh) & kHighMask) << kLow;
    }
    if constexpr (kWithOffset) return static_cast<int>(codes);
    return decode_word<kType>(codes);
  }
};

/// The minima of the four half groups of a unit, one in each byte, from a row's two scale entries.
template <BlockType kType>
GPU_DEVICE int minima_word(uint32_t entries) {
  if constexpr (Layout<kType>::kScale == ScaleKind::kSuper16Min)
    return static_cast<int>(entries >> 4 & 0x0f0f0f0f);
  else
    return static_cast<int>((entries >> 8 & 0x00ff00ff) * 0x0101);
}

/// The scales of a lane's two rows in one unit, still packed.
template <BlockType kType>
struct UnitScales {
  using L = Layout<kType>;
  uint32_t entries[L::kEntryBytes];
  uint32_t tails[L::kTailEntry == 4 ? 2 : 1];

  GPU_DEVICE UnitScales load_at(const uint8_t* base, const uint8_t* tail, int lane) {
    UnitScales s;
    load_words(s.entries, base + L::kScaleOffset + lane / 4 * 4 * L::kEntryBytes);
    if constexpr (L::kSuper) load_words(s.tails, tail + lane / 4 * 2 * L::kTailEntry);
    return s;
  }

  GPU_MEMBER UnitScales keep_row(bool is_upper) const {
    UnitScales kept = *this;
    constexpr int kWords = L::kEntryBytes / 2;
    GPU_UNROLL for (int i = 0; i < kWords; i++) kept.entries[i] =
        choose(is_upper, entries[kWords + i], entries[i]);
    if constexpr (L::kEntryBytes == 1) kept.entries[0] = entries[0] >> 16 * is_upper;
    if constexpr (L::kTailEntry == 4) kept.tails[0] = choose(is_upper, tails[1], tails[0]);
    if constexpr (L::kTailEntry == 2) kept.tails[0] = tails[0] >> 16 * is_upper;
    return kept;
  }

  /// A row's minima_word(); 0 in formats without minima.
  GPU_MEMBER int minima(int row_half) const {
    if constexpr (L::kMinima) return minima_word<kType>(entries[row_half]);
    return 0;
  }
  GPU_MEMBER RowScale scale(int row_half, int group) const {
    const int entry = 2 * row_half + group;
    uint32_t bits;
    if constexpr (L::kEntryBytes == 4) bits = entries[entry];
    if constexpr (L::kEntryBytes == 2) bits = entries[entry / 2] >> 16 * (entry % 2) & 0xffff;
    if constexpr (L::kEntryBytes == 1) bits = entries[0] >> 8 * entry & 0xff;
    uint32_t tail = 0;
    if constexpr (L::kTailEntry == 4) tail = tails[row_half];
    if constexpr (L::kTailEntry == 2) tail = tails[0] >> 16 * row_half & 0xffff;
    return row_scale<kType>(bits, tail);
  }
};

/// A lane's codes and scales of one unit: those of kPackedLanes neighbouring packed lanes
/// (fragment.hip.h).
template <BlockType kType, int kPackedLanes = 1>
struct Unit {
  UnitCodes<kType> codes[kPackedLanes];
  UnitScales<kType> scales;

  /// Loads unit i, counted as in unit_at().
  GPU_DEVICE Unit load(const uint8_t* record, unsigned i, int lane) {
    return load_at(unit_at<kType>(record, i), tail_at<kType>(record, i), lane);
  }
  GPU_DEVICE Unit load_at(const uint8_t* unit, const uint8_t* tail, int lane) {
    Unit u;
    GPU_UNROLL for (int packed = 0; packed < kPackedLanes; packed++) u.codes[packed] =
        UnitCodes<kType>::load_at(unit, lane + packed);
    u.scales = UnitScales<kType>::load_at(unit, tail, lane);
    return u;
  }
  GPU_MEMBER Unit keep_row(bool is_upper) const {
    Unit kept;
    GPU_UNROLL for (int i = 0; i < kPackedLanes; i++) kept.codes[i] = codes[i].keep_row(is_upper);
    kept.scales = scales.keep_row(is_upper);
    return kept;
  }
};

/// In float-scale formats, the GEMM's dot products start from the bits of the float 3 * 2^22. The
/// result, read as a float, is then exactly 3 * 2^22 + dot, and one subtraction converts it. GPUs
/// convert integers at a quarter of the rate of other arithmetic.
template <BlockType kType>
GPU_DEVICE constexpr int dot_start() {
  return Layout<kType>::kSuper ? 0 : 0x4b400000;
}

/// The sums for one row and one token: the total over the columns so far and, in super-block
/// formats, the integer sums of factor * w * q and of minimum * q over the current super-block.
struct RowSum {
  float total;
  int scaled, minima;
};

/// Adds the dot products of a group, either of the whole group or of its two halves. In super-block
/// formats, add_minima() adds the minima. kStarted: whether the dot products began at dot_start().
template <BlockType kType, bool kStarted = false>
GPU_DEVICE void add_group(RowSum& sum, const RowScale& w, const int dots[2], const GroupScale& x) {
  using L = Layout<kType>;
  if constexpr (L::kSuper) {
    sum.scaled += w.factors[0] * dots[0];
    if constexpr (L::kHalves) sum.scaled += w.factors[1] * dots[1];
  } else {
    float dot = static_cast<float>(dots[0]);
    if constexpr (kStarted) memcpy(&dot, &dots[0], sizeof dot), dot -= 12582912.0f;
    sum.total = fmaf(dot, w.scale * x.scale, sum.total);
    if constexpr (L::kMin)
      sum.total = fmaf(static_cast<float>(x.sums[0] + x.sums[1]), w.offset * x.scale, sum.total);
  }
}

/// Adds a group's sum of minimum * q, if the format has integer minima. word: minima_word() of the
/// unit.
template <BlockType kType, int kGroupOfUnit>
GPU_DEVICE void add_minima(RowSum& sum, int word, const GroupScale& x) {
  if constexpr (Layout<kType>::kMinima) {
    int sums;
    memcpy(&sums, x.sums, sizeof sums);
    sum.minima = dot2<kGroupOfUnit == 1>(sums, word, sum.minima);
  }
}

/// Ends a super-block and adds it to the total. This is its only rounding, as in the CPU's
/// block_total. x_scale is the scale of its activations.
template <BlockType kType>
GPU_DEVICE void close_block(RowSum& sum, const RowScale& w, float x_scale) {
  float value = w.scale * static_cast<float>(sum.scaled);
  if constexpr (Layout<kType>::kMin) value = fmaf(w.offset, static_cast<float>(sum.minima), value);
  sum = {fmaf(value, x_scale, sum.total), 0, 0};
}

}  // namespace hearth::kernels::hip
