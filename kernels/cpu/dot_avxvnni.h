// The dot products of simd.h on AVX-VNNI: vpdpbusd with 32-byte registers, in most processors of
// laptops and desktops that have no AVX-512.
#pragma once

#include "simd_avx2.h"

namespace hearth::kernels::cpu {
namespace {

template <int kTokens>
[[gnu::always_inline]] inline void dot(I32x16 (&acc)[kTokens], U8x64 w0, const int8_t* x0, U8x64 w1,
                                       const int8_t* x1) {
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) {
    const __m256i columns = broadcast_4(x0 + 4 * c);
    acc[c].a = _mm256_dpbusd_avx_epi32(acc[c].a, w0.a, columns);
    acc[c].b = _mm256_dpbusd_avx_epi32(acc[c].b, w0.b, columns);
  }
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) {
    const __m256i columns = broadcast_4(x1 + 4 * c);
    acc[c].a = _mm256_dpbusd_avx_epi32(acc[c].a, w1.a, columns);
    acc[c].b = _mm256_dpbusd_avx_epi32(acc[c].b, w1.b, columns);
  }
}
inline constexpr int kDot8Offset = 128;
template <int kTokens>
[[gnu::always_inline]] inline void dot8(I32x16 (&acc)[kTokens], U8x64 w0, const int8_t* x0,
                                        U8x64 w1, const int8_t* x1) {
  dot(acc, w0, x0, w1, x1);
}

/// A sum that int16 holds is scaled and added in one instruction: 16 columns of up to 4 bits (16 *
/// 15 * 127 = 30480), 8 of 5 (8 * 31 * 127 = 31496). Wider weights take a full multiplication.
constexpr bool sums_fit_int16(int bits) { return bits <= 5; }

template <int kBits>
inline __m256i add_scaled(__m256i acc, __m256i sum, __m256i scale) {
  if constexpr (sums_fit_int16(kBits)) return _mm256_dpwssd_avx_epi32(acc, sum, scale);
  return _mm256_add_epi32(acc, _mm256_mullo_epi32(sum, scale));
}
template <int kBits, int kTokens>
[[gnu::always_inline]] inline void scaled_dot(I32x16 (&acc)[kTokens], const U8x64 (&w)[4],
                                              const int8_t* x, int step_bytes, I32x16 scale) {
  if constexpr (sums_fit_int16(kBits)) scale = scale & broadcast(int32_t{0xffff});
  constexpr int kSteps = kBits == 5 ? 2 : 4;
#pragma GCC unroll 2
  for (int first = 0; first < 4; first += kSteps) {
#pragma GCC unroll 12
    for (int c = 0; c < kTokens; c++) {
      I32x16 sum = {_mm256_setzero_si256(), _mm256_setzero_si256()};
#pragma GCC unroll 4
      for (int step = first; step < first + kSteps; step++) {
        const __m256i columns = broadcast_4(x + step * step_bytes + 4 * c);
        sum.a = _mm256_dpbusd_avx_epi32(sum.a, w[step].a, columns);
        sum.b = _mm256_dpbusd_avx_epi32(sum.b, w[step].b, columns);
      }
      acc[c] = {add_scaled<kBits>(acc[c].a, sum.a, scale.a),
                add_scaled<kBits>(acc[c].b, sum.b, scale.b)};
    }
  }
}

}  // namespace
}  // namespace hearth::kernels::cpu
