// Byte offsets inside the blocks are facts of the GGUF format; quant_blocks.h has the sizes.
#include "file_blocks.h"

#include <cstring>
#include <stdexcept>

#include "half.h"

namespace hearth::kernels::cpu {
namespace {

using Bytes = const uint8_t*;

// --- blocks of 32 ---

/// Byte j: column j in the low nibble, column j + 16 in the high one.
void read_nibble_halves(Bytes q, uint8_t* w) {
  for (int j = 0; j < 16; j++) {
    w[j] = q[j] & 15;
    w[j + 16] = q[j] >> 4;
  }
}

/// Bit j of the 32 is bit 4 of column j. Eight columns at a time: of eight copies of a byte the
/// mask keeps bit i in copy i, and adding 0x7f carries it to the top if it is set.
void add_fifth_bits(Bytes bits, uint8_t* w) {
  for (int j = 0; j < 4; j++) {
    const uint64_t kept = bits[j] * 0x0101010101010101u & 0x8040201008040201u;
    uint64_t columns;
    std::memcpy(&columns, w + 8 * j, sizeof columns);
    columns |= (kept + 0x7f7f7f7f7f7f7f7fu) >> 3 & 0x1010101010101010u;
    std::memcpy(w + 8 * j, &columns, sizeof columns);
  }
}

/// The file adds this minimum, we subtract it: the sign bit flips.
uint16_t negated(uint16_t half) { return half ^ 0x8000u; }

void read_q4_0(Bytes block, FileGroup& out) {
  out.d = load_u16(block);
  read_nibble_halves(block + 2, out.w);
}

void read_q4_1(Bytes block, FileGroup& out) {
  out.d = load_u16(block);
  out.dmin = negated(load_u16(block + 2));
  read_nibble_halves(block + 4, out.w);
}

void read_q5_0(Bytes block, FileGroup& out) {
  out.d = load_u16(block);
  read_nibble_halves(block + 6, out.w);
  add_fifth_bits(block + 2, out.w);
}

void read_q5_1(Bytes block, FileGroup& out) {
  out.d = load_u16(block);
  out.dmin = negated(load_u16(block + 2));
  read_nibble_halves(block + 8, out.w);
  add_fifth_bits(block + 4, out.w);
}

void read_q8_0(Bytes block, FileGroup& out) {
  out.d = load_u16(block);
  for (int j = 0; j < 32; j++) out.w[j] = block[2 + j] ^ 0x80u;  // + 128
}

// --- blocks of 256: eight groups g; n = g / 4 names the half of 128, j = g % 4 the group in it ---

/// 2-bit fields: byte 32 n + l, field j.
void read_pairs_of_bits(Bytes q, int g, uint8_t* w) {
  for (int l = 0; l < 32; l++) w[l] = q[32 * (g / 4) + l] >> (2 * (g % 4)) & 3;
}

/// Byte 32 (g / 2) + l: group g in the low nibble if even, else in the high one.
void read_nibble_pairs(Bytes q, int g, uint8_t* w) {
  for (int l = 0; l < 32; l++) w[l] = q[32 * (g / 2) + l] >> (4 * (g % 2)) & 15;
}

void read_q2_k(Bytes block, int g, FileGroup& out) {
  read_pairs_of_bits(block + 16, g, out.w);
  out.d = load_u16(block + 80);
  out.dmin = load_u16(block + 82);
  for (int h = 0; h < 2; h++) {
    out.scales[h] = block[2 * g + h] & 15;
    out.minima[h] = block[2 * g + h] >> 4;
  }
}

void read_q3_k(Bytes block, int g, FileGroup& out) {
  read_pairs_of_bits(block + 32, g, out.w);
  for (int l = 0; l < 32; l++) out.w[l] |= static_cast<uint8_t>((block[l] >> g & 1) << 2);
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
void read_scales_and_minima(Bytes s, int g, FileGroup& out) {
  const int scale = g < 4 ? s[g] & 63 : (s[g + 4] & 15) | s[g - 4] >> 6 << 4;
  const int minimum = g < 4 ? s[g + 4] & 63 : s[g + 4] >> 4 | s[g] >> 6 << 4;
  out.scales[0] = out.scales[1] = static_cast<int8_t>(scale);
  out.minima[0] = out.minima[1] = static_cast<int8_t>(minimum);
}

void read_q4_k(Bytes block, int g, FileGroup& out) {
  out.d = load_u16(block);
  out.dmin = load_u16(block + 2);
  read_scales_and_minima(block + 4, g, out);
  read_nibble_pairs(block + 16, g, out.w);
}

void read_q5_k(Bytes block, int g, FileGroup& out) {
  out.d = load_u16(block);
  out.dmin = load_u16(block + 2);
  read_scales_and_minima(block + 4, g, out);
  read_nibble_pairs(block + 48, g, out.w);
  for (int l = 0; l < 32; l++) out.w[l] |= static_cast<uint8_t>((block[16 + l] >> g & 1) << 4);
}

void read_q6_k(Bytes block, int g, FileGroup& out) {
  const int n = g / 4, j = g % 4;
  const Bytes low = block + 64 * n + 32 * (j % 2), high = block + 128 + 32 * n;
  for (int l = 0; l < 32; l++) {
    out.w[l] = static_cast<uint8_t>((low[l] >> (4 * (j / 2)) & 15) | (high[l] >> (2 * j) & 3) << 4);
  }
  for (int h = 0; h < 2; h++) out.scales[h] = static_cast<int8_t>(block[192 + 2 * g + h]);
  out.d = load_u16(block + 208);
}

void read_iq4_xs(Bytes block, int g, FileGroup& out) {
  out.d = load_u16(block);
  const int low = block[4 + g / 2] >> (4 * (g % 2)) & 15;
  const int high = load_u16(block + 2) >> (2 * g) & 3;
  out.scales[0] = out.scales[1] = static_cast<int8_t>((low | high << 4) - 32);
  read_nibble_halves(block + 8 + 16 * g, out.w);
}

}  // namespace

void read_group(BlockType type, const std::byte* row, int group, FileGroup& out) {
  const BlockTraits traits = block_traits(type);
  const int groups_in_block = traits.weights / 32;
  const Bytes block = reinterpret_cast<Bytes>(row) + static_cast<size_t>(group / groups_in_block) *
                                                         static_cast<size_t>(traits.bytes);
  const int g = group % groups_in_block;
  switch (type) {
    case BlockType::kQ4_0:
      return read_q4_0(block, out);
    case BlockType::kQ4_1:
      return read_q4_1(block, out);
    case BlockType::kQ5_0:
      return read_q5_0(block, out);
    case BlockType::kQ5_1:
      return read_q5_1(block, out);
    case BlockType::kQ8_0:
      return read_q8_0(block, out);
    case BlockType::kQ2_K:
      return read_q2_k(block, g, out);
    case BlockType::kQ3_K:
      return read_q3_k(block, g, out);
    case BlockType::kQ4_K:
      return read_q4_k(block, g, out);
    case BlockType::kQ5_K:
      return read_q5_k(block, g, out);
    case BlockType::kQ6_K:
      return read_q6_k(block, g, out);
    case BlockType::kIQ4_NL:
      return read_q4_0(block, out);  // nibbles are indices of the code book
    case BlockType::kIQ4_XS:
      return read_iq4_xs(block, g, out);
    default:
      throw std::invalid_argument("read_group: not a quantized type");
  }
}

}  // namespace hearth::kernels::cpu
