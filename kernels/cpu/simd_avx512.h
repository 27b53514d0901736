// The SIMD vocabulary on AVX-512 VNNI: 16 floats, 16 int32 or 64 bytes are one register.
// The same names exist in simd_avx2.h, simd_neon.h and simd_scalar.h; simd.h says what they mean.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace hearth::kernels::cpu {
namespace {

struct F32x16 {
  __m512 v;
};
struct I32x16 {
  __m512i v;
};
struct U8x64 {
  __m512i v;
};
struct Mask16 {
  __mmask16 v;
};

// --- 16 floats ---

inline F32x16 load(const float* p) { return {_mm512_loadu_ps(p)}; }
inline void store(float* p, F32x16 a) { _mm512_storeu_ps(p, a.v); }
inline F32x16 broadcast(float x) { return {_mm512_set1_ps(x)}; }
inline F32x16 operator+(F32x16 a, F32x16 b) { return {_mm512_add_ps(a.v, b.v)}; }
inline F32x16 operator-(F32x16 a, F32x16 b) { return {_mm512_sub_ps(a.v, b.v)}; }
inline F32x16 operator*(F32x16 a, F32x16 b) { return {_mm512_mul_ps(a.v, b.v)}; }
inline F32x16 operator/(F32x16 a, F32x16 b) { return {_mm512_div_ps(a.v, b.v)}; }
inline F32x16 fma(F32x16 a, F32x16 b, F32x16 c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
inline F32x16 fnma(F32x16 a, F32x16 b, F32x16 c) { return {_mm512_fnmadd_ps(a.v, b.v, c.v)}; }
inline F32x16 max(F32x16 a, F32x16 b) { return {_mm512_max_ps(a.v, b.v)}; }
inline F32x16 min(F32x16 a, F32x16 b) { return {_mm512_min_ps(a.v, b.v)}; }
inline F32x16 abs(F32x16 a) { return {_mm512_abs_ps(a.v)}; }

inline Mask16 first_lanes(int n) { return {static_cast<__mmask16>((1u << n) - 1)}; }
inline F32x16 select(Mask16 m, F32x16 yes, F32x16 no) {
  return {_mm512_mask_blend_ps(m.v, no.v, yes.v)};
}
inline F32x16 load_first(const float* p, int n) {
  return {_mm512_maskz_loadu_ps(first_lanes(n).v, p)};
}
inline void store_first(float* p, F32x16 a, int n) {
  _mm512_mask_storeu_ps(p, first_lanes(n).v, a.v);
}

inline F32x16 load_f16(const void* p) {
  return {_mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(p)))};
}
inline F32x16 load_bf16(const void* p) {
  const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(static_cast<const __m256i*>(p)));
  return {_mm512_castsi512_ps(_mm512_slli_epi32(wide, 16))};
}
inline void store_f16(void* p, F32x16 a) {
  _mm256_storeu_si256(static_cast<__m256i*>(p),
                      _mm512_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

// --- 16 int32 ---

inline I32x16 load(const int32_t* p) { return {_mm512_loadu_si512(p)}; }
inline void store(int32_t* p, I32x16 a) { _mm512_storeu_si512(p, a.v); }
inline I32x16 broadcast(int32_t x) { return {_mm512_set1_epi32(x)}; }
inline I32x16 load_i8(const void* p) {
  return {_mm512_cvtepi8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p)))};
}
inline I32x16 operator+(I32x16 a, I32x16 b) { return {_mm512_add_epi32(a.v, b.v)}; }
inline I32x16 operator-(I32x16 a, I32x16 b) { return {_mm512_sub_epi32(a.v, b.v)}; }
inline I32x16 operator*(I32x16 a, I32x16 b) { return {_mm512_mullo_epi32(a.v, b.v)}; }
inline I32x16 operator&(I32x16 a, I32x16 b) { return {_mm512_and_si512(a.v, b.v)}; }
inline I32x16 max(I32x16 a, I32x16 b) { return {_mm512_max_epi32(a.v, b.v)}; }
template <int kBits>
inline I32x16 shift_left(I32x16 a) {
  return {_mm512_slli_epi32(a.v, kBits)};
}
template <int kBits>
inline I32x16 shift_right(I32x16 a) {
  return {_mm512_srai_epi32(a.v, kBits)};
}
inline F32x16 to_float(I32x16 a) { return {_mm512_cvtepi32_ps(a.v)}; }
inline F32x16 bits_as_float(I32x16 a) { return {_mm512_castsi512_ps(a.v)}; }
inline I32x16 bits_as_int(F32x16 a) { return {_mm512_castps_si512(a.v)}; }
inline void store_i8(int8_t* p, I32x16 a) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(a.v));
}

// --- reductions, always in the same tree: halves, quarters, ... ---

