// The SIMD vocabulary (simd.h says what the names mean) on AVX2, FMA and F16C: 16 floats, 16 int32
// or 64 bytes are two registers. Its dot products are in dot_avx2.h and, for processors that have
// vpdpbusd, in dot_avxvnni.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hearth::kernels::cpu {
namespace {

struct F32x16 {
  __m256 a, b;
};
struct I32x16 {
  __m256i a, b;
};
struct U8x64 {
  __m256i a, b;
};
struct Mask16 {
  __m256i a, b;
};

// --- element by element: op on both halves ---

#define HEARTH_EACH_HALF(Type, name, op) \
  inline Type name(Type x, Type y) { return {op(x.a, y.a), op(x.b, y.b)}; }
HEARTH_EACH_HALF(F32x16, operator+, _mm256_add_ps)
HEARTH_EACH_HALF(F32x16, operator-, _mm256_sub_ps)
HEARTH_EACH_HALF(F32x16, operator*, _mm256_mul_ps)
HEARTH_EACH_HALF(F32x16, operator/, _mm256_div_ps)
HEARTH_EACH_HALF(F32x16, max, _mm256_max_ps)
HEARTH_EACH_HALF(F32x16, min, _mm256_min_ps)
HEARTH_EACH_HALF(I32x16, operator+, _mm256_add_epi32)
HEARTH_EACH_HALF(I32x16, operator-, _mm256_sub_epi32)
HEARTH_EACH_HALF(I32x16, operator&, _mm256_and_si256)
HEARTH_EACH_HALF(I32x16, max, _mm256_max_epi32)
HEARTH_EACH_HALF(U8x64, operator|, _mm256_or_si256)
#undef HEARTH_EACH_HALF

// --- 16 floats ---

inline F32x16 load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
inline void store(float* p, F32x16 x) {
  _mm256_storeu_ps(p, x.a);
  _mm256_storeu_ps(p + 8, x.b);
}
inline F32x16 broadcast(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
inline F32x16 fma(F32x16 x, F32x16 y, F32x16 z) {
  return {_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)};
}
inline F32x16 fnma(F32x16 x, F32x16 y, F32x16 z) {
  return {_mm256_fnmadd_ps(x.a, y.a, z.a), _mm256_fnmadd_ps(x.b, y.b, z.b)};
}
inline F32x16 abs(F32x16 x) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  return {_mm256_andnot_ps(sign, x.a), _mm256_andnot_ps(sign, x.b)};
}

inline Mask16 first_lanes(int n) {
  const __m256i limit = _mm256_set1_epi32(n);
  return {_mm256_cmpgt_epi32(limit, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)),
          _mm256_cmpgt_epi32(limit, _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15))};
}
inline F32x16 select(Mask16 m, F32x16 yes, F32x16 no) {
  return {_mm256_blendv_ps(no.a, yes.a, _mm256_castsi256_ps(m.a)),
          _mm256_blendv_ps(no.b, yes.b, _mm256_castsi256_ps(m.b))};
}
inline F32x16 load_first(const float* p, int n) {
  const Mask16 m = first_lanes(n);
  return {_mm256_maskload_ps(p, m.a), _mm256_maskload_ps(p + 8, m.b)};
}
inline void store_first(float* p, F32x16 x, int n) {
  const Mask16 m = first_lanes(n);
  _mm256_maskstore_ps(p, m.a, x.a);
  _mm256_maskstore_ps(p + 8, m.b, x.b);
}

inline F32x16 load_f16(const void* p) {
  const __m128i* halves = static_cast<const __m128i*>(p);
  return {_mm256_cvtph_ps(_mm_loadu_si128(halves)), _mm256_cvtph_ps(_mm_loadu_si128(halves + 1))};
}
inline __m256 widen_bf16(const __m128i* p) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(p)), 16));
}
inline F32x16 load_bf16(const void* p) {
  const __m128i* halves = static_cast<const __m128i*>(p);
  return {widen_bf16(halves), widen_bf16(halves + 1)};
}
inline void store_f16(void* p, F32x16 x) {
  __m128i* halves = static_cast<__m128i*>(p);
  _mm_storeu_si128(halves, _mm256_cvtps_ph(x.a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  _mm_storeu_si128(halves + 1, _mm256_cvtps_ph(x.b, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

// --- 16 int32 ---

inline I32x16 load(const int32_t* p) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 8))};
}
inline void store(int32_t* p, I32x16 x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x.a);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p + 8), x.b);
}
inline I32x16 broadcast(int32_t x) { return {_mm256_set1_epi32(x), _mm256_set1_epi32(x)}; }
inline I32x16 load_i8(const void* p) {
  const __m128i bytes = _mm_loadu_si128(static_cast<const __m128i*>(p));
  return {_mm256_cvtepi8_epi32(bytes), _mm256_cvtepi8_epi32(_mm_unpackhi_epi64(bytes, bytes))};
}
template <int kBits>
inline I32x16 shift_left(I32x16 x) {
  return {_mm256_slli_epi32(x.a, kBits), _mm256_slli_epi32(x.b, kBits)};
}
template <int kBits>
inline I32x16 shift_right(I32x16 x) {
  return {_mm256_srai_epi32(x.a, kBits), _mm256_srai_epi32(x.b, kBits)};
}
inline F32x16 to_float(I32x16 x) { return {_mm256_cvtepi32_ps(x.a), _mm256_cvtepi32_ps(x.b)}; }
inline F32x16 bits_as_float(I32x16 x) {
  return {_mm256_castsi256_ps(x.a), _mm256_castsi256_ps(x.b)};
}
inline I32x16 bits_as_int(F32x16 x) { return {_mm256_castps_si256(x.a), _mm256_castps_si256(x.b)}; }
inline void store_i8(int8_t* p, I32x16 x) {
  const __m256i words = _mm256_packs_epi32(x.a, x.b);  // lanes a0 b0 a1 b1
  const __m256i bytes = _mm256_packs_epi16(words, words);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 0, 0, 0, 0);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                   _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(bytes, order)));
}

