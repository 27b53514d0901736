// Compares dequantize_row with a second decoder, written weight by weight from the format's
// definition, and with blocks worked out by hand.
#include <array>
#include <cmath>

#include "cpu_variants.h"
#include "ops.h"
#include "random_blocks.h"
#include "test.h"

namespace {

using hearth::kernels::block_traits;
using hearth::kernels::dequantize_row;
using test::BlockType;

float half_value(const uint8_t* p) {
  return static_cast<float>(test::half_value(static_cast<uint16_t>(p[0] | p[1] << 8)));
}

/// Decodes a code by the format's definition: a sign, two bits of exponent, one bit of mantissa.
float fp4_value(int code) {
  const int exponent = code / 2 % 4, mantissa = code % 2;
  const float magnitude = exponent == 0
                              ? 0.5f * static_cast<float>(mantissa)
                              : std::ldexp(1 + 0.5f * static_cast<float>(mantissa), exponent - 1);
  return code < 8 ? magnitude : -magnitude;
}

constexpr int kCodeBook[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                               1,    13,   25,  38,  53,  69,  89,  113};

int nibble(const uint8_t* p, bool high) { return high ? *p / 16 : *p % 16; }
int bit(const uint8_t* p, int i) { return p[i / 8] >> (i % 8) & 1; }

/// Two consecutive 6-bit scales from the 12 bytes of Q4_K and Q5_K.
int scale_6(const uint8_t* s, int g, bool minimum) {
  if (g < 4) return s[minimum ? g + 4 : g] % 64;
  const int low = nibble(s + g + 4, minimum);
  return low + 16 * (s[minimum ? g : g - 4] / 64);
}

float super_block_weight(BlockType type, const uint8_t* b, int i) {
  const int g = i / 32, sixteen = i / 16, n = i / 128, l = i % 32, j = i / 32 % 4;
  switch (type) {
    case BlockType::kQ2_K: {
      const int q = b[16 + 32 * n + l] >> (2 * j) & 3;
      return half_value(b + 80) * static_cast<float>(b[sixteen] % 16) * static_cast<float>(q) -
             half_value(b + 82) * static_cast<float>(b[sixteen] / 16);
    }
    case BlockType::kQ3_K: {
      const int q = (b[32 + 32 * n + l] >> (2 * j) & 3) - (b[l] >> g & 1 ? 0 : 4);
      const uint8_t* s = b + 96;
      const int low = nibble(s + sixteen % 8, sixteen >= 8);
      const int scale = low + 16 * (s[8 + sixteen % 4] >> (2 * (sixteen / 4)) & 3) - 32;
      return half_value(b + 108) * static_cast<float>(scale) * static_cast<float>(q);
    }
    case BlockType::kQ4_K:
    case BlockType::kQ5_K: {
      const bool fifth = type == BlockType::kQ5_K;
      int q = nibble(b + (fifth ? 48 : 16) + 32 * (g / 2) + l, g % 2 == 1);
      if (fifth) q += 16 * (b[16 + l] >> g & 1);
      const auto scale = static_cast<float>(scale_6(b + 4, g, false));
      const auto minimum = static_cast<float>(scale_6(b + 4, g, true));
      return half_value(b) * scale * static_cast<float>(q) - half_value(b + 2) * minimum;
    }
    case BlockType::kQ6_K: {
      const int low = nibble(b + 64 * n + i % 64, i % 128 >= 64);
      const int q = low + 16 * (b[128 + 32 * n + l] >> (2 * j) & 3) - 32;
      const int scale = static_cast<int8_t>(b[192 + sixteen]);
      return half_value(b + 208) * static_cast<float>(scale) * static_cast<float>(q);
    }
    default: {  // IQ4_XS
      const int q = nibble(b + 8 + 16 * g + l % 16, l >= 16);
      const int scale =
          nibble(b + 4 + g / 2, g % 2 == 1) + 16 * ((b[2] | b[3] << 8) >> (2 * g) & 3);
      return half_value(b) * static_cast<float>(scale - 32) * static_cast<float>(kCodeBook[q]);
    }
  }
}

float weight(BlockType type, const uint8_t* b, int i) {
  const auto q4 = [&](int at) { return nibble(b + at + i % 16, i >= 16); };
  switch (type) {
    case BlockType::kF32: {
      float value;
      std::memcpy(&value, b, sizeof value);
      return value;
    }
    case BlockType::kF16:
      return half_value(b);
    case BlockType::kBF16: {
      const uint8_t wide[4] = {0, 0, b[0], b[1]};
      float value;
      std::memcpy(&value, wide, sizeof value);
      return value;
    }
    case BlockType::kQ4_0:
      return half_value(b) * static_cast<float>(q4(2) - 8);
    case BlockType::kQ4_1:
      return half_value(b) * static_cast<float>(q4(4)) + half_value(b + 2);
    case BlockType::kQ5_0:
      return half_value(b) * static_cast<float>(q4(6) + 16 * bit(b + 2, i) - 16);
    case BlockType::kQ5_1:
      return half_value(b) * static_cast<float>(q4(8) + 16 * bit(b + 4, i)) + half_value(b + 2);
    case BlockType::kQ8_0:
      return half_value(b) * static_cast<float>(static_cast<int8_t>(b[2 + i]));
    case BlockType::kIQ4_NL:
      return half_value(b) * static_cast<float>(kCodeBook[q4(2)]);
    case BlockType::kMXFP4:
      return std::ldexp(fp4_value(q4(1)), b[0] - 127);
    default:
      return super_block_weight(type, b, i);
  }
}

template <size_t n>
std::array<float, 256> dequantize(BlockType type, const std::array<uint8_t, n>& block) {
  CHECK_EQUAL(static_cast<int>(n), block_traits(type).bytes);
  std::array<float, 256> out{};
  dequantize_row(type, reinterpret_cast<const std::byte*>(block.data()), out.data(),
                 block_traits(type).weights);
  return out;
}

TEST("every type is dequantized as its definition says, at any alignment") {
  for (const BlockType type : hearth::kernels::kBlockTypes) {
    constexpr int kColumns = 1024;
    std::vector<std::byte> rows = test::random_rows(type, 1, kColumns, 7);
    rows.insert(rows.begin(), std::byte{0});
    std::vector<float> out(kColumns);
    dequantize_row(type, rows.data() + 1, out.data(), kColumns);
    const auto traits = block_traits(type);
    const auto* bytes = reinterpret_cast<const uint8_t*>(rows.data() + 1);
    for (int i = 0; i < kColumns; i++) {
      const float expected =
          weight(type, bytes + i / traits.weights * traits.bytes, i % traits.weights);
      CHECK_EQUAL(out[static_cast<size_t>(i)], expected);
    }
  }
}

TEST("a subnormal scale is kept") {
  constexpr float kScale = 253 * 0x1p-24f;  // 0x00fd
  std::array<uint8_t, 18> q4_0{0xfd, 0x00, 0x0f, 0x90};
  CHECK_EQUAL(dequantize(BlockType::kQ4_0, q4_0)[0], 7 * kScale);
  CHECK_EQUAL(dequantize(BlockType::kQ4_0, q4_0)[17], 1 * kScale);
  CHECK_EQUAL(dequantize(BlockType::kQ4_0, q4_0)[31], -8 * kScale);
  std::array<uint8_t, 34> q8_0{0xfd, 0x80, 0x80, 0x7f};  // scale -kScale, weights -128 and 127
  CHECK_EQUAL(dequantize(BlockType::kQ8_0, q8_0)[0], 128 * kScale);
  CHECK_EQUAL(dequantize(BlockType::kQ8_0, q8_0)[1], -127 * kScale);
  std::array<uint8_t, 210> q6_k{};
  q6_k[192] = 0x80;  // scale -128, with weights of -32
  q6_k[208] = 0xfd;
  CHECK_EQUAL(dequantize(BlockType::kQ6_K, q6_k)[0], 4096 * kScale);
  CHECK_EQUAL(dequantize(BlockType::kQ6_K, q6_k)[16], 0.0f);
  std::array<uint8_t, 17> mxfp4{104, 0x01, 0x02};  // 2^-23; the code 1 means half of it
  CHECK_EQUAL(dequantize(BlockType::kMXFP4, mxfp4)[0], 0x1p-24f);
  CHECK_EQUAL(dequantize(BlockType::kMXFP4, mxfp4)[1], 0x1p-23f);
  CHECK_EQUAL(dequantize(BlockType::kF16, std::array<uint8_t, 2>{0xfd, 0x00})[0], kScale);
}

TEST("dequantized blocks equal those worked out by hand") {
  std::array<uint8_t, 20> q4_1{0x00, 0x38, 0x00, 0xc0, 0x3a};  // 0.5, -2
  CHECK_EQUAL(dequantize(BlockType::kQ4_1, q4_1)[0], 3.0f);
  CHECK_EQUAL(dequantize(BlockType::kQ4_1, q4_1)[16], -0.5f);
  std::array<uint8_t, 22> q5_0{0x00, 0x3c, 0x01, 0x00, 0x00, 0x80, 0x0e};  // 1.0; columns 0 and 31
  CHECK_EQUAL(dequantize(BlockType::kQ5_0, q5_0)[0], 14.0f);
  CHECK_EQUAL(dequantize(BlockType::kQ5_0, q5_0)[1], -16.0f);
  CHECK_EQUAL(dequantize(BlockType::kQ5_0, q5_0)[31], 0.0f);
  std::array<uint8_t, 24> q5_1{0x00, 0x3c, 0x00, 0x3c, 0x02, 0, 0, 0, 0x00, 0x07};  // 1.0, 1.0
  CHECK_EQUAL(dequantize(BlockType::kQ5_1, q5_1)[1], 24.0f);
  std::array<uint8_t, 144> q4_k{0x00, 0x3c, 0x00, 0x38};  // 1.0, 0.5
  q4_k[4] = 0xc1;                                         // scale 0 is 1; upper bits of scale 4
  q4_k[8] = 0x42;                                         // minimum 0 is 2; upper bits of minimum 4
  q4_k[12] = 0x35;                                        // lower bits of scale and minimum 4
  q4_k[16] = 0x09;
  q4_k[80] = 0x02;
  CHECK_EQUAL(dequantize(BlockType::kQ4_K, q4_k)[0], 9.0f - 1.0f);
  CHECK_EQUAL(dequantize(BlockType::kQ4_K, q4_k)[128], 2 * 53.0f - 0.5f * 19);
  std::array<uint8_t, 136> iq4_xs{0x00, 0x3c, 0x02, 0x00, 0x05};  // 1.0; scale 0 is 0x25 - 32 = 5
  iq4_xs[8] = 0xf0;
  CHECK_EQUAL(dequantize(BlockType::kIQ4_XS, iq4_xs)[0], 5 * -127.0f);
  CHECK_EQUAL(dequantize(BlockType::kIQ4_XS, iq4_xs)[16], 5 * 113.0f);
  CHECK_EQUAL(dequantize(BlockType::kIQ4_XS, iq4_xs)[32], -32 * -127.0f);
  std::array<uint8_t, 17> mxfp4{125, 0xf7, 0x20};  // 2^-2; 6 and -6, then 0 and 1
  CHECK_EQUAL(dequantize(BlockType::kMXFP4, mxfp4)[0], 1.5f);
  CHECK_EQUAL(dequantize(BlockType::kMXFP4, mxfp4)[16], -1.5f);
  CHECK_EQUAL(dequantize(BlockType::kMXFP4, mxfp4)[17], 0.25f);
  CHECK_EQUAL(dequantize(BlockType::kBF16, std::array<uint8_t, 2>{0xc0, 0xbf})[0], -1.5f);
}

TEST("every f16 value survives conversion to float and back") {
  for (int bits = 0; bits < 65536; bits++) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = hearth::kernels::cpu::f16_to_f32(half);
    if ((bits & 0x7c00) == 0x7c00) {
      CHECK_EQUAL(std::isnan(value), (bits & 0x3ff) != 0);
      continue;
    }
    const uint8_t bytes[2] = {static_cast<uint8_t>(bits), static_cast<uint8_t>(bits >> 8)};
    CHECK_EQUAL(value, half_value(bytes));
    CHECK_EQUAL(hearth::kernels::cpu::f32_to_f16(value), half);
  }
}

}  // namespace
