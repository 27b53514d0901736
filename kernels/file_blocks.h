// Unpacks the quantized blocks of a GGUF file, 32 columns of one row at a time. Packing on the CPU
// (cpu/pack.cc) and on the GPU (hip/pack.hip.h) and dequantize_row() use it. Each format has one
// specialization of read_codes, whose byte offsets the format defines. The table of quant_blocks.h
// has the sizes and the f16 scales.
#pragma once

#include <stdint.h>
#include <string.h>

#include <cstddef>

#include "quant_blocks.h"

/// Marks a function that is compiled for the GPU, too.
#if defined(__CUDACC__) || defined(__HIP__)
#define HEARTH_EVERYWHERE inline __host__ __device__
#else
#define HEARTH_EVERYWHERE inline
#endif

namespace hearth::kernels {
namespace {

/// 32 columns of a row. weight[i] = d * scales[i / 16] * (w[i] - zero) - dmin * minima[i / 16],
/// where zero is the format's zero point, and 128 for Q8_0. In formats with a code book, w[i] is an
/// index into it. d and dmin are f16 bits.
struct FileGroup {
  uint8_t w[32];
  uint16_t d = 0;
  uint16_t dmin = 0;
  int8_t scales[2] = {1, 1};
  int8_t minima[2] = {1, 1};
};

using Bytes = const uint8_t*;

/// Reads the codes w of one group of a block and, if the format has them, its integer scales and
/// minima. Every quantized format needs a specialization below, or the code does not compile.
template <BlockType kType>
HEARTH_EVERYWHERE void read_codes(Bytes block, int group, FileGroup& out) = delete;

HEARTH_EVERYWHERE uint16_t u16_at(Bytes bytes) {
  return static_cast<uint16_t>(bytes[0] | bytes[1] << 8);
}

// --- blocks of 32 columns: one group ---

/// Bits [from, from + n) of each of eight bytes.
HEARTH_EVERYWHERE uint64_t bits_of(Bytes bytes, int from, int n) {
  uint64_t eight;
  memcpy(&eight, bytes, sizeof eight);
  return eight >> from & 0x0101010101010101u * ((1u << n) - 1);
}

/// Byte j of 16 holds column j in its low nibble and column j + 16 in its high one.
HEARTH_EVERYWHERE void read_nibble_halves(Bytes q, uint8_t* w) {
  for (int i = 0; i < 4; i++) {
    const uint64_t columns = bits_of(q + 8 * (i % 2), 4 * (i / 2), 4);
    memcpy(w + 8 * i, &columns, sizeof columns);
  }
}

/// Bit j of the 32 bits is bit 4 of w[j]. Works on eight columns at a time: the byte is copied
/// eight times, the mask keeps bit i in copy i, and adding 0x7f carries a bit that is set to the
/// top of its copy.
HEARTH_EVERYWHERE void add_fifth_bits(Bytes bits, uint8_t* w) {
  for (int j = 0; j < 4; j++) {
    const uint64_t kept = bits[j] * 0x0101010101010101u & 0x8040201008040201u;
    uint64_t columns;
    memcpy(&columns, w + 8 * j, sizeof columns);
    columns |= (kept + 0x7f7f7f7f7f7f7f7fu) >> 3 & 0x1010101010101010u;
    memcpy(w + 8 * j, &columns, sizeof columns);
  }
}

template <>
HEARTH_EVERYWHERE void read_codes<BlockType::kQ4_0>(Bytes block, int, FileGroup& out) {
  read_nibble_halves(block + 2, out.w);
}

template <>  // the nibbles are indices into the code book
HEARTH_EVERYWHERE void read_codes<BlockType::kIQ4_NL>(Bytes block, int, FileGroup& out) {
  read_nibble_halves(block + 2, out.w);
}

template <>  // the nibbles are indices, and the scale is one byte
HEARTH_EVERYWHERE void read_codes<BlockType::kMXFP4>(Bytes block, int, FileGroup& out) {
  read_nibble_halves(block + 1, out.w);
}

template <>
HEARTH_EVERYWHERE void read_codes<BlockType::kQ4_1>(Bytes block, int, FileGroup& out) {
  read_nibble_halves(block + 4, out.w);
}

template <>
HEARTH_EVERYWHERE void read_codes<BlockType::kQ5_0>(Bytes block, int, FileGroup& out) {
  read_nibble_halves(block + 6, out.w);
  add_fifth_bits(block + 2, out.w);
}

template <>
HEARTH_EVERYWHERE void read_codes<BlockType::kQ5_1>(Bytes block, int, FileGroup& out) {
  read_nibble_halves(block + 8, out.w);
  add_fifth_bits(block + 4, out.w);
}

template <>
HEARTH_EVERYWHERE void read_codes<BlockType::kQ8_0>(Bytes block, int, FileGroup& out) {
  for (int j = 0; j < 32; j++) out.w[j] = block[2 + j] ^ 0x80u;  // int8 + 128
}

// --- super-blocks of 256 columns: eight groups g, four in each half of 128 columns ---

/// w[i] = bits [from, from + n) of byte i.
HEARTH_EVERYWHERE void read_fields(Bytes bytes, int from, int n, uint8_t* w) {
  for (int i = 0; i < 32; i += 8) {
    const uint64_t columns = bits_of(bytes + i, from, n);
    memcpy(w + i, &columns, sizeof columns);
  }
}

/// Puts bits [from, from + n) of byte i at bit `to` of w[i].
HEARTH_EVERYWHERE void add_fields(Bytes bytes, int from, int n, int to, uint8_t* w) {
  for (int i = 0; i < 32; i += 8) {
    uint64_t columns;
    memcpy(&columns, w + i, sizeof columns);
    columns |= bits_of(bytes + i, from, n) << to;
    memcpy(w + i, &columns, sizeof columns);
  }
}

/// Two bits per column: column l of group g is field g % 4 of byte 32 (g / 4) + l.
HEARTH_EVERYWHERE void read_pairs_of_bits(Bytes q, int g, uint8_t* w) {
  read_fields(q + 32 * (g / 4), 2 * (g % 4), 2, w);
}

/// Four bits per column: column l of group g is the low (g even) or high (g odd) nibble of byte
/// 32 (g / 2) + l.
HEARTH_EVERYWHERE void read_nibble_pairs(Bytes q, int g, uint8_t* w) {
  read_fields(q + 32 * (g / 2), 4 * (g % 2), 4, w);
}

template <>
HEARTH_EVERYWHERE void read_codes<BlockType::kQ2_K>(Bytes block, int g, FileGroup& out) {
  read_pairs_of_bits(block + 16, g, out.w);
  for (int h = 0; h < 2; h++) {
    out.scales[h] = block[2 * g + h] & 15;
    out.minima[h] = block[2 * g + h] >> 4;
  }
}

template <>
HEARTH_EVERYWHERE void read_codes<BlockType::kQ3_K>(Bytes block, int g, FileGroup& out) {
  read_pairs_of_bits(block + 32, g, out.w);
  add_fields(block, g, 1, 2, out.w);
  // 16 scales of 6 bits: 8 bytes of low nibbles, then 4 bytes of the upper two bits.
  const Bytes scales = block + 96;
  for (int h = 0; h < 2; h++) {
    const int k = 2 * g + h;
    const int low = scales[k % 8] >> (4 * (k / 8)) & 15;
    const int high = scales[8 + k % 4] >> (2 * (k / 4)) & 3;
    out.scales[h] = static_cast<int8_t>((low | high << 4) - 32);
  }
}

/// Eight scales and eight minima of 6 bits in 12 bytes. The low six bits of bytes 0 to 3 are the
/// scales of groups 0 to 3, and those of bytes 4 to 7 their minima. Groups 4 to 7 have their low
/// four bits in bytes 8 to 11, and their high two bits in the top of bytes 0 to 7.
HEARTH_EVERYWHERE void read_scales_and_minima(Bytes s, int g, FileGroup& out) {
  const int scale = g < 4 ? s[g] & 63 : (s[g + 4] & 15) | s[g - 4] >> 6 << 4;
  const int minimum = g < 4 ? s[g + 4] & 63 : s[g + 4] >> 4 | s[g] >> 6 << 4;
  out.scales[0] = out.scales[1] = static_cast<int8_t>(scale);
  out.minima[0] = out.minima[1] = static_cast<int8_t>(minimum);
}

template <>
HEARTH_EVERYWHERE void read_codes<BlockType::kQ4_K>(Bytes block, int g, FileGroup& out) {
  read_scales_and_minima(block + 4, g, out);
  read_nibble_pairs(block + 16, g, out.w);
}

template <>
HEARTH_EVERYWHERE void read_codes<BlockType::kQ5_K>(Bytes block, int g, FileGroup& out) {
  read_scales_and_minima(block + 4, g, out);
  read_nibble_pairs(block + 48, g, out.w);
  add_fields(block + 16, g, 1, 4, out.w);
}

template <>
HEARTH_EVERYWHERE void read_codes<BlockType::kQ6_K>(Bytes block, int g, FileGroup& out) {
  const int n = g / 4, j = g % 4;
  const Bytes low = block + 64 * n + 32 * (j % 2), high = block + 128 + 32 * n;
  read_fields(low, 4 * (j / 2), 4, out.w);
  add_fields(high, 2 * j, 2, 4, out.w);
  for (int h = 0; h < 2; h++) out.scales[h] = static_cast<int8_t>(block[192 + 2 * g + h]);
}

template <>
HEARTH_EVERYWHERE void read_codes<BlockType::kIQ4_XS>(Bytes block, int g, FileGroup& out) {
  const int low = block[4 + g / 2] >> (4 * (g % 2)) & 15;
  const int high = u16_at(block + 2) >> (2 * g) & 3;
  out.scales[0] = out.scales[1] = static_cast<int8_t>((low | high << 4) - 32);
  read_nibble_halves(block + 8 + 16 * g, out.w);
}

/// Reads group `group` (the 32 columns from 32 * group on) of a row of a quantized type.
template <BlockType kType>
HEARTH_EVERYWHERE void read_group(const void* row, int group, FileGroup& out) {
  constexpr BlockTraits kTraits = block_traits(kType);
  constexpr int kGroups = kTraits.weights / 32;
  const Bytes block = static_cast<Bytes>(row) +
                      static_cast<size_t>(group / kGroups) * static_cast<size_t>(kTraits.bytes);
  out.d = kTraits.scales == ScaleKind::kPower ? half_power(block[kTraits.d])
                                              : u16_at(block + kTraits.d);
  if constexpr (kTraits.has_min()) out.dmin = u16_at(block + kTraits.dmin);
  // The file adds this minimum, we subtract it: the sign bit flips.
  if constexpr (kTraits.scales == ScaleKind::kHalfMin) out.dmin ^= 0x8000u;
  read_codes<kType>(block, group % kGroups, out);
}

inline void read_group(BlockType type, const std::byte* row, int group, FileGroup& out) {
  with_quantized_type(type, [&]<BlockType kType>() { read_group<kType>(row, group, out); });
}

}  // namespace
}  // namespace hearth::kernels
