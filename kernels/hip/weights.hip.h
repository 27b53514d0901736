// Packing weights on the GPU, and reading them back out of the packed layout (formats.h): a unit
// at a time for the matmuls, one weight at a time for embeddings.
#pragma once

#include "gguf_rows.hip.h"

namespace hearth::kernels::hip {

/// Values of the IQ4 code book, four a word.
GPU_DEVICE void load_code_book(uint32_t table[4]) {
  table[0] = 0xbfad9881;  // -127 -104 -83 -65
  table[1] = 0xf6eaddcf;  // -49 -35 -22 -10
  table[2] = 0x26190d01;  // 1 13 25 38
  table[3] = 0x71594535;  // 53 69 89 113
}

/// Four codes, one a byte, to four signed weights.
template <BlockType kType>
GPU_DEVICE int decode_word(uint32_t codes) {
  constexpr FormatTraits kTraits = format_traits(kType);
  if constexpr (kTraits.code_book) {
    uint32_t table[4];
    load_code_book(table);
    return lookup16(static_cast<int>(codes), table);
  } else if constexpr (kTraits.offset != 0) {
    // No byte carries into the next: codes stay below 64, so code + 128 - offset fits a byte.
    return static_cast<int>((codes + (128 - kTraits.offset) * 0x01010101u) ^ 0x80808080u);
  } else {
    return static_cast<int>(codes);
  }
}

/// Scales of one row in one group: weight = scale * code + offset, or, of block types, scale *
/// factor * code + offset * minimum with a factor and a minimum for each half.
struct RowScale {
  float scale, offset;
  int factors[2], minima[2];
};

/// entry and tail as row_scale_entry() and row_tail_entry() give them.
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

/// By value: an operator would choose between addresses, and on AMD that takes memory for both.
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

/// Where unit i of a record begins; i may count on from there into the records that follow.
template <BlockType kType>
GPU_DEVICE const uint8_t* unit_at(const uint8_t* record, unsigned i) {
  using L = Layout<kType>;
  return record + i / L::kUnits * L::kRecordBytes + i % L::kUnits * L::kUnitBytes;
}

/// The record that a unit of a tile is in.
template <BlockType kType>
GPU_DEVICE const uint8_t* record_of(const uint8_t* tile, unsigned unit) {
  return tile + unit / Layout<kType>::kUnits * Layout<kType>::kRecordBytes;
}

/// What the units of that record share.
template <BlockType kType>
GPU_DEVICE const uint8_t* tail_at(const uint8_t* tile, unsigned unit) {
  return record_of<kType>(tile, unit) + Layout<kType>::kTailOffset;
}

/// A lane's 32 weights of one unit, still packed.
template <BlockType kType>
struct UnitCodes {
  using L = Layout<kType>;
  static constexpr int kLow = L::kTraits.low, kHigh = L::kTraits.high;
  uint32_t low[kLow == 8 ? 2 : 1][kLow == 8 ? 4 : kLow];
  uint32_t high[kHigh ? kHigh : 1];

  /// Unit i of a record, or of a tile: see unit_at().
  GPU_DEVICE UnitCodes load(const uint8_t* record, unsigned i, int lane) {
    return load_at(unit_at<kType>(record, i), lane);
  }
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

  /// Drops one of the two rows; the other takes the place of row half 0.
  GPU_DEVICE UnitCodes keep_row(const UnitCodes& u, bool is_upper) {
    constexpr int kPlanes = kLow == 8 ? 2 : 1, kWords = kLow == 8 ? 4 : kLow;
    UnitCodes kept = u;
    GPU_UNROLL for (int i = 0; i < kPlanes * kWords; i += 2) {
      const uint32_t* row = &u.low[i / kWords][i % kWords];
      kept.low[i / kWords][i % kWords] = choose(is_upper, row[1], row[0]);
    }
    if constexpr (kHigh == 2) kept.high[0] = choose(is_upper, u.high[1], u.high[0]);
    if constexpr (kHigh == 1) kept.high[0] = u.high[0] >> is_upper;
    return kept;
  }

