// The vocabulary of the AMX variant: that of AVX-512 VNNI, the tile registers (amx_tiles.h), and
// the products of weight and scale that panels_amx.inl stores as two planes of bytes.
#pragma once

#include "simd_avx512.h"
#ifdef HEARTH_EMULATED_AMX  // by tests, for processors without it
#include HEARTH_EMULATED_AMX
#else
#include "amx_tiles.h"
#endif

namespace hearth::kernels::cpu {
namespace {

// --- products of weight and scale, as two bytes ---

struct ProductBytes {
  U8x64 high, low;
};

/// The first or second scale of each pair, in both halves of its lane.
inline I32x16 twice_first(I32x16 pairs) {
  return (pairs & broadcast(int32_t{0xffff})) + shift_left<16>(pairs);
}
inline I32x16 twice_second(I32x16 pairs) { return twice_first(shift_right<16>(pairs)); }

/// scale * w = 8 * high + low with unsigned bytes high and low, for scales below 64 and codes of up
/// to five bits: high = w * (scale / 8) and low = w * (scale % 8) are at most 31 * 7. So one 16-bit
/// multiplication does two of bytes: no byte carries into the next.
inline ProductBytes small_product(U8x64 w, I32x16 scale) {
  const I32x16 three_bits = broadcast(int32_t{0x00070007});
  const I32x16 high = shift_right<3>(scale) & three_bits, low = scale & three_bits;
  return {{_mm512_mullo_epi16(w.v, high.v)}, {_mm512_mullo_epi16(w.v, low.v)}};
}
inline I32x16 joined_small(I32x16 high, I32x16 low) { return shift_left<3>(high) + low; }

/// 4 * scale * (w - offset) = 256 * high + low, with high signed and low unsigned. The product has
/// 14 bits (Q6_K: 128 * 32, IQ4_XS: 32 * 127), so that four times it fits 16.
inline ProductBytes product_of(U8x64 w, int offset, I32x16 scale) {
  const __m512i factor = _mm512_slli_epi16(scale.v, 2);
  const __m512i base = _mm512_mullo_epi16(factor, _mm512_set1_epi16(static_cast<short>(offset)));
  const __m512i low_byte = _mm512_set1_epi16(0xff);
  const __m512i even = _mm512_and_si512(w.v, low_byte), odd = _mm512_srli_epi16(w.v, 8);
  const __m512i first = _mm512_sub_epi16(_mm512_mullo_epi16(even, factor), base);
  const __m512i second = _mm512_sub_epi16(_mm512_mullo_epi16(odd, factor), base);
  constexpr int kChoose = 0xca;  // bits of the second operand where the first has ones, else third
  return {{_mm512_ternarylogic_epi32(low_byte, _mm512_srli_epi16(first, 8), second, kChoose)},
          {_mm512_ternarylogic_epi32(low_byte, first, _mm512_slli_epi16(second, 8), kChoose)}};
}
inline I32x16 joined(I32x16 high, I32x16 low) { return shift_right<2>(shift_left<8>(high) + low); }

}  // namespace
}  // namespace hearth::kernels::cpu
