// The dot products of simd.h on plain AVX2. maddubs multiplies unsigned by signed bytes and adds
// pairs of products in int16. As many steps as int16 can hold are added up there (most_steps), then
// madd multiplies by the scale and widens to int32.
#pragma once

#include <utility>

#include "simd_avx2.h"

namespace hearth::kernels::cpu {
namespace {

/// Steps whose products an int16 can add up, by the bits of a code:
///   4 bits, 8 steps   16 * 15 * 127 = 30480      6 bits, 2 steps    4 * 63 * 127 = 32004
///   5 bits, 4 steps    8 * 31 * 127 = 31496      8 bits, signed, 1  2 * 128 * 127 = 32512
constexpr int most_steps(int bits) { return bits <= 4 ? 8 : bits == 5 ? 4 : bits == 6 ? 2 : 1; }

/// Adds one step's pairs of products to those of the steps before it, unless it is the first.
template <bool kIsFirst, int kTokens>
[[gnu::always_inline]] inline void add_products(I32x16 (&pairs)[kTokens], U8x64 w,
                                                const int8_t* x) {
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) {
    const __m256i columns = broadcast_4(x + 4 * c);
    const I32x16 products = {_mm256_maddubs_epi16(w.a, columns),
                             _mm256_maddubs_epi16(w.b, columns)};
    if constexpr (kIsFirst) {
      pairs[c] = products;
    } else {
      pairs[c] = {now(_mm256_add_epi16(pairs[c].a, products.a)),
                  now(_mm256_add_epi16(pairs[c].b, products.b))};
    }
  }
}
inline __m256i add_scaled(__m256i acc, __m256i pairs, __m256i scale) {
  return now(_mm256_add_epi32(acc, _mm256_madd_epi16(pairs, scale)));
}

struct Bytes4 {
  int8_t bytes[4];
};
/// In assembly, so that GCC loads again instead of keeping the earlier load in a register.
inline __m256i broadcast_again(const int8_t* x) {
  __m256i columns;
  asm volatile("vpbroadcastd %1, %0" : "=x"(columns) : "m"(*reinterpret_cast<const Bytes4*>(x)));
  return columns;
}
/// acc += scale * (w * x) over one or two steps, where an int16 can hold no more. The two halves of
/// the rows are done one after the other: the 8 accumulators leave no registers for both halves'
/// weights.
template <int kSteps, int kTokens>
[[gnu::always_inline]] inline void add_by_halves(I32x16 (&acc)[kTokens], const U8x64 (&w)[kSteps],
                                                 const int8_t* x, int step_bytes, I32x16 scale) {
  const auto products = [&](auto half_of, int c) __attribute__((always_inline)) {
    const __m256i first = half_of(w[0]), columns = broadcast_again(x + 4 * c);
    if constexpr (kSteps == 1) {
      // Unsigned eight bits would saturate maddubs: |w| * (x with the sign of w) does not.
      return _mm256_maddubs_epi16(_mm256_abs_epi8(first), _mm256_sign_epi8(columns, first));
    } else {
      const __m256i next = broadcast_again(x + step_bytes + 4 * c);
      return _mm256_add_epi16(_mm256_maddubs_epi16(first, columns),
                              _mm256_maddubs_epi16(half_of(w[1]), next));
    }
  };
  const auto a = [](U8x64 v) { return v.a; };
  const auto b = [](U8x64 v) { return v.b; };
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++)
    acc[c] = {add_scaled(acc[c].a, products(a, c), scale.a), acc[c].b};
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++)
    acc[c] = {acc[c].a, add_scaled(acc[c].b, products(b, c), scale.b)};
}

/// acc += scale * (w * x); scale is in both int16 halves of each lane.
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void add_steps(I32x16 (&acc)[kTokens], const Weights& weights,
                                             const int8_t* x, int step_bytes, I32x16 scale) {
  constexpr int kNow = kSteps < most_steps(kBits) ? kSteps : most_steps(kBits);
  const int8_t* first = x + kFirst * step_bytes;
  if constexpr (kNow == 1) {
    add_by_halves<1>(acc, {weights.template step<kFirst>()}, first, step_bytes, scale);
  } else if constexpr (kNow == 2) {
    add_by_halves<2>(acc, {weights.template step<kFirst>(), weights.template step<kFirst + 1>()},
                     first, step_bytes, scale);
  } else {
    I32x16 pairs[kTokens];
    [&]<int... kStep>(std::integer_sequence<int, kStep...>) __attribute__((always_inline)) {
      (add_products<kStep == 0>(pairs, weights.template step<kFirst + kStep>(),
                                first + kStep * step_bytes),
       ...);
    }
    (std::make_integer_sequence<int, kNow>());
#pragma GCC unroll 12
    for (int c = 0; c < kTokens; c++) {
      acc[c] = {add_scaled(acc[c].a, pairs[c].a, scale.a),
                add_scaled(acc[c].b, pairs[c].b, scale.b)};
    }
  }
  if constexpr (kNow < kSteps)
    add_steps<kBits, kFirst + kNow, kSteps - kNow>(acc, weights, x, step_bytes, scale);
}

inline constexpr int kDot8Offset = 0;
inline U8x64 prepared(U8x64 w) {
  const __m256i offset = _mm256_set1_epi8(-128);
  return {_mm256_xor_si256(w.a, offset), _mm256_xor_si256(w.b, offset)};
}
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                       const int8_t* x, int step_bytes) {
  const __m256i ones = _mm256_set1_epi16(1);
  add_steps<kBits, kFirst, kSteps>(acc, weights, x, step_bytes, {ones, ones});
}

/// The first or second of each pair, in both halves of its lane.
template <int kPlace>
inline I32x16 one_of_pair(I32x16 pairs) {
  constexpr int64_t kNext = 0x0202020202020202;
  constexpr int64_t kLow = 0x0504050401000100 + kPlace * kNext, kHigh = kLow + 4 * kNext;
  const __m256i order = _mm256_setr_epi64x(kLow, kHigh, kLow, kHigh);
  return {_mm256_shuffle_epi8(pairs.a, order), _mm256_shuffle_epi8(pairs.b, order)};
}
inline I32x16 first_of_pair(I32x16 pairs) { return one_of_pair<0>(pairs); }
inline I32x16 second_of_pair(I32x16 pairs) { return one_of_pair<1>(pairs); }
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void scaled_dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                              const int8_t* x, int step_bytes, I32x16 scale) {
  add_steps<kBits, kFirst, kSteps>(acc, weights, x, step_bytes, scale);
}

}  // namespace
}  // namespace hearth::kernels::cpu
