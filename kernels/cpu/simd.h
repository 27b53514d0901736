// The SIMD layer: the vector types and functions in which all kernels are written. A variant_*.cc
// first includes a simd_*.h, which defines the size of a register, includes this file, and then
// defines the functions that this file only declares. Everything else uses the vector types of GCC
// and clang, whose operators + - * / & | ^ << >> < > and ?: act on every lane and broadcast a
// scalar operand.
//
// F32x16, I32x16     16 lanes. load, store (at any address), broadcast, + - * /
// fma, fnma          fma(a, b, c) = a * b + c, fnma(a, b, c) = c - a * b, with one rounding. In all
//                    other code, the compiler rounds products and sums separately
//                    (-ffp-contract=off).
// max, min           if either operand is NaN, the result is the second
// first_lanes(n, x, rest)    lanes 0 to n - 1 of x, and the other lanes of rest
// load_first, store_first    read or write the first n floats only; the other lanes read as 0
// load_f16, load_bf16, store_f16 (rounds to nearest even), load_i8, store_i8    16 lanes
// to_float           converts; bits_as_float and bits_as_int reinterpret
// reduce_add, reduce_max     over the lanes, in the same order in every variant
//
// U8x64              64 codes of weights (packed_layout.h): 16 rows x 4 columns. Lane i of a dot
//                    product is row i.
// look_up(table, x)  table[x] for 4-bit x
// load_i8_pairs      loads 32 int8 as int16, two in each lane, the first in the low half
// dot_pairs(acc, pairs, x)   for each token c: acc[c] += first * x[2 c] + second * x[2 c + 1],
//                    where a lane of pairs has the int16 first and second, and x is int16
//
// Each simd_*.h also defines the following, by itself or through dot_steps.h. For AVX2 there are
// two sets of dot products, dot_avx2.h and dot_avxvnni.h.
//
// dot<bits, first, n>(acc, weights, x, step_bytes)
//                    for each token c: adds to acc[c] the exact dot products of the 16 rows of a
//                    tile with the token's activations, over n steps of 4 columns from step `first`
//                    on. weights.step<i>() returns the codes of step i, which have `bits` bits:
//                    unsigned codes of up to 6 bits, or codes of 8 bits from code_for_dot() in
//                    packed_source.inl. x points to step 0. A step of x has 4 activations, from
//                    -127 to 127, for each token; steps begin step_bytes apart.
// kDot8Offset        128 if this variant's dot() takes 8-bit codes as they are stored, as weight +
//                    128; 0 if it takes signed weights. The result is too large by kDot8Offset *
//                    sum(x).
// scaled_dot<bits, first, n>(acc, weights, x, step_bytes, scale)
//                    the same, with the dot products multiplied by the row's integer scale
// first_of_pair, second_of_pair   the first or second int16 of each lane, as scaled_dot's scale
//
// kMaxTokens         how many tokens a kernel multiplies one row tile by at once, so that their
//                    sums fit the registers
// kFewTokens         for panels_vector.inl only: BatchPlan::few in panel.h
// order_panel(w, n_steps)    for panels_vector.inl only: puts the codes of a filled panel into the
//                    order that dot() and scaled_dot() expect, if that differs
//
// Before it includes this file, a simd_*.h defines HEARTH_REGISTER_BYTES and, if it has masked
// loads and stores of its own, HEARTH_HAS_MASKS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace hearth::kernels::cpu {
namespace {

// --- registers ---

inline constexpr int kRegisterBytes = HEARTH_REGISTER_BYTES;
using Floats [[gnu::vector_size(kRegisterBytes)]] = float;
using Ints [[gnu::vector_size(kRegisterBytes)]] = int32_t;
using Unsigned [[gnu::vector_size(kRegisterBytes)]] = uint32_t;
using Shorts [[gnu::vector_size(kRegisterBytes)]] = int16_t;
using Words [[gnu::vector_size(kRegisterBytes)]] = uint16_t;
using Bytes [[gnu::vector_size(kRegisterBytes)]] = uint8_t;
using HalfRegister [[gnu::vector_size(kRegisterBytes / 2)]] = uint16_t;

/// The number of registers in a vector of 64 bytes.
inline constexpr int kParts = 64 / kRegisterBytes;
template <class Register>
struct Vector {
  Register v[kParts];
};
using F32x16 = Vector<Floats>;
// Signed int32, stored as unsigned so that arithmetic wraps around. If the sign matters (>>, <,
// conversion), functions cast to Ints.
using I32x16 = Vector<Unsigned>;
using U8x64 = Vector<Bytes>;

/// Reinterprets the bits of x as another type.
template <class To, class From>
[[gnu::always_inline]] inline To as(From x) {
  return __builtin_bit_cast(To, x);
}

/// Returns the vector whose register i is f(i). f must be short: GCC keeps the captures of a long f
/// in memory.
template <class Register, class F>
[[gnu::always_inline]] inline Vector<Register> each(F f) {
  if constexpr (kParts == 1) {
    return {{as<Register>(f(0))}};
  } else if constexpr (kParts == 2) {
    return {{as<Register>(f(0)), as<Register>(f(1))}};
  } else {
    return {{as<Register>(f(0)), as<Register>(f(1)), as<Register>(f(2)), as<Register>(f(3))}};
  }
}

/// Unrolls the following loop over a kernel's tokens, row tiles or steps completely (at most 16
/// iterations). GCC keeps an array of vectors in registers only if every index into it is a
/// constant.
#define HEARTH_UNROLL _Pragma("GCC unroll 16")

/// Calls f.operator()<0>() to f.operator()<n - 1>().
template <int n, class F>
[[gnu::always_inline]] inline void for_constants(const F& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (f.template operator()<i>(), ...);
  }
  (std::make_integer_sequence<int, n>());
}

