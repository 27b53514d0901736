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
// prepared(w)     weights of eight bits, kept as w + 128, as the dot products want them.
// dot<bits, first, n>(acc, weights, x, step_bytes)
//                 acc + w x of n steps of 4 columns, from step `first` on, exact, of a row tile
//                 and some tokens: acc[c] + .... weights.step<i>() are the unsigned weights of step
//                 i, of at most 6 bits, or prepared ones; x has activations in -127..127, 4 to a
//                 token, a step's step_bytes after those of the one before. With eight bits the
//                 result still holds kDot8Offset * sum(x), as not every instruction set can centre
//                 for free.
// scaled_dot<bits, first, n>(acc, weights, x, step_bytes, scale)
//                 acc + scale * (w x), likewise; scale is of 8 bits, by first_ or second_of_pair.
// load_i8_pairs   32 int8 as int16, two in each lane: the first in its low half.
// first_of_pair, second_of_pair   one of each pair, as scaled_dot wants it.
// dot_pairs(acc, pairs, x)   acc + first * x[0] + second * x[1]: a token has two int16 in x.
// kMaxTokens      tokens that a kernel keeps in registers, with a row tile.
// kFewTokens      tokens up to which unpacking the weights for every kMaxTokens of them costs no
//                 more than filling panels.
// kTokenOffset    what the activations of more tokens have added, which then lie in rows, for
//                 multiply_wide_avx512.inl; else 0.
#pragma once

namespace hearth::kernels::cpu {
namespace {

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
