// The dot products of simd.h on AVX-VNNI: vpdpbusd on 32-byte registers, which most recent laptop
// and desktop processors without AVX-512 have.
#pragma once

#include <utility>

#include "simd_avx2.h"

namespace hearth::kernels::cpu {
namespace {

template <int kTokens>
[[gnu::always_inline]] inline void dot_step(I32x16 (&acc)[kTokens], U8x64 w, const int8_t* x) {
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) {
    const __m256i columns = broadcast_4(x + 4 * c);
    acc[c] = {_mm256_dpbusd_avx_epi32(acc[c].a, w.a, columns),
              _mm256_dpbusd_avx_epi32(acc[c].b, w.b, columns)};
  }
}
inline constexpr int kDot8Offset = 128;
inline U8x64 prepared(U8x64 w) { return w; }
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                       const int8_t* x, int step_bytes) {
  [&]<int... kStep>(std::integer_sequence<int, kStep...>) __attribute__((always_inline)) {
    (dot_step(acc, weights.template step<kFirst + kStep>(), x + (kFirst + kStep) * step_bytes),
     ...);
  }
  (std::make_integer_sequence<int, kSteps>());
}

inline I32x16 first_of_pair(I32x16 pairs) { return shift_right<16>(shift_left<16>(pairs)); }
inline I32x16 second_of_pair(I32x16 pairs) { return shift_right<16>(pairs); }
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void scaled_dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                              const int8_t* x, int step_bytes, I32x16 scale) {
  I32x16 sum[kTokens];
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) sum[c] = broadcast(int32_t{0});
  dot<kBits, kFirst, kSteps>(sum, weights, x, step_bytes);
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) {
    acc[c] = acc[c] +
             I32x16{_mm256_mullo_epi32(sum[c].a, scale.a), _mm256_mullo_epi32(sum[c].b, scale.b)};
  }
}

}  // namespace
}  // namespace hearth::kernels::cpu