// --- defined by each simd_*.h, mostly for one register ---

Floats fma(Floats a, Floats b, Floats c);
Floats fnma(Floats a, Floats b, Floats c);
Floats max(Floats a, Floats b);
Floats min(Floats a, Floats b);
Floats widen_f16(HalfRegister x);
HalfRegister narrow_to_f16(Floats x);
Unsigned widen_u16(HalfRegister x);
Words widen_i8(HalfRegister x);
Bytes look_up(const uint8_t* table, Bytes x);
/// In each lane, acc + pair[0] * x[0] + pair[1] * x[1]. A pair is two int16.
Unsigned add_dot2(Unsigned acc, Unsigned pairs, const int16_t* x);
I32x16 load_i8(const void* p);
void store_i8(int8_t* p, I32x16 x);

// --- memory ---

/// A value at an address of any alignment. (memcpy would keep GCC from holding arrays of vectors in
/// registers.)
template <class Piece>
struct [[gnu::packed, gnu::may_alias]] InMemory {
  Piece value;
};
/// The i-th piece of the memory at p.
template <class Piece>
inline Piece load_piece(const void* p, int i) {
  return static_cast<const InMemory<Piece>*>(p)[i].value;
}
template <class Piece>
inline void store_piece(void* p, int i, Piece x) {
  static_cast<InMemory<Piece>*>(p)[i].value = x;
}
/// The four bytes at p, as a memory operand of inline assembly.
inline const InMemory<uint32_t>& four_bytes(const void* p) {
  return *static_cast<const InMemory<uint32_t>*>(p);
}
template <class Register>
inline Vector<Register> load_vector(const void* p) {
  return each<Register>([&](int i) { return load_piece<Register>(p, i); });
}
template <class Register>
inline void store_vector(void* p, Vector<Register> x) {
  for (int i = 0; i < kParts; i++) store_piece(p, i, x.v[i]);
}

inline F32x16 load(const float* p) { return load_vector<Floats>(p); }
inline I32x16 load(const int32_t* p) { return load_vector<Unsigned>(p); }
inline U8x64 load_u8(const void* p) { return load_vector<Bytes>(p); }
inline void store(float* p, F32x16 x) { store_vector(p, x); }
inline void store(int32_t* p, I32x16 x) { store_vector(p, x); }
inline void store(uint8_t* p, U8x64 x) { store_vector(p, x); }

