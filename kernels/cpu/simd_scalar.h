// The SIMD layer (its names: simd.h) in plain C++. The compiler vectorizes it with instructions
// that every processor of the architecture has.
#pragma once

#include <type_traits>

#include "fused.h"
#include "half.h"

#define HEARTH_REGISTER_BYTES 16
#include "simd.h"

namespace hearth::kernels::cpu {
namespace {

/// Returns a vector whose lane i is f(i).
template <class Result, class F>
inline Result lanes(F f) {
  constexpr size_t kLanes = sizeof(Result) / sizeof(Result{}[0]);
  std::remove_reference_t<decltype(Result{}[0])> lane[kLanes];
  for (size_t i = 0; i < kLanes; i++) lane[i] = f(i);
  return load_piece<Result>(lane, 0);
}

inline Floats fma(Floats a, Floats b, Floats c) {
  return lanes<Floats>([&](size_t i) { return fused(a[i], b[i], c[i]); });
}
inline Floats fnma(Floats a, Floats b, Floats c) { return fma(-a, b, c); }
inline Floats max(Floats a, Floats b) { return a > b ? a : b; }
inline Floats min(Floats a, Floats b) { return a < b ? a : b; }
inline Floats widen_f16(HalfRegister x) {
  return lanes<Floats>([&](size_t i) { return f16_to_f32(x[i]); });
}
inline HalfRegister narrow_to_f16(Floats x) {
  return lanes<HalfRegister>([&](size_t i) { return f32_to_f16(x[i]); });
}
inline Unsigned widen_u16(HalfRegister x) { return __builtin_convertvector(x, Unsigned); }
inline Words widen_i8(HalfRegister x) {
  int8_t bytes[sizeof x];
  std::memcpy(bytes, &x, sizeof x);
  return lanes<Words>([&](size_t i) { return static_cast<uint16_t>(bytes[i]); });
}
inline Bytes look_up(const uint8_t* table, Bytes x) {
  return lanes<Bytes>([&](size_t i) { return table[x[i]]; });
}

inline I32x16 load_i8(const void* p) {
  const int8_t* bytes = static_cast<const int8_t*>(p);
  return each<Unsigned>([&](int part) {
    return lanes<Ints>([&](size_t i) { return bytes[4 * part + static_cast<int>(i)]; });
  });
}
inline void store_i8(int8_t* p, I32x16 x) {
  int32_t values[16];
  store(values, x);
  for (int i = 0; i < 16; i++) p[i] = static_cast<int8_t>(values[i]);
}

/// The sum of each lane's two int16.
inline Unsigned add_pairs(Words pairs) {
  const Ints first = as<Ints>(as<Unsigned>(pairs) << 16) >> 16, second = as<Ints>(pairs) >> 16;
  return as<Unsigned>(first + second);
}
/// The product of a code and an activation fits int16. So one multiplication of int16 vectors
/// serves columns 0 and 2, and another columns 1 and 3.
inline Unsigned add_dot4(Unsigned acc, Bytes w, const int8_t* x) {
  const Words codes = as<Words>(w), columns = as<Words>(broadcast_4_part(x));
  const Words even = as<Words>(as<Shorts>(columns << 8) >> 8),
              odd = as<Words>(as<Shorts>(columns) >> 8);
  return acc + add_pairs((codes & 255) * even) + add_pairs((codes >> 8) * odd);
}
inline constexpr int kDot8Offset = 128;
inline Unsigned add_dot2(Unsigned acc, Unsigned pairs, const int16_t* x) {
  const Ints first = as<Ints>(pairs << 16) >> 16, second = as<Ints>(pairs) >> 16;
  return acc + as<Unsigned>(first * x[0] + second * x[1]);
}

/// The same as with 16 registers (simd_avx2.h), although here the compiler keeps no sums in
/// registers.
inline constexpr int kMaxTokens = 4;
inline constexpr int kFewTokens = kMaxTokens;

}  // namespace
}  // namespace hearth::kernels::cpu

#include "dot_steps.h"