  /// Operand word i (0..3) of group 0 or 1: weights, or codes whose offset is still to be taken
  /// off.
  template <bool kWithOffset = false>
  GPU_DEVICE int word(const UnitCodes& u, int group, int i) {
    if constexpr (kLow == 8) return static_cast<int>(u.low[group][i]);
    const int f = 4 * group + i;
    constexpr uint32_t kMask = 0x01010101u * ((1 << kLow) - 1);
    uint32_t codes = u.low[0][f % kLow] >> kLow * (f / kLow) & kMask;
    if constexpr (kHigh) {
      constexpr uint32_t kHighMask = 0x01010101u * ((1 << kHigh) - 1);
      codes |= (u.high[f % kHigh] >> kHigh * (f / kHigh) & kHighMask) << kLow;
    }
    if constexpr (kWithOffset) return static_cast<int>(codes);
    return decode_word<kType>(codes);
  }
};

/// The scales of a lane's two rows in one unit, still packed.
template <BlockType kType>
struct UnitScales {
  using L = Layout<kType>;
  uint32_t entries[L::kEntryBytes];
  uint32_t tails[L::kTailEntry == 4 ? 2 : 1];

  /// Unit i of a record, or of a tile.
  GPU_DEVICE UnitScales load(const uint8_t* record, unsigned i, int lane) {
    return load_at(unit_at<kType>(record, i), tail_at<kType>(record, i), lane);
  }
  GPU_DEVICE UnitScales load_at(const uint8_t* base, const uint8_t* tail, int lane) {
    UnitScales s;
    load_words(s.entries, base + L::kScaleOffset + lane / 4 * 4 * L::kEntryBytes);
    if constexpr (L::kSuper) load_words(s.tails, tail + lane / 4 * 2 * L::kTailEntry);
    return s;
  }

  GPU_DEVICE UnitScales keep_row(const UnitScales& s, bool is_upper) {
    UnitScales kept = s;
    constexpr int kWords = L::kEntryBytes / 2;
    GPU_UNROLL for (int i = 0; i < kWords; i++) kept.entries[i] =
        choose(is_upper, s.entries[kWords + i], s.entries[i]);
    if constexpr (L::kEntryBytes == 1) kept.entries[0] = s.entries[0] >> 16 * is_upper;
    if constexpr (L::kTailEntry == 4) kept.tails[0] = choose(is_upper, s.tails[1], s.tails[0]);
    if constexpr (L::kTailEntry == 2) kept.tails[0] = s.tails[0] >> 16 * is_upper;
    return kept;
  }

  GPU_DEVICE RowScale scale(const UnitScales& s, int row_half, int group) {
    const int entry = 2 * row_half + group;
    uint32_t bits;
    if constexpr (L::kEntryBytes == 4) bits = s.entries[entry];
    if constexpr (L::kEntryBytes == 2) bits = s.entries[entry / 2] >> 16 * (entry % 2) & 0xffff;
    if constexpr (L::kEntryBytes == 1) bits = s.entries[0] >> 8 * entry & 0xff;
    uint32_t tail = 0;
    if constexpr (L::kTailEntry == 4) tail = s.tails[row_half];
    if constexpr (L::kTailEntry == 2) tail = s.tails[0] >> 16 * row_half & 0xffff;
    return row_scale<kType>(bits, tail);
  }
};

/// Weights of one unit: a lane's share, or those of several neighbours.
template <BlockType kType, int kParts = 1>
struct Unit {
  UnitCodes<kType> codes[kParts];
  UnitScales<kType> scales;

