// The SIMD layer of the AMX variant: the layer of AVX-512 VNNI, the tile registers (amx_tiles.h),
// and the products of weights and scales that panels_amx.inl stores as two planes of bytes.
#pragma once

#include "simd_avx512.h"
#ifdef HEARTH_EMULATED_AMX  // set by tests for processors without AMX
#include HEARTH_EMULATED_AMX
#else
#include "amx_tiles.h"
#endif

namespace hearth::kernels::cpu {
namespace {

// --- products of a weight and a scale, as two bytes ---

struct ProductBytes {
  U8x64 high, low;
};

/// In each lane, the first (or second) scale of the pair, copied to both halves.
inline I32x16 twice_first(I32x16 pairs) {
  return (pairs & broadcast(int32_t{0xffff})) + shift_left<16>(pairs);
}
inline I32x16 twice_second(I32x16 pairs) { return twice_first(shift_right<16>(pairs)); }

/// Splits scale * w into 8 * high + low, where high and low are unsigned bytes. The scale must be
/// below 64, and the code w at most 31. high = w * (scale / 8) and low = w * (scale % 8) are at
/// most 31 * 7, so no byte carries into the next, and one 16-bit multiplication multiplies two
/// bytes.
inline ProductBytes small_product(U8x64 w, I32x16 scale) {
  const Words codes = as<Words>(w.v[0]), factor = as<Words>(scale.v[0]);
  return {{as<Bytes>(codes * (factor >> 3))}, {as<Bytes>(codes * (factor & 7))}};
}
inline I32x16 joined_small(I32x16 high, I32x16 low) { return shift_left<3>(high) + low; }

/// In each word of 16 bits, the low byte of a and the high byte of b.
inline Bytes low_or_high(Words a, Words b) {
  constexpr int kChoose = 0xca;  // bits of a where low_byte has ones, bits of b elsewhere
  const __m512i low_byte = _mm512_set1_epi16(0xff);
  return as<Bytes>(_mm512_ternarylogic_epi32(low_byte, bits(a), bits(b), kChoose));
}
/// Splits 4 * scale * (w - offset) into 256 * high + low, where high is signed and low is unsigned.
/// scale * (w - offset) has 14 bits (Q6_K: 128 * 32, IQ4_XS: 32 * 127), so four times the product
/// fits 16 bits.
inline ProductBytes product_of(U8x64 w, int offset, I32x16 scale) {
  const Words codes = as<Words>(w.v[0]), factor = as<Words>(scale.v[0]) << 2;
  const Words base = factor * static_cast<uint16_t>(offset);
  const Words first = (codes & 0xff) * factor - base, second = (codes >> 8) * factor - base;
  return {{low_or_high(first >> 8, second)}, {low_or_high(first, second << 8)}};
}
inline I32x16 joined(I32x16 high, I32x16 low) { return shift_right<2>(shift_left<8>(high) + low); }

}  // namespace
}  // namespace hearth::kernels::cpu
