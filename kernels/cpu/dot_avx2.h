// The dot products of simd.h on plain AVX2. maddubs multiplies unsigned by signed bytes and adds
// pairs of products in int16. max_steps() steps can be added up in int16 without overflow; then
// madd multiplies the sums by the scale and widens them to int32.
#pragma once

#include "simd_avx2.h"

namespace hearth::kernels::cpu {
namespace {

/// The number of steps whose products an int16 can add up, by bits of a code:
///   4 bits, 8 steps   16 * 15 * 127 = 30480      6 bits, 2 steps    4 * 63 * 127 = 32004
///   5 bits, 4 steps    8 * 31 * 127 = 31496      8 bits, signed, 1  2 * 128 * 127 = 32512
constexpr int max_steps(int bits) { return bits <= 4 ? 8 : bits == 5 ? 4 : bits == 6 ? 2 : 1; }

/// In each lane, the four products of w with the columns at x, added up to a pair of int16.
inline I32x16 pair_products(U8x64 w, const int8_t* x) {
  const __m256i columns = bits(broadcast_4_part(x));
  return each<Unsigned>([&](int i) { return _mm256_maddubs_epi16(bits(w.v[i]), columns); });
}
inline I32x16 add_pairs(I32x16 a, I32x16 b) {
  return each<Unsigned>([&](int i) { return now(_mm256_add_epi16(bits(a.v[i]), bits(b.v[i]))); });
}
/// acc + scale * the sum of each pair.
inline Unsigned add_scaled(Unsigned acc, __m256i pairs, Unsigned scale) {
  return now(_mm256_add_epi32(bits(acc), _mm256_madd_epi16(pairs, bits(scale))));
}
inline I32x16 add_scaled(I32x16 acc, I32x16 pairs, I32x16 scale) {
  return each<Unsigned>([&](int i) { return add_scaled(acc.v[i], bits(pairs.v[i]), scale.v[i]); });
}

/// Broadcasts the four bytes at x. It is in assembly so that GCC loads them again instead of
/// keeping an earlier load in a register.
inline __m256i broadcast_again(const int8_t* x) {
  __m256i columns;
  asm volatile("vpbroadcastd %1, %0" : "=x"(columns) : "m"(four_bytes(x)));
  return columns;
}
/// acc += scale * (w * x) over one or two steps, for wide codes: more steps might overflow an
/// int16. The two halves of the rows are computed one after the other, since the 8 accumulators
/// leave no registers for both halves' weights.
template <int kSteps, int kTokens>
[[gnu::always_inline]] inline void add_by_halves(I32x16 (&acc)[kTokens], const U8x64 (&w)[kSteps],
                                                 const int8_t* x, int step_bytes, I32x16 scale) {
  HEARTH_UNROLL
  for (int i = 0; i < kParts; i++) {
    const __m256i first = bits(w[0].v[i]);
    HEARTH_UNROLL
    for (int c = 0; c < kTokens; c++) {
      const __m256i columns = broadcast_again(x + 4 * c);
      __m256i products;
      if constexpr (kSteps == 1) {
        // With unsigned 8-bit codes, maddubs would saturate. |w| * (x with the sign of w) does not.
        products = _mm256_maddubs_epi16(_mm256_abs_epi8(first), _mm256_sign_epi8(columns, first));
      } else {
        const __m256i next = broadcast_again(x + step_bytes + 4 * c);
        products = _mm256_add_epi16(_mm256_maddubs_epi16(first, columns),
                                    _mm256_maddubs_epi16(bits(w[1].v[i]), next));
      }
      acc[c].v[i] = add_scaled(acc[c].v[i], products, scale.v[i]);
    }
  }
}

/// acc += scale * (w * x); scale is in both int16 halves of each lane.
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void add_steps(I32x16 (&acc)[kTokens], const Weights& weights,
                                             const int8_t* x, int step_bytes, I32x16 scale) {
  constexpr int kNow = kSteps < max_steps(kBits) ? kSteps : max_steps(kBits);
  const int8_t* first = x + kFirst * step_bytes;
  if constexpr (kNow == 1) {
    add_by_halves<1>(acc, {weights.template step<kFirst>()}, first, step_bytes, scale);
  } else if constexpr (kNow == 2) {
    add_by_halves<2>(acc, {weights.template step<kFirst>(), weights.template step<kFirst + 1>()},
                     first, step_bytes, scale);
  } else {
    I32x16 pairs[kTokens];
    for_constants<kNow>([&]<int kStep>() __attribute__((always_inline)) {
      const U8x64 w = weights.template step<kFirst + kStep>();
      const int8_t* columns = first + kStep * step_bytes;
      HEARTH_UNROLL
      for (int c = 0; c < kTokens; c++) {
        const I32x16 products = pair_products(w, columns + 4 * c);
        pairs[c] = kStep == 0 ? products : add_pairs(pairs[c], products);
      }
    });
    HEARTH_UNROLL
    for (int c = 0; c < kTokens; c++) acc[c] = add_scaled(acc[c], pairs[c], scale);
  }
  if constexpr (kNow < kSteps)
    add_steps<kBits, kFirst + kNow, kSteps - kNow>(acc, weights, x, step_bytes, scale);
}

inline constexpr int kDot8Offset = 0;
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                       const int8_t* x, int step_bytes) {
  add_steps<kBits, kFirst, kSteps>(acc, weights, x, step_bytes, broadcast(int32_t{0x00010001}));
}
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void scaled_dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                              const int8_t* x, int step_bytes, I32x16 scale) {
  add_steps<kBits, kFirst, kSteps>(acc, weights, x, step_bytes, scale);
}

/// The first or second int16 of each pair, copied to both halves of its lane.
template <int kPlace>
inline I32x16 one_of_pair(I32x16 pairs) {
  constexpr int64_t kNext = 0x0202020202020202;
  constexpr int64_t kLow = 0x0504050401000100 + kPlace * kNext, kHigh = kLow + 4 * kNext;
  const __m256i order = _mm256_setr_epi64x(kLow, kHigh, kLow, kHigh);
  return each<Unsigned>([&](int i) { return _mm256_shuffle_epi8(bits(pairs.v[i]), order); });
}
inline I32x16 first_of_pair(I32x16 pairs) { return one_of_pair<0>(pairs); }
inline I32x16 second_of_pair(I32x16 pairs) { return one_of_pair<1>(pairs); }

}  // namespace
}  // namespace hearth::kernels::cpu
