// The SIMD layer (its names: simd.h) on AVX-512 VNNI: 16 floats, 16 int32 or 64 bytes are one
// register.
#pragma once

#include <immintrin.h>

#define HEARTH_HAS_MASKS
#define HEARTH_REGISTER_BYTES 64
#include "simd.h"

namespace hearth::kernels::cpu {
namespace {

/// Reinterprets x as __m512i, which intrinsics use for integers of every size.
template <class Register>
inline __m512i bits(Register x) {
  return reinterpret_cast<__m512i>(x);
}

inline Floats fma(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
inline Floats fnma(Floats a, Floats b, Floats c) { return _mm512_fnmadd_ps(a, b, c); }
inline Floats max(Floats a, Floats b) { return _mm512_max_ps(a, b); }
inline Floats min(Floats a, Floats b) { return _mm512_min_ps(a, b); }
inline Floats widen_f16(HalfRegister x) { return _mm512_cvtph_ps(reinterpret_cast<__m256i>(x)); }
inline HalfRegister narrow_to_f16(Floats x) {
  return reinterpret_cast<HalfRegister>(
      _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
inline Unsigned widen_u16(HalfRegister x) {
  return as<Unsigned>(_mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(x)));
}
inline Words widen_i8(HalfRegister x) {
  return as<Words>(_mm512_cvtepi8_epi16(reinterpret_cast<__m256i>(x)));
}
inline Bytes look_up(const uint8_t* table, Bytes x) {
  const __m128i t = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
  return as<Bytes>(_mm512_shuffle_epi8(_mm512_broadcast_i32x4(t), bits(x)));
}

inline __mmask16 mask_of(int n) { return static_cast<__mmask16>((1u << n) - 1); }
inline F32x16 load_first(const float* p, int n) { return {_mm512_maskz_loadu_ps(mask_of(n), p)}; }
inline void store_first(float* p, F32x16 x, int n) { _mm512_mask_storeu_ps(p, mask_of(n), x.v[0]); }
inline I32x16 load_i8(const void* p) {
  return {as<Unsigned>(_mm512_cvtepi8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p))))};
}
inline void store_i8(int8_t* p, I32x16 x) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(bits(x.v[0])));
}

// In assembly, because GCC 12 does not use operands that are broadcast from memory: it would load
// each activation with a separate instruction, and loads would be a third of the inner loop.
inline Unsigned add_dot4(Unsigned acc, Bytes w, const int8_t* x) {
  asm("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(acc) : "v"(w), "m"(four_bytes(x)));
  return acc;
}
inline Unsigned add_dot2(Unsigned acc, Unsigned pairs, const int16_t* x) {
  asm("vpdpwssd %2%{1to16%}, %1, %0" : "+v"(acc) : "v"(pairs), "m"(four_bytes(x)));
  return acc;
}
inline constexpr int kDot8Offset = 128;

// --- for panels of signed weights (panels_avx512.inl, panels_amx.inl) ---

/// Turns unsigned codes into signed weights.
inline U8x64 minus(U8x64 w, int offset) { return w - broadcast(static_cast<uint8_t>(offset)); }
/// acc + the sum of each row's four signed weights.
inline I32x16 add_columns(I32x16 acc, U8x64 w) {
  return {as<Unsigned>(_mm512_dpbusd_epi32(bits(acc.v[0]), _mm512_set1_epi8(1), bits(w.v[0])))};
}
/// acc + unsigned columns * signed weights.
inline I32x16 add_products(I32x16 acc, I32x16 columns, U8x64 w) {
  return {as<Unsigned>(_mm512_dpbusd_epi32(bits(acc.v[0]), bits(columns.v[0]), bits(w.v[0])))};
}

/// With 12 tokens, 24 of the 32 registers hold sums: for each token, one of int32, one of floats.
inline constexpr int kMaxTokens = 12;

}  // namespace
}  // namespace hearth::kernels::cpu

#include "dot_steps.h"
