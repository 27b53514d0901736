// The SIMD vocabulary (simd.h says what the names mean) in plain C++: arrays of 16, which the
// compiler may vectorize for the baseline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "half.h"

namespace hearth::kernels::cpu {
namespace {

struct F32x16 {
  float v[16];
};
struct I32x16 {
  int32_t v[16];
};
struct U8x64 {
  uint8_t v[64];
};
struct Mask16 {
  bool v[16];
};

/// Result[i] = f(i).
template <class Result, int kLanes = 16, class F>
inline Result lanes(F f) {
  Result r;
  for (int i = 0; i < kLanes; i++) r.v[i] = f(i);
  return r;
}

// --- 16 floats ---

inline F32x16 load(const float* p) {
  F32x16 r;
  std::memcpy(r.v, p, sizeof r.v);
  return r;
}
inline void store(float* p, F32x16 a) { std::memcpy(p, a.v, sizeof a.v); }
inline F32x16 broadcast(float x) {
  return lanes<F32x16>([&](int) { return x; });
}
inline F32x16 operator+(F32x16 a, F32x16 b) {
  return lanes<F32x16>([&](int i) { return a.v[i] + b.v[i]; });
}
inline F32x16 operator-(F32x16 a, F32x16 b) {
  return lanes<F32x16>([&](int i) { return a.v[i] - b.v[i]; });
}
inline F32x16 operator*(F32x16 a, F32x16 b) {
  return lanes<F32x16>([&](int i) { return a.v[i] * b.v[i]; });
}
inline F32x16 operator/(F32x16 a, F32x16 b) {
  return lanes<F32x16>([&](int i) { return a.v[i] / b.v[i]; });
}
inline F32x16 fma(F32x16 a, F32x16 b, F32x16 c) {
  return lanes<F32x16>([&](int i) { return __builtin_fmaf(a.v[i], b.v[i], c.v[i]); });
}
inline F32x16 fnma(F32x16 a, F32x16 b, F32x16 c) {
  return lanes<F32x16>([&](int i) { return __builtin_fmaf(-a.v[i], b.v[i], c.v[i]); });
}
inline F32x16 max(F32x16 a, F32x16 b) {
  return lanes<F32x16>([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
inline F32x16 min(F32x16 a, F32x16 b) {
  return lanes<F32x16>([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
}
inline F32x16 abs(F32x16 a) {
  return lanes<F32x16>([&](int i) { return __builtin_fabsf(a.v[i]); });
}

inline Mask16 first_lanes(int n) {
  return lanes<Mask16>([&](int i) { return i < n; });
}
inline F32x16 select(Mask16 m, F32x16 yes, F32x16 no) {
  return lanes<F32x16>([&](int i) { return m.v[i] ? yes.v[i] : no.v[i]; });
}
inline F32x16 load_first(const float* p, int n) {
  F32x16 r{};
  std::memcpy(r.v, p, sizeof(float) * static_cast<size_t>(n));
  return r;
}
inline void store_first(float* p, F32x16 a, int n) {
  std::memcpy(p, a.v, sizeof(float) * static_cast<size_t>(n));
}

inline F32x16 load_f16(const void* p) {
  const char* bytes = static_cast<const char*>(p);
  return lanes<F32x16>([&](int i) { return f16_to_f32(load_u16(bytes + 2 * i)); });
}
inline F32x16 load_bf16(const void* p) {
  const char* bytes = static_cast<const char*>(p);
  return lanes<F32x16>([&](int i) { return bf16_to_f32(load_u16(bytes + 2 * i)); });
}
inline void store_f16(void* p, F32x16 a) {
  uint16_t halves[16];
  for (int i = 0; i < 16; i++) halves[i] = f32_to_f16(a.v[i]);
  std::memcpy(p, halves, sizeof halves);
}

// --- 16 int32; arithmetic wraps ---

inline int32_t wrap(uint32_t x) { return static_cast<int32_t>(x); }
inline uint32_t unsign(int32_t x) { return static_cast<uint32_t>(x); }

inline I32x16 load(const int32_t* p) {
  I32x16 r;
  std::memcpy(r.v, p, sizeof r.v);
  return r;
}
inline void store(int32_t* p, I32x16 a) { std::memcpy(p, a.v, sizeof a.v); }
inline I32x16 broadcast(int32_t x) {
  return lanes<I32x16>([&](int) { return x; });
}
inline I32x16 load_i8(const void* p) {
  const int8_t* bytes = static_cast<const int8_t*>(p);
  return lanes<I32x16>([&](int i) { return int32_t{bytes[i]}; });
}
inline I32x16 operator+(I32x16 a, I32x16 b) {
  return lanes<I32x16>([&](int i) { return wrap(unsign(a.v[i]) + unsign(b.v[i])); });
}
inline I32x16 operator-(I32x16 a, I32x16 b) {
  return lanes<I32x16>([&](int i) { return wrap(unsign(a.v[i]) - unsign(b.v[i])); });
}
inline I32x16 operator&(I32x16 a, I32x16 b) {
  return lanes<I32x16>([&](int i) { return a.v[i] & b.v[i]; });
}
inline I32x16 max(I32x16 a, I32x16 b) {
  return lanes<I32x16>([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
template <int kBits>
inline I32x16 shift_left(I32x16 a) {
  return lanes<I32x16>([&](int i) { return wrap(unsign(a.v[i]) << kBits); });
}
template <int kBits>
inline I32x16 shift_right(I32x16 a) {
  return lanes<I32x16>([&](int i) { return a.v[i] >> kBits; });
}
inline F32x16 to_float(I32x16 a) {
  return lanes<F32x16>([&](int i) { return static_cast<float>(a.v[i]); });
}
inline F32x16 bits_as_float(I32x16 a) {
  return lanes<F32x16>([&](int i) { return float_from_bits(unsign(a.v[i])); });
}
inline I32x16 bits_as_int(F32x16 a) {
  return lanes<I32x16>([&](int i) { return wrap(bits_from_float(a.v[i])); });
}
inline void store_i8(int8_t* p, I32x16 a) {
  for (int i = 0; i < 16; i++) p[i] = static_cast<int8_t>(a.v[i]);
}

// --- reductions, always in the same tree: halves, quarters, ... ---

inline float reduce_add(F32x16 a) {
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; i++) a.v[i] += a.v[i + half];
  return a.v[0];
}
inline float reduce_max(F32x16 a) {
  float result = a.v[0];
  for (float x : a.v) result = x > result ? x : result;
  return result;
}
inline int32_t reduce_max(I32x16 a) {
  int32_t result = a.v[0];
  for (int32_t x : a.v) result = x > result ? x : result;
  return result;
}
inline int32_t reduce_add(I32x16 a) {
  uint32_t result = 0;
  for (int32_t x : a.v) result += unsign(x);
  return wrap(result);
}

// --- 64 weights: 16 rows x 4 columns ---

inline U8x64 load_u8(const void* p) {
  U8x64 r;
  std::memcpy(r.v, p, sizeof r.v);
  return r;
}
inline void store(uint8_t* p, U8x64 a) { std::memcpy(p, a.v, sizeof a.v); }
/// (a >> kBits) & mask, or for negative kBits (a << -kBits) & mask, per byte.
template <int kBits>
inline U8x64 shift_right_and(U8x64 a, uint8_t mask) {
  return lanes<U8x64, 64>([&](int i) {
    const int shifted = kBits < 0 ? a.v[i] << (kBits < 0 ? -kBits : 0) : a.v[i] >> (kBits & 7);
    return static_cast<uint8_t>(shifted & mask);
  });
}
inline U8x64 operator|(U8x64 a, U8x64 b) {
  return lanes<U8x64, 64>([&](int i) { return static_cast<uint8_t>(a.v[i] | b.v[i]); });
}
/// table[a] for 4-bit a.
inline U8x64 look_up(const uint8_t* table, U8x64 a) {
  return lanes<U8x64, 64>([&](int i) { return table[a.v[i]]; });
}

template <int kTokens>
inline void dot(I32x16 (&acc)[kTokens], U8x64 w0, const int8_t* x0, U8x64 w1, const int8_t* x1) {
  for (int c = 0; c < kTokens; c++) {
    for (int i = 0; i < 16; i++) {
      for (int k = 0; k < 4; k++) {
        acc[c].v[i] += w0.v[4 * i + k] * x0[4 * c + k] + w1.v[4 * i + k] * x1[4 * c + k];
      }
    }
  }
}
inline constexpr int kDot8Offset = 128;
inline U8x64 prepared(U8x64 w) { return w; }

inline int32_t low_half(int32_t pair) { return static_cast<int16_t>(unsign(pair) & 0xffff); }
inline int32_t high_half(int32_t pair) { return pair >> 16; }

inline I32x16 load_i8_pairs(const void* p) {
  const int8_t* bytes = static_cast<const int8_t*>(p);
  return lanes<I32x16>([&](int i) {
    return wrap((unsign(bytes[2 * i]) & 0xffff) | unsign(bytes[2 * i + 1]) << 16);
  });
}
template <int kBits, int kTokens>
inline void scaled_dot(I32x16 (&acc)[kTokens], const U8x64 (&w)[4], const int8_t* x, int step_bytes,
                       I32x16 scale) {
  I32x16 sum[kTokens] = {};
  dot(sum, w[0], x, w[1], x + step_bytes);
  dot(sum, w[2], x + 2 * step_bytes, w[3], x + 3 * step_bytes);
  for (int c = 0; c < kTokens; c++) {
    for (int i = 0; i < 16; i++) acc[c].v[i] += sum[c].v[i] * scale.v[i];
  }
}
template <int kTokens>
inline void dot_pairs(I32x16 (&acc)[kTokens], I32x16 pairs, const int16_t* x) {
  for (int c = 0; c < kTokens; c++) {
    for (int i = 0; i < 16; i++)
      acc[c].v[i] += low_half(pairs.v[i]) * x[2 * c] + high_half(pairs.v[i]) * x[2 * c + 1];
  }
}

/// As for the other small vocabularies; nothing is kept in registers here.
inline constexpr int kMaxTokens = 4;
inline constexpr int kFewTokens = kMaxTokens;

}  // namespace
}  // namespace hearth::kernels::cpu
