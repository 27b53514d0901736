// Reads quantized weights out of the file's own blocks, 32 columns of one row at a time.
// dequantize.cc and pack.cc are written over it, so each block format is spelled out once. Byte
// offsets inside the blocks are facts of the GGUF format; quant_blocks.h has the sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "half.h"
#include "packed_layout.h"
#include "quant_blocks.h"

namespace hearth::kernels::cpu {
namespace {

/// Column i: d * scales[h] * (w[i] - offset) - dmin * minima[h], with h = i / 16; the offset is
/// that of the type's Layout, and w an index for the IQ4 types. d and dmin are f16 bits.
struct FileGroup {
  uint8_t w[32];
  uint16_t d = 0;
  uint16_t dmin = 0;
  int8_t scales[2] = {1, 1};
  int8_t minima[2] = {1, 1};
};

using Bytes = const uint8_t*;

// --- blocks of 32 ---

/// Bits [from, from + n) of each of eight bytes.
inline uint64_t bits_of(Bytes bytes, int from, int n) {
  uint64_t eight;
  std::memcpy(&eight, bytes, sizeof eight);
  return eight >> from & 0x0101010101010101u * ((1u << n) - 1);
}

/// Byte j: column j in the low nibble, column j + 16 in the high one.
inline void read_nibble_halves(Bytes q, uint8_t* w) {
  for (int i = 0; i < 4; i++) {
    const uint64_t columns = bits_of(q + 8 * (i % 2), 4 * (i / 2), 4);
    std::memcpy(w + 8 * i, &columns, sizeof columns);
  }
}

/// Bit j of the 32 is bit 4 of column j. Eight columns at a time: of eight copies of a byte the
/// mask keeps bit i in copy i, and adding 0x7f carries it to the top if it is set.
inline void add_fifth_bits(Bytes bits, uint8_t* w) {
  for (int j = 0; j < 4; j++) {
    const uint64_t kept = bits[j] * 0x0101010101010101u & 0x8040201008040201u;
    uint64_t columns;
    std::memcpy(&columns, w + 8 * j, sizeof columns);
    columns |= (kept + 0x7f7f7f7f7f7f7f7fu) >> 3 & 0x1010101010101010u;
    std::memcpy(w + 8 * j, &columns, sizeof columns);
  }
}

/// The file adds this minimum, we subtract it: the sign bit flips.
inline uint16_t negated(uint16_t half) { return half ^ 0x8000u; }

inline void read_q4_0(Bytes block, FileGroup& out) {
  out.d = load_u16(block);
  read_nibble_halves(block + 2, out.w);
}

inline void read_q4_1(Bytes block, FileGroup& out) {
  out.d = load_u16(block);
  out.dmin = negated(load_u16(block + 2));
  read_nibble_halves(block + 4, out.w);
}

inline void read_q5_0(Bytes block, FileGroup& out) {
  out.d = load_u16(block);
  read_nibble_halves(block + 6, out.w);
  add_fifth_bits(block + 2, out.w);
}

inline void read_q5_1(Bytes block, FileGroup& out) {
  out.d = load_u16(block);
  out.dmin = negated(load_u16(block + 2));
  read_nibble_halves(block + 8, out.w);
  add_fifth_bits(block + 4, out.w);
}

inline void read_q8_0(Bytes block, FileGroup& out) {
  out.d = load_u16(block);
  for (int j = 0; j < 32; j++) out.w[j] = block[2 + j] ^ 0x80u;  // + 128
}

// --- blocks of 256: eight groups g; n = g / 4 names the half of 128, j = g % 4 the group in it ---

/// w[i] = bits [from, from + n) of byte i.
inline void read_fields(Bytes bytes, int from, int n, uint8_t* w) {
  for (int i = 0; i < 32; i += 8) {
    const uint64_t columns = bits_of(bytes + i, from, n);
    std::memcpy(w + i, &columns, sizeof columns);
  }
}

/// Puts the same bits above the `to` lower ones of w[i].
inline void add_fields(Bytes bytes, int from, int n, int to, uint8_t* w) {
  for (int i = 0; i < 32; i += 8) {
    uint64_t columns;
    std::memcpy(&columns, w + i, sizeof columns);
    columns |= bits_of(bytes + i, from, n) << to;
    std::memcpy(w + i, &columns, sizeof columns);
  }
}

/// 2-bit fields: byte 32 n + l, field j.
inline void read_pairs_of_bits(Bytes q, int g, uint8_t* w) {
  read_fields(q + 32 * (g / 4), 2 * (g % 4), 2, w);
}

/// Byte 32 (g / 2) + l: group g in the low nibble if even, else in the high one.
inline void read_nibble_pairs(Bytes q, int g, uint8_t* w) {
  read_fields(q + 32 * (g / 2), 4 * (g % 2), 4, w);
}

inline void read_q2_k(Bytes block, int g, FileGroup& out) {
  read_pairs_of_bits(block + 16, g, out.w);
  out.d = load_u16(block + 80);
  out.dmin = load_u16(block + 82);
  for (int h = 0; h < 2; h++) {
    out.scales[h] = block[2 * g + h] & 15;
    out.minima[h] = block[2 * g + h] >> 4;
  }
}

inline void read_q3_k(Bytes block, int g, FileGroup& out) {
  read_pairs_of_bits(block + 32, g, out.w);
  add_fields(block, g, 1, 2, out.w);
  const Bytes scales =
      block + 96;  // 16 of 6 bits: 8 bytes of nibbles, 4 bytes of the upper two bits
  for (int h = 0; h < 2; h++) {
    const int k = 2 * g + h;
    const int low = scales[k % 8] >> (4 * (k / 8)) & 15;
    const int high = scales[8 + k % 4] >> (2 * (k / 4)) & 3;
    out.scales[h] = static_cast<int8_t>((low | high << 4) - 32);
  }
  out.d = load_u16(block + 108);
}

/// Eight scales and eight minima of 6 bits in 12 bytes; the upper two bits of the first eight bytes
/// belong to the last four of each.
inline void read_scales_and_minima(Bytes s, int g, FileGroup& out) {
  const int scale = g < 4 ? s[g] & 63 : (s[g + 4] & 15) | s[g - 4] >> 6 << 4;
  const int minimum = g < 4 ? s[g + 4] & 63 : s[g + 4] >> 4 | s[g] >> 6 << 4;
  out.scales[0] = out.scales[1] = static_cast<int8_t>(scale);
  out.minima[0] = out.minima[1] = static_cast<int8_t>(minimum);
}

inline void read_q4_k(Bytes block, int g, FileGroup& out) {
  out.d = load_u16(block);
  out.dmin = load_u16(block + 2);
  read_scales_and_minima(block + 4, g, out);
  read_nibble_pairs(block + 16, g, out.w);
}

inline void read_q5_k(Bytes block, int g, FileGroup& out) {
  out.d = load_u16(block);
  out.dmin = load_u16(block + 2);
  read_scales_and_minima(block + 4, g, out);
  read_nibble_pairs(block + 48, g, out.w);
  add_fields(block + 16, g, 1, 4, out.w);
}

inline void read_q6_k(Bytes block, int g, FileGroup& out) {
  const int n = g / 4, j = g % 4;
  const Bytes low = block + 64 * n + 32 * (j % 2), high = block + 128 + 32 * n;
  read_fields(low, 4 * (j / 2), 4, out.w);
  add_fields(high, 2 * j, 2, 4, out.w);
  for (int h = 0; h < 2; h++) out.scales[h] = static_cast<int8_t>(block[192 + 2 * g + h]);
  out.d = load_u16(block + 208);
}

inline void read_iq4_xs(Bytes block, int g, FileGroup& out) {
  out.d = load_u16(block);
  const int low = block[4 + g / 2] >> (4 * (g % 2)) & 15;
  const int high = load_u16(block + 2) >> (2 * g) & 3;
  out.scales[0] = out.scales[1] = static_cast<int8_t>((low | high << 4) - 32);
  read_nibble_halves(block + 8 + 16 * g, out.w);
}

/// Group `group` (columns 32 * group and up) of a row of a quantized type.
template <BlockType kType>
inline void read_group(const std::byte* row, int group, FileGroup& out) {
  constexpr BlockTraits kTraits = block_traits(kType);
  constexpr int kGroups = kTraits.weights / 32;
  const Bytes block =
      reinterpret_cast<Bytes>(row) + static_cast<size_t>(group / kGroups) * size_t{kTraits.bytes};
  const int g = group % kGroups;
  // The nibbles of IQ4 types are indices of the code book.
  if constexpr (kType == BlockType::kQ4_0 || kType == BlockType::kIQ4_NL) read_q4_0(block, out);
  if constexpr (kType == BlockType::kQ4_1) read_q4_1(block, out);
  if constexpr (kType == BlockType::kQ5_0) read_q5_0(block, out);
  if constexpr (kType == BlockType::kQ5_1) read_q5_1(block, out);
  if constexpr (kType == BlockType::kQ8_0) read_q8_0(block, out);
  if constexpr (kType == BlockType::kQ2_K) read_q2_k(block, g, out);
  if constexpr (kType == BlockType::kQ3_K) read_q3_k(block, g, out);
  if constexpr (kType == BlockType::kQ4_K) read_q4_k(block, g, out);
  if constexpr (kType == BlockType::kQ5_K) read_q5_k(block, g, out);
  if constexpr (kType == BlockType::kQ6_K) read_q6_k(block, g, out);
  if constexpr (kType == BlockType::kIQ4_XS) read_iq4_xs(block, g, out);
}

inline void read_group(BlockType type, const std::byte* row, int group, FileGroup& out) {
  with_quantized_type(type, [&]<BlockType kType>() { read_group<kType>(row, group, out); });
}

}  // namespace
}  // namespace hearth::kernels::cpu