#ifndef HEARTH_HAS_MASKS  // without masked loads and stores, use a buffer on the stack
inline F32x16 load_first(const float* p, int n) {
  float lanes[16] = {};
  std::memcpy(lanes, p, sizeof(float) * static_cast<size_t>(n));
  return load(lanes);
}
inline void store_first(float* p, F32x16 x, int n) {
  float lanes[16];
  store(lanes, x);
  std::memcpy(p, lanes, sizeof(float) * static_cast<size_t>(n));
}
#endif

inline F32x16 load_f16(const void* p) {
  return each<Floats>([&](int i) { return widen_f16(load_piece<HalfRegister>(p, i)); });
}
inline void store_f16(void* p, F32x16 x) {
  for (int i = 0; i < kParts; i++) store_piece(p, i, narrow_to_f16(x.v[i]));
}
inline F32x16 load_bf16(const void* p) {
  return each<Floats>([&](int i) { return widen_u16(load_piece<HalfRegister>(p, i)) << 16; });
}
inline I32x16 load_i8_pairs(const void* p) {
  return each<Unsigned>([&](int i) { return widen_i8(load_piece<HalfRegister>(p, i)); });
}

// --- element by element ---

#define HEARTH_LANEWISE(op)                                                     \
  template <class Register>                                                     \
  inline Vector<Register> operator op(Vector<Register> a, Vector<Register> b) { \
    return each<Register>([&](int i) { return a.v[i] op b.v[i]; });             \
  }
HEARTH_LANEWISE(+)
HEARTH_LANEWISE(-)
HEARTH_LANEWISE(*)
HEARTH_LANEWISE(/)
HEARTH_LANEWISE(&)
HEARTH_LANEWISE(|)
#undef HEARTH_LANEWISE

// Subtracting a zero vector broadcasts x. Adding one would turn -0.0 into 0.0.
inline F32x16 broadcast(float x) {
  return each<Floats>([&](int) { return x - Floats{}; });
}
inline I32x16 broadcast(int32_t x) {
  return each<Unsigned>([&](int) { return x - Ints{}; });
}
inline U8x64 broadcast(uint8_t x) {
  return each<Bytes>([&](int) { return x - Bytes{}; });
}
/// Copies the four bytes at p into every lane. They are one token's part of a step: four int8
/// activations, or two int16 sums.
inline Unsigned broadcast_4_part(const void* p) { return load_piece<uint32_t>(p, 0) - Unsigned{}; }
inline I32x16 broadcast_4(const void* p) { return broadcast(load_piece<int32_t>(p, 0)); }

inline F32x16 fma(F32x16 a, F32x16 b, F32x16 c) {
  return each<Floats>([&](int i) { return fma(a.v[i], b.v[i], c.v[i]); });
}
inline F32x16 fnma(F32x16 a, F32x16 b, F32x16 c) {
  return each<Floats>([&](int i) { return fnma(a.v[i], b.v[i], c.v[i]); });
}
inline F32x16 max(F32x16 a, F32x16 b) {
  return each<Floats>([&](int i) { return max(a.v[i], b.v[i]); });
}
inline F32x16 min(F32x16 a, F32x16 b) {
  return each<Floats>([&](int i) { return min(a.v[i], b.v[i]); });
}
inline I32x16 max(I32x16 a, I32x16 b) {
  return each<Unsigned>([&](int i) {
    const Ints x = as<Ints>(a.v[i]), y = as<Ints>(b.v[i]);
    return x > y ? x : y;
  });
}
inline F32x16 abs(F32x16 x) {
  return each<Floats>([&](int i) { return as<Unsigned>(x.v[i]) & 0x7fffffffu; });
}
/// The mask for register i of a vector: all ones in lanes that are among the vector's first n, zero
/// in the others.
inline Ints first_lanes_mask(int n, int i) {
  static constexpr int32_t kLanes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return load_piece<Ints>(kLanes, i) < n;
}
inline F32x16 first_lanes(int n, F32x16 x, F32x16 rest) {
  return each<Floats>([&](int i) { return first_lanes_mask(n, i) ? x.v[i] : rest.v[i]; });
}

