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

}  // namespace
}  // namespace hearth::kernels::cpu
