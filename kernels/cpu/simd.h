// What the SIMD vocabulary means, and what can be written in it once. A variant_*.cc includes its
// own simd_*.h first, then this.
//
// F32x16, I32x16  16 lanes. load, store (any address), broadcast, + - * /, fma(a, b, c) = a * b +
// c,
//                 fnma(a, b, c) = c - a * b (one rounding); fused only where written.
// max, min        the second operand if either is NaN.
// Mask16          first_lanes(n), less(a, b), any(m), select(m, yes, no); load_first and
// store_first
//                 touch n floats only (the rest reads as 0).
// load_f16, load_bf16, store_f16 (to nearest even), load_i8, store_i8: 16 lanes from or to memory.
// to_float        converts; bits_as_float, bits_as_int reinterpret.
// reduce_add, reduce_max  over lanes, in the same order in every variant.
// U8x64           64 weights, 16 rows x 4 columns: lane i of a dot product is row i.
// dot(acc, w0, x0, w1, x1)   acc + w0 x0 + w1 x1, exact, of some row tiles and tokens: acc[t][c] +
//                            w0[t] x0[4 c] + ...: unsigned weights of at most 6 bits, activations
//                            in -127..127, 4 to a token.
// dot8(...)       the same for 8-bit weights kept as w + 128. Its result still holds
//                 kDot8Offset * sum(x), as not every instruction set can centre for free.
// scaled_dot<bits, first, n>(acc, weights, x, step_bytes, scale)
//                 acc + scale * (w x of n steps, from step `first` on), exact, likewise: weights of
//                 so many bits, those of eight as dot8 has them, weights.step<i>(t) being those of
//                 step i; the steps of x are step_bytes apart.
// load_i8_pairs   32 int8 as int16, two in each lane: the first in its low half.
// first_of_pair, second_of_pair   one of each pair.
// dot_pairs(acc, pairs, x)   acc + first * x[0] + second * x[1]: a token has two int16 in x.
// kMaxTokens      tokens that a kernel keeps in registers, with one row tile; kPanelTokens with
//                 kPanelTiles of them, over kPanelColumns columns unpacked before.
#pragma once

namespace hearth::kernels::cpu {
namespace {

inline I32x16 first_of_pair(I32x16 pairs) { return shift_right<16>(shift_left<16>(pairs)); }
inline I32x16 second_of_pair(I32x16 pairs) { return shift_right<16>(pairs); }

// --- dot products for vocabularies that work on one row tile at a time ---

template <int kTiles, int kTokens>
requires(kTiles == 1 && kPanelTiles == 1)
    [[gnu::always_inline]] inline void dot(I32x16 (&acc)[kTiles][kTokens],
                                           const U8x64 (&w0)[kTiles], const int8_t* x0,
                                           const U8x64 (&w1)[kTiles], const int8_t* x1) {
  dot(acc[0], w0[0], x0, w1[0], x1);
}
template <int kTiles, int kTokens>
requires(kTiles == 1 && kPanelTiles == 1)
    [[gnu::always_inline]] inline void dot8(I32x16 (&acc)[kTiles][kTokens],
                                            const U8x64 (&w0)[kTiles], const int8_t* x0,
                                            const U8x64 (&w1)[kTiles], const int8_t* x1) {
  dot8(acc[0], w0[0], x0, w1[0], x1);
}
/// By four steps, which is what scaled_dot<bits>(acc, w[4], x, step_bytes, scale) takes.
template <int kBits, int kFirst, int kSteps, class Weights, int kTiles, int kTokens>
requires(kTiles == 1 && kPanelTiles == 1)
    [[gnu::always_inline]] inline void scaled_dot(I32x16 (&acc)[kTiles][kTokens],
                                                  const Weights& weights, const int8_t* x,
                                                  int step_bytes, const I32x16 (&scale)[kTiles]) {
  const U8x64 w[4] = {weights.template step<kFirst>(0), weights.template step<kFirst + 1>(0),
                      weights.template step<kFirst + 2>(0), weights.template step<kFirst + 3>(0)};
  scaled_dot<kBits>(acc[0], w, x + kFirst * step_bytes, step_bytes, scale[0]);
  if constexpr (kSteps > 4)
    scaled_dot<kBits, kFirst + 4, kSteps - 4>(acc, weights, x, step_bytes, scale);
}

/// e^x: at most 1.1 ulp over the whole range, subnormal results included; 0, Inf and NaN as in
/// std::exp.
inline F32x16 exp(F32x16 x) {
  // x = n ln 2 + r, |r| <= ln 2 / 2; beyond these bounds the result is 0 or Inf anyway. x stays the
  // second operand, which keeps NaN.
  x = max(broadcast(-104.0f), min(broadcast(89.0f), x));
  const F32x16 magic = broadcast(12582912.0f);  // 1.5 * 2^23: the sum's low bits are the integer
  const F32x16 shifted = fma(x, broadcast(0x1.715476p+0f), magic);
  const F32x16 n = shifted - magic;
  F32x16 r = fnma(n, broadcast(0x1.62e4p-1f), x);  // ln 2 in two parts, the first of few bits
  r = fnma(n, broadcast(0x1.7f7d1cp-20f), r);
  F32x16 p = broadcast(0x1.6a2256p-10f);
  p = fma(p, r, broadcast(0x1.123b04p-7f));
  p = fma(p, r, broadcast(0x1.5558f8p-5f));
  p = fma(p, r, broadcast(0x1.555490p-3f));
  p = fma(p, r, broadcast(0x1.fffffcp-2f));
  const F32x16 result = fma(p * r, r, r) + broadcast(1.0f);
  // times 2^n in two halves, as n runs from -150 to 128
  const I32x16 exponent = bits_as_int(shifted) - bits_as_int(magic);
  const I32x16 half = shift_right<1>(exponent);
  const I32x16 bias = broadcast(int32_t{127});
  const F32x16 first = bits_as_float(shift_left<23>(half + bias));
  const F32x16 second = bits_as_float(shift_left<23>(exponent - half + bias));
  return result * first * second;
}

}  // namespace
}  // namespace hearth::kernels::cpu