  /// Unit i of a record, or of a tile.
  GPU_DEVICE Unit load(const uint8_t* record, unsigned i, int lane) {
    return load_at(unit_at<kType>(record, i), tail_at<kType>(record, i), lane);
  }
  GPU_DEVICE Unit load_at(const uint8_t* unit, const uint8_t* tail, int lane) {
    Unit u;
    GPU_UNROLL for (int part = 0; part < kParts; part++) u.codes[part] =
        UnitCodes<kType>::load_at(unit, lane + part);
    u.scales = UnitScales<kType>::load_at(unit, tail, lane);
    return u;
  }
  GPU_DEVICE Unit keep_row(const Unit& u, bool is_upper) {
    Unit kept;
    GPU_UNROLL for (int i = 0; i < kParts; i++) kept.codes[i] =
        UnitCodes<kType>::keep_row(u.codes[i], is_upper);
    kept.scales = UnitScales<kType>::keep_row(u.scales, is_upper);
    return kept;
  }
};

/// Dots of a group with its own float scale start from this: as bits of a float they are then 3 *
/// 2^22 plus the dot, exactly, and one subtraction converts them. GPUs convert integers at a
/// quarter of the speed of other arithmetic.
constexpr int kDotStart = 0x4b400000;

template <BlockType kType>
GPU_DEVICE constexpr int dot_start() {
  return Layout<kType>::kSuper ? 0 : kDotStart;
}

/// The sums of one row and one token: over the columns so far, and, of block types, the integer
/// sum of factor * code * q of the block that is being read.
struct RowSum {
  float total;
  int scaled;
};

/// Adds a group's minima to those of its block.
template <BlockType kType>
GPU_DEVICE int add_minima(int minima, const RowScale& w, const GroupScale& x) {
  using L = Layout<kType>;
  if constexpr (!L::kMin) return 0;
  if constexpr (L::kHalves) return minima + w.minima[0] * x.sums[0] + w.minima[1] * x.sums[1];
  return minima + w.minima[0] * (x.sums[0] + x.sums[1]);
}

/// Adds a group's part, but for a block type's minima: dots of the whole group (from dot_start), or
/// of its two halves.
template <BlockType kType>
GPU_DEVICE void add_group(RowSum& sum, const RowScale& w, const int dots[2], const GroupScale& x) {
  using L = Layout<kType>;
  if constexpr (L::kSuper) {
    sum.scaled += w.factors[0] * dots[0];
    if constexpr (L::kHalves) sum.scaled += w.factors[1] * dots[1];
  } else {
    float dot;
    memcpy(&dot, &dots[0], sizeof dot);
    dot -= 12582912.0f;
    sum.total = fmaf(dot, w.scale * x.scale, sum.total);
    if constexpr (L::kMin)
      sum.total = fmaf(static_cast<float>(x.sums[0] + x.sums[1]), w.offset * x.scale, sum.total);
  }
}

/// total and a block of 256 columns: all of it that is rounded, as on the CPU. minima: the sum of
/// minimum * q.
template <BlockType kType>
GPU_DEVICE float add_block(float total, int scaled, int minima, const RowScale& w, float x_scale) {
  float value = w.scale * static_cast<float>(scaled);
  if constexpr (Layout<kType>::kMin) value = fmaf(w.offset, static_cast<float>(minima), value);
  return fmaf(value, x_scale, total);
}

/// Ends a block; x_scale is that of each of its groups.
template <BlockType kType>
GPU_DEVICE void close_block(RowSum& sum, int minima, const RowScale& w, float x_scale) {
  sum.total = add_block<kType>(sum.total, sum.scaled, minima, w, x_scale);
  sum.scaled = 0;
}

// --- packing: grid (tiles, units / 8), a lane of the packed layout a thread ---

template <BlockType kType>
GPU_DEVICE void pack_plane(const PackParams& p, uint8_t* plane, int bits, int shift, int lane,
                           int row, int col) {
  const uint32_t mask = (1u << bits) - 1;
  uint32_t words[8] = {};
  for (int f = 0; f < 8; f++) {
    const int r = row + f % 2 * 8, c = col + f / 4 * 32 + f / 2 % 2 * 16;
    if (r >= p.n_rows || c >= p.n_cols) continue;
    const uint8_t* source = p.rows + static_cast<uint64_t>(r) * p.row_bytes;
    for (int j = 0; j < 4; j++)
      words[f % bits] |= (row_code<kType>(source, c + j) >> shift & mask)
                         << (8 * j + bits * (f / bits));
  }
  for (int i = 0; i < bits; i++) {
    // Eight-bit planes are two: 16 bytes a lane for each group.
    uint8_t* to =
        bits == 8 ? plane + i / 4 * 512 + 16 * lane + i % 4 * 4 : plane + (lane * bits + i) * 4;
    *reinterpret_cast<uint32_t*>(to) = words[i];
  }
}

template <BlockType kType>
GPU_DEVICE void pack_scales(const PackParams& p, uint8_t* record, uint8_t* unit, int g, int row,
                            int col) {
  using L = Layout<kType>;
  for (int half = 0; half < 2; half++) {
    const int r = row + 8 * half;
    const uint8_t* source = p.rows + static_cast<uint64_t>(r) * p.row_bytes;
    for (int group = 0; group < 2; group++) {
      const bool valid = r < p.n_rows && col + 32 * group < p.n_cols;
      const uint32_t entry = valid ? row_scale_entry<kType>(source, col + 32 * group) : 0;
      uint8_t* to = unit + L::kScaleOffset + (4 * g + 2 * half + group) * L::kEntryBytes;
      for (int i = 0; i < L::kEntryBytes; i++) to[i] = entry >> 8 * i & 255;
    }
    if (!L::kSuper || col % 256 != 0) continue;
    const uint32_t tail = r < p.n_rows ? row_tail_entry<kType>(source, col) : 0;
    uint8_t* to = record + L::kTailOffset + (2 * g + half) * L::kTailEntry;
    for (int i = 0; i < L::kTailEntry; i++) to[i] = tail >> 8 * i & 255;
  }
}

template <BlockType kType>
GPU_DEVICE void pack_unit(const PackParams& p) {
  using L = Layout<kType>;
  wait_for_previous();
  const int lane = threadIdx.x % GPU_LANES, g = lane / 4, t = lane % 4;
  const int unit = blockIdx.y * (blockDim.x / GPU_LANES) + threadIdx.x / GPU_LANES;
  if (unit >= p.n_units) return;
  uint8_t* record = p.tiles + blockIdx.x * p.tile_bytes + unit / L::kUnits * L::kRecordBytes;
  uint8_t* base = record + unit % L::kUnits * L::kUnitBytes;
  const int row = blockIdx.x * kTileRows + g, col = unit * kUnit;
  pack_plane<kType>(p, base, L::kTraits.low, 0, lane, row, col + 4 * t);
  if constexpr (L::kTraits.high != 0)
    pack_plane<kType>(p, base + L::kHighOffset, L::kTraits.high, L::kTraits.low, lane, row,
                      col + 4 * t);
  if (t == 0) pack_scales<kType>(p, record, base, g, row, col);
}

// --- embeddings: a block a token; tokens of another part's rows are left alone ---

template <BlockType kType>
GPU_DEVICE void embed_row(const EmbedParams& p) {
  wait_for_previous();
  const int token = p.tokens[blockIdx.x] - p.first_row;
  if (token < 0 || token >= p.n_rows) return;
  const uint8_t* tile = p.tiles + static_cast<uint64_t>(token / kTileRows) * p.tile_bytes;
  const int row_half = token % kTileRows / 8;
  for (int i = threadIdx.x; i < p.n_cols / 4; i += blockDim.x) {
    const int col = 4 * i, group = col / 32 % 2, half = col / 16 % 2;
    const auto unit = Unit<kType>::load(tile, col / kUnit, token % 8 * 4 + i % 4);
    // Registers have no run-time index: everything is unpacked, and the wanted part picked.
    RowScale scale = {};
    int codes = 0;
    GPU_UNROLL for (int f = 0; f < 8; f++) {
      const bool is_wanted = f / 4 == group && f / 2 % 2 == half && f % 2 == row_half;
      const RowScale candidate = UnitScales<kType>::scale(unit.scales, f % 2, f / 4);
      if (is_wanted) scale = candidate, codes = UnitCodes<kType>::word(unit.codes[0], f / 4, f % 4);
    }
    using L = Layout<kType>;
    const int halves[2] = {half ? scale.factors[1] : scale.factors[0],
                           half ? scale.minima[1] : scale.minima[0]};
    const float factor = L::kSuper ? scale.scale * halves[0] : scale.scale;
    const float minimum = L::kSuper ? scale.offset * halves[1] : scale.offset;
    for (int j = 0; j < 4; j++)
      p.x[static_cast<uint64_t>(blockIdx.x) * p.n_cols + col + j] =
          factor * int8_t(codes >> 8 * j) + minimum;
  }
}

}  // namespace hearth::kernels::hip