inline F32x16 to_float(I32x16 x) {
  return each<Floats>([&](int i) { return __builtin_convertvector(as<Ints>(x.v[i]), Floats); });
}
inline F32x16 bits_as_float(I32x16 x) {
  return each<Floats>([&](int i) { return x.v[i]; });
}
inline I32x16 bits_as_int(F32x16 x) {
  return each<Unsigned>([&](int i) { return x.v[i]; });
}
template <int kBits>
inline I32x16 shift_left(I32x16 x) {
  return each<Unsigned>([&](int i) { return x.v[i] << kBits; });
}
template <int kBits>
inline I32x16 shift_right(I32x16 x) {
  return each<Unsigned>([&](int i) { return as<Ints>(x.v[i]) >> kBits; });
}
/// For each byte, (x >> kBits) & mask, or (x << -kBits) & mask if kBits is negative. Words of 16
/// bits are shifted, so the mask must clear the bits that come from the neighbouring byte.
template <int kBits>
inline U8x64 shift_right_and(U8x64 x, uint8_t mask) {
  return each<Bytes>([&](int i) {
    const Words words = as<Words>(x.v[i]);
    if constexpr (kBits < 0)
      return as<Bytes>(words << -kBits) & mask;
    else
      return as<Bytes>(words >> kBits) & mask;
  });
}
inline U8x64 look_up(const uint8_t* table, U8x64 x) {
  return each<Bytes>([&](int i) { return look_up(table, x.v[i]); });
}

// --- reductions over the lanes: combine the two halves, then the halves of the result, and so on
// ---

template <int kFirst, class Register, int... i>
inline auto lanes_from(Register x, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(x, x, (kFirst + i)...);
}
template <class Register, class Op>
inline auto reduce(Register x, Op op) {
  if constexpr (sizeof x == 16) {
    x = op(x, __builtin_shufflevector(x, x, 2, 3, 0, 1));
    return op(x, __builtin_shufflevector(x, x, 1, 0, 3, 2))[0];
  } else {
    constexpr int kHalf = sizeof x / sizeof x[0] / 2;
    constexpr std::make_integer_sequence<int, kHalf> kLanes;
    return reduce(op(lanes_from<0>(x, kLanes), lanes_from<kHalf>(x, kLanes)), op);
  }
}
template <class Register, class Op>
inline auto reduce(Vector<Register> x, Op op) {
  for (int half = kParts / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++) x.v[i] = op(x.v[i], x.v[i + half]);
  return reduce(x.v[0], op);
}
inline constexpr auto kSum = [](auto a, auto b) { return a + b; };
inline constexpr auto kMax = [](auto a, auto b) { return a > b ? a : b; };
inline float reduce_add(F32x16 x) { return reduce(x, kSum); }
inline float reduce_max(F32x16 x) { return reduce(x, kMax); }
inline int32_t reduce_add(I32x16 x) { return static_cast<int32_t>(reduce(x, kSum)); }
inline int32_t reduce_max(I32x16 x) {
  return reduce(each<Ints>([&](int i) { return x.v[i]; }), kMax);
}

// --- arrays of vectors, mostly one for each token ---

template <class V, int kTokens>
[[gnu::always_inline]] inline void set_all(V (&values)[kTokens], V value) {
  HEARTH_UNROLL
  for (int c = 0; c < kTokens; c++) values[c] = value;
}
inline I32x16 add_dot2(I32x16 acc, I32x16 pairs, const int16_t* x) {
  return each<Unsigned>([&](int i) { return add_dot2(acc.v[i], pairs.v[i], x); });
}
template <int kTokens>
[[gnu::always_inline]] inline void dot_pairs(I32x16 (&acc)[kTokens], I32x16 pairs,
                                             const int16_t* x) {
  HEARTH_UNROLL
  for (int c = 0; c < kTokens; c++) acc[c] = add_dot2(acc[c], pairs, x + 2 * c);
}

}  // namespace
}  // namespace hearth::kernels::cpu