// --- reductions, always in the same tree: halves, quarters, ... ---

inline float reduce_add(F32x16 x) {
  const __m256 h = _mm256_add_ps(x.a, x.b);
  const __m128 q = _mm_add_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
  const __m128 d = _mm_add_ps(q, _mm_movehl_ps(q, q));
  return _mm_cvtss_f32(_mm_add_ss(d, _mm_movehdup_ps(d)));
}
inline float reduce_max(F32x16 x) {
  const __m256 h = _mm256_max_ps(x.a, x.b);
  const __m128 q = _mm_max_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
  const __m128 d = _mm_max_ps(q, _mm_movehl_ps(q, q));
  return _mm_cvtss_f32(_mm_max_ss(d, _mm_movehdup_ps(d)));
}
inline int32_t reduce_max(I32x16 x) {
  const __m256i h = _mm256_max_epi32(x.a, x.b);
  const __m128i q = _mm_max_epi32(_mm256_castsi256_si128(h), _mm256_extracti128_si256(h, 1));
  const __m128i d = _mm_max_epi32(q, _mm_shuffle_epi32(q, 0x4e));
  return _mm_cvtsi128_si32(_mm_max_epi32(d, _mm_shuffle_epi32(d, 0xb1)));
}
inline int32_t reduce_add(I32x16 x) {
  const __m256i h = _mm256_add_epi32(x.a, x.b);
  const __m128i q = _mm_add_epi32(_mm256_castsi256_si128(h), _mm256_extracti128_si256(h, 1));
  const __m128i d = _mm_add_epi32(q, _mm_shuffle_epi32(q, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(d, _mm_shuffle_epi32(d, 0xb1)));
}

// --- 64 weights: 16 rows x 4 columns ---

inline U8x64 load_u8(const void* p) {
  const __m256i* halves = static_cast<const __m256i*>(p);
  return {_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1)};
}
inline void store(uint8_t* p, U8x64 x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x.a);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p + 32), x.b);
}
template <int kBits>
inline __m256i shift_half(__m256i x) {
  if constexpr (kBits < 0) return _mm256_slli_epi16(x, -kBits);
  if constexpr (kBits > 0) return _mm256_srli_epi16(x, kBits);
  return x;
}
/// (x >> kBits) & mask, or for negative kBits (x << -kBits) & mask, per byte.
template <int kBits>
inline U8x64 shift_right_and(U8x64 x, uint8_t mask) {
  const __m256i m = _mm256_set1_epi8(static_cast<char>(mask));
  return {_mm256_and_si256(shift_half<kBits>(x.a), m), _mm256_and_si256(shift_half<kBits>(x.b), m)};
}
/// table[x] for 4-bit x.
inline U8x64 look_up(const uint8_t* table, U8x64 x) {
  const __m256i t =
      _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
  return {_mm256_shuffle_epi8(t, x.a), _mm256_shuffle_epi8(t, x.b)};
}

inline __m256i broadcast_4(const int8_t* x) {
  int32_t columns;
  std::memcpy(&columns, x, sizeof columns);
  return _mm256_set1_epi32(columns);
}

inline I32x16 load_i8_pairs(const void* p) {
  const __m128i* halves = static_cast<const __m128i*>(p);
  return {_mm256_cvtepi8_epi16(_mm_loadu_si128(halves)),
          _mm256_cvtepi8_epi16(_mm_loadu_si128(halves + 1))};
}
/// Makes GCC add at once. It would otherwise compute all products first and spill them.
inline __m256i now(__m256i x) {
  asm("" : "+x"(x));
  return x;
}
template <int kTokens>
[[gnu::always_inline]] inline void dot_pairs(I32x16 (&acc)[kTokens], I32x16 pairs,
                                             const int16_t* x) {
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) {
    const __m256i both = broadcast_4(reinterpret_cast<const int8_t*>(x + 2 * c));
    acc[c] = {now(_mm256_add_epi32(acc[c].a, _mm256_madd_epi16(pairs.a, both))),
              now(_mm256_add_epi32(acc[c].b, _mm256_madd_epi16(pairs.b, both)))};
  }
}

/// The inner kernels are functions of their own: inlined beside other sizes and formats, GCC
/// allocates the 16 registers worse (a GEMV of Q6_K on AVX-VNNI is then 15 % slower).
#define HEARTH_INNER_KERNEL [[gnu::noinline]]

/// 8 int32 accumulators (two for each token), of 16 registers.
inline constexpr int kMaxTokens = 4;
inline constexpr int kFewTokens = 8;

}  // namespace
}  // namespace hearth::kernels::cpu
