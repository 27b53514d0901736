// The SIMD layer (its names: simd.h) on AVX2, FMA and F16C: 16 floats, 16 int32 or 64 bytes are two
// registers. Its dot products are in dot_avx2.h and, for processors that have vpdpbusd, in
// dot_avxvnni.h.
#pragma once

#include <immintrin.h>

#define HEARTH_HAS_MASKS
#define HEARTH_REGISTER_BYTES 32
#include "simd.h"

namespace hearth::kernels::cpu {
namespace {

/// Reinterprets x as __m256i, which intrinsics use for integers of every size.
template <class Register>
inline __m256i bits(Register x) {
  return reinterpret_cast<__m256i>(x);
}

inline Floats fma(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a, b, c); }
inline Floats fnma(Floats a, Floats b, Floats c) { return _mm256_fnmadd_ps(a, b, c); }
inline Floats max(Floats a, Floats b) { return _mm256_max_ps(a, b); }
inline Floats min(Floats a, Floats b) { return _mm256_min_ps(a, b); }
inline Floats widen_f16(HalfRegister x) { return _mm256_cvtph_ps(reinterpret_cast<__m128i>(x)); }
inline HalfRegister narrow_to_f16(Floats x) {
  return reinterpret_cast<HalfRegister>(
      _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
inline Unsigned widen_u16(HalfRegister x) {
  return as<Unsigned>(_mm256_cvtepu16_epi32(reinterpret_cast<__m128i>(x)));
}
inline Words widen_i8(HalfRegister x) {
  return as<Words>(_mm256_cvtepi8_epi16(reinterpret_cast<__m128i>(x)));
}
inline Bytes look_up(const uint8_t* table, Bytes x) {
  const __m128i t = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
  return as<Bytes>(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(t), bits(x)));
}

inline F32x16 load_first(const float* p, int n) {
  return each<Floats>(
      [&](int i) { return _mm256_maskload_ps(p + 8 * i, bits(first_lanes_mask(n, i))); });
}
inline void store_first(float* p, F32x16 x, int n) {
  for (int i = 0; i < 2; i++) _mm256_maskstore_ps(p + 8 * i, bits(first_lanes_mask(n, i)), x.v[i]);
}
inline I32x16 load_i8(const void* p) {
  const __m128i bytes = _mm_loadu_si128(static_cast<const __m128i*>(p));
  return {as<Unsigned>(_mm256_cvtepi8_epi32(bytes)),
          as<Unsigned>(_mm256_cvtepi8_epi32(_mm_unpackhi_epi64(bytes, bytes)))};
}
inline void store_i8(int8_t* p, I32x16 x) {
  // The instruction packs each half of the registers separately, so words holds the quarters of x
  // in the order 0 2 1 3.
  const __m256i words = _mm256_packs_epi32(bits(x.v[0]), bits(x.v[1]));
  const __m256i bytes = _mm256_packs_epi16(words, words);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 0, 0, 0, 0);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                   _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(bytes, order)));
}

/// Makes GCC compute x here. Otherwise it computes the products for several sums before it adds any
/// of them, and spills them.
inline Unsigned now(__m256i x) {
  asm("" : "+x"(x));
  return as<Unsigned>(x);
}
inline Unsigned add_dot2(Unsigned acc, Unsigned pairs, const int16_t* x) {
  return now(
      _mm256_add_epi32(bits(acc), _mm256_madd_epi16(bits(pairs), bits(broadcast_4_part(x)))));
}

/// Keeps the inner kernels out of line. In a function with several of them, for different sizes and
/// formats, GCC allocates the 16 registers worse (a GEMV of Q6_K on AVX-VNNI gets 15 % slower).
#define HEARTH_INNER_KERNEL [[gnu::noinline]]

/// With 4 tokens, 8 of the 16 registers hold int32 sums (two per token).
inline constexpr int kMaxTokens = 4;
inline constexpr int kFewTokens = 8;

}  // namespace
}  // namespace hearth::kernels::cpu