inline float reduce_add(F32x16 a) {
  const __m256 h = _mm256_add_ps(_mm512_castps512_ps256(a.v), _mm512_extractf32x8_ps(a.v, 1));
  const __m128 q = _mm_add_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
  const __m128 d = _mm_add_ps(q, _mm_movehl_ps(q, q));
  return _mm_cvtss_f32(_mm_add_ss(d, _mm_movehdup_ps(d)));
}
inline float reduce_max(F32x16 a) { return _mm512_reduce_max_ps(a.v); }
inline int32_t reduce_max(I32x16 a) { return _mm512_reduce_max_epi32(a.v); }
// Sums of a token that is not finite wrap around, which _mm512_reduce_add_epi32 leaves undefined.
inline int32_t reduce_add(I32x16 a) {
  const __m256i h =
      _mm256_add_epi32(_mm512_castsi512_si256(a.v), _mm512_extracti64x4_epi64(a.v, 1));
  const __m128i q = _mm_add_epi32(_mm256_castsi256_si128(h), _mm256_extracti128_si256(h, 1));
  const __m128i d = _mm_add_epi32(q, _mm_shuffle_epi32(q, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(d, _mm_shuffle_epi32(d, 0xb1)));
}

// --- 64 weights: 16 rows x 4 columns ---

inline U8x64 load_u8(const void* p) { return {_mm512_loadu_si512(p)}; }
inline void store(uint8_t* p, U8x64 a) { _mm512_storeu_si512(p, a.v); }
/// (a >> kBits) & mask, or for negative kBits (a << -kBits) & mask, per byte.
template <int kBits>
inline U8x64 shift_right_and(U8x64 a, uint8_t mask) {
  const __m512i m = _mm512_set1_epi8(static_cast<char>(mask));
  if constexpr (kBits < 0) return {_mm512_and_si512(_mm512_slli_epi16(a.v, -kBits), m)};
  if constexpr (kBits > 0) return {_mm512_and_si512(_mm512_srli_epi16(a.v, kBits), m)};
  return {_mm512_and_si512(a.v, m)};
}
inline U8x64 operator|(U8x64 a, U8x64 b) { return {_mm512_or_si512(a.v, b.v)}; }
/// table[a] for 4-bit a.
inline U8x64 look_up(const uint8_t* table, U8x64 a) {
  const __m128i t = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
  return {_mm512_shuffle_epi8(_mm512_broadcast_i32x4(t), a.v)};
}

struct Bytes4 {
  int8_t bytes[4];
};
/// In assembly, since GCC 12 does not use vpdpbusd's broadcasting memory operand: it would load
/// each activation by an instruction of its own, a third of the inner loop.
inline __m512i dot_step(__m512i acc, __m512i w, const int8_t* x) {
  const Bytes4* columns = reinterpret_cast<const Bytes4*>(x);
  asm("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(acc) : "v"(w), "m"(*columns));
  return acc;
}
/// The outer loop is over steps, the inner one over tokens: the independent sums between two
/// additions to the same one hide their latency, even with the small scheduler that is left to each
/// of two threads on a core.
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                       const int8_t* x, int step_bytes) {
  const auto add_step = [&]<int kStep>() __attribute__((always_inline)) {
    const U8x64 w = weights.template step<kStep>();
#pragma GCC unroll 12
    for (int c = 0; c < kTokens; c++)
      acc[c].v = dot_step(acc[c].v, w.v, x + kStep * step_bytes + 4 * c);
  };
  [&]<int... kStep>(std::integer_sequence<int, kStep...>) __attribute__((always_inline)) {
    (add_step.template operator()<kFirst + kStep>(), ...);
  }
  (std::make_integer_sequence<int, kSteps>());
}
inline constexpr int kDot8Offset = 128;
inline U8x64 prepared(U8x64 w) { return w; }
inline I32x16 load_i8_pairs(const void* p) {
  return {_mm512_cvtepi8_epi16(_mm256_loadu_si256(static_cast<const __m256i*>(p)))};
}
inline I32x16 first_of_pair(I32x16 pairs) { return shift_right<16>(shift_left<16>(pairs)); }
inline I32x16 second_of_pair(I32x16 pairs) { return shift_right<16>(pairs); }
struct Int16Pair {
  int16_t values[2];
};
template <int kTokens>
[[gnu::always_inline]] inline void dot_pairs(I32x16 (&acc)[kTokens], I32x16 pairs,
                                             const int16_t* x) {
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) {
    const Int16Pair* pair = reinterpret_cast<const Int16Pair*>(x + 2 * c);
    asm("vpdpwssd %2%{1to16%}, %1, %0" : "+v"(acc[c].v) : "v"(pairs.v), "m"(*pair));
  }
}
/// One 32-bit multiplication by the scale for all columns that share it. That is as fast as
/// vpdpwssd, which could sum only 16 columns of at most 4 bits in its int16.
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void scaled_dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                              const int8_t* x, int step_bytes, I32x16 scale) {
  I32x16 sum[kTokens];
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) sum[c] = broadcast(int32_t{0});
  dot<kBits, kFirst, kSteps>(sum, weights, x, step_bytes);
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) acc[c] = acc[c] + sum[c] * scale;
}

// --- for panels of signed weights (panels_avx512.inl, panels_amx.inl) ---

/// Unsigned codes to signed weights.
inline U8x64 minus(U8x64 w, int offset) {
  return {_mm512_sub_epi8(w.v, _mm512_set1_epi8(static_cast<char>(offset)))};
}
/// acc + the sum of each row's four signed weights.
inline I32x16 add_columns(I32x16 acc, U8x64 w) {
  return {_mm512_dpbusd_epi32(acc.v, _mm512_set1_epi8(1), w.v)};
}
/// Four bytes in every lane: a token's columns of a step, or its pair of sums.
inline I32x16 broadcast_4(const void* p) {
  int32_t bytes;
  std::memcpy(&bytes, p, sizeof bytes);
  return broadcast(bytes);
}
/// acc + unsigned columns * signed weights.
inline I32x16 add_products(I32x16 acc, I32x16 columns, U8x64 w) {
  return {_mm512_dpbusd_epi32(acc.v, columns.v, w.v)};
}
inline I32x16 add_pair_products(I32x16 acc, I32x16 a, I32x16 b) {
  return {_mm512_dpwssd_epi32(acc.v, a.v, b.v)};
}

/// 12 int32 and 12 float accumulators, of 32 registers.
inline constexpr int kMaxTokens = 12;

}  // namespace
}  // namespace hearth::kernels::cpu
