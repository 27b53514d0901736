// The dot products of simd.h on plain AVX2: maddubs makes int16 pairs, madd sums them to int32.
#pragma once

#include "simd_avx2.h"

namespace hearth::kernels::cpu {
namespace {

/// Keeps GCC from putting off the additions of a group until all its products are made, which then
/// spill to the stack.
inline __m256i added_now(__m256i acc, __m256i products) {
  acc = _mm256_add_epi32(acc, products);
  asm("" : "+x"(acc));
  return acc;
}
/// Weights of at most 6 bits: two products of maddubs sum to 4 * 63 * 127 = 32004, which int16
/// holds.
inline __m256i dot_half(__m256i acc, __m256i w0, __m256i x0, __m256i w1, __m256i x1) {
  const __m256i pairs =
      _mm256_add_epi16(_mm256_maddubs_epi16(w0, x0), _mm256_maddubs_epi16(w1, x1));
  return added_now(acc, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
template <int kTokens>
[[gnu::always_inline]] inline void dot(I32x16 (&acc)[kTokens], U8x64 w0, const int8_t* x0, U8x64 w1,
                                       const int8_t* x1) {
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) {
    const __m256i columns0 = broadcast_4(x0 + 4 * c), columns1 = broadcast_4(x1 + 4 * c);
    acc[c] = {dot_half(acc[c].a, w0.a, columns0, w1.a, columns1),
              dot_half(acc[c].b, w0.b, columns0, w1.b, columns1)};
  }
}
/// Eight bits would saturate maddubs: |w - 128| * (x with the sign of w - 128) is at most 128 *
/// 127.
inline __m256i dot8_half(__m256i acc, __m256i w, __m256i x) {
  const __m256i centred = _mm256_xor_si256(w, _mm256_set1_epi8(-128));
  const __m256i pairs =
      _mm256_maddubs_epi16(_mm256_abs_epi8(centred), _mm256_sign_epi8(x, centred));
  return added_now(acc, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
inline constexpr int kDot8Offset = 0;
template <int kTokens>
[[gnu::always_inline]] inline void dot8(I32x16 (&acc)[kTokens], U8x64 w0, const int8_t* x0,
                                        U8x64 w1, const int8_t* x1) {
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) {
    const __m256i columns0 = broadcast_4(x0 + 4 * c), columns1 = broadcast_4(x1 + 4 * c);
    acc[c] = {dot8_half(dot8_half(acc[c].a, w0.a, columns0), w1.a, columns1),
              dot8_half(dot8_half(acc[c].b, w0.b, columns0), w1.b, columns1)};
  }
}

/// The scale takes the place of madd's ones, twice in each lane.
inline __m256i twice(__m256i scale) {
  constexpr int64_t kLow = 0x0504050401000100, kHigh = 0x0d0c0d0c09080908;
  return _mm256_shuffle_epi8(scale, _mm256_setr_epi64x(kLow, kHigh, kLow, kHigh));
}
/// As many products of maddubs as int16 holds are added before they are scaled: 8 * 31 * 127 =
/// 31496, 4 * 63 * 127 = 32004, and for eight bits 2 * 128 * 127 = 32512.
template <int kBits>
[[gnu::always_inline]] inline __m256i scaled_dot_half(__m256i acc, const __m256i (&w)[4],
                                                      const __m256i (&x)[4], __m256i scale) {
  constexpr int kSteps = kBits == 8 ? 1 : kBits == 6 ? 2 : 4;
#pragma GCC unroll 4
  for (int first = 0; first < 4; first += kSteps) {
    __m256i pairs = _mm256_setzero_si256();
#pragma GCC unroll 4
    for (int step = first; step < first + kSteps; step++) {
      const __m256i centred = _mm256_xor_si256(w[step], _mm256_set1_epi8(-128));
      const __m256i products = kBits == 8 ? _mm256_maddubs_epi16(_mm256_abs_epi8(centred),
                                                                 _mm256_sign_epi8(x[step], centred))
                                          : _mm256_maddubs_epi16(w[step], x[step]);
      pairs = step == first ? products : _mm256_add_epi16(pairs, products);
    }
    acc = added_now(acc, _mm256_madd_epi16(pairs, scale));
  }
  return acc;
}
template <int kBits, int kTokens>
[[gnu::always_inline]] inline void scaled_dot(I32x16 (&acc)[kTokens], const U8x64 (&w)[4],
                                              const int8_t* x, int step_bytes, I32x16 scale) {
  const __m256i scale_a = twice(scale.a), scale_b = twice(scale.b);
  const __m256i wa[4] = {w[0].a, w[1].a, w[2].a, w[3].a};
  const __m256i wb[4] = {w[0].b, w[1].b, w[2].b, w[3].b};
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++, x += 4) {
    const __m256i columns[4] = {broadcast_4(x), broadcast_4(x + step_bytes),
                                broadcast_4(x + 2 * step_bytes), broadcast_4(x + 3 * step_bytes)};
    acc[c] = {scaled_dot_half<kBits>(acc[c].a, wa, columns, scale_a),
              scaled_dot_half<kBits>(acc[c].b, wb, columns, scale_b)};
  }
}

}  // namespace
}  // namespace hearth::kernels::cpu
