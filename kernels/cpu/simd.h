// The SIMD vocabulary: the names that all kernels are written in. Each simd_*.h defines them for
// one instruction set, and a variant_*.cc includes one of these first. This file says what they
// mean and defines what can be written in them once.
//
// F32x16, I32x16     16 lanes. load, store (at any address), broadcast, + - * /
// fma, fnma          fma(a, b, c) = a * b + c, fnma(a, b, c) = c - a * b, with one rounding. The
//                    compiler contracts nothing else (-ffp-contract=off).
// max, min           the second operand if either is NaN
// Mask16             first_lanes(n), select(m, yes, no)
// load_first, store_first    read or write the first n floats only; the other lanes read as 0
// load_f16, load_bf16, store_f16 (rounds to nearest even), load_i8, store_i8    16 lanes
// to_float           converts; bits_as_float and bits_as_int reinterpret
// reduce_add, reduce_max     over the lanes, in the same order in every variant
//
// U8x64              64 codes of weights: 16 rows x 4 columns. Lane i of a dot product is row i.
// prepared(w)        codes of eight bits (stored as w + 128) in the form that dot() takes
// dot<bits, first, n>(acc, weights, x, step_bytes)
//                    acc[c] += w * x over n steps of 4 columns, exactly, for a row tile and some
//                    tokens c. weights.step<i>() gives the codes of step i: unsigned, of at most 6
//                    bits, or prepared. x holds activations in -127..127, 4 for each token; a step
//                    is step_bytes behind the one before it. With eight bits the result still
//                    contains kDot8Offset * sum(x), as not every instruction set can take signed
//                    weights for free.
// scaled_dot<bits, first, n>(acc, weights, x, step_bytes, scale)
//                    acc[c] += scale * (w * x); scale comes from first_of_pair or second_of_pair
// load_i8_pairs      32 int8 as int16, two in each lane, the first in the low half
// first_of_pair, second_of_pair   one of each pair, in the form that scaled_dot takes
// dot_pairs(acc, pairs, x)   acc[c] += first * x[2 c] + second * x[2 c + 1], x being int16
//
// kMaxTokens         tokens whose sums fit the registers beside a row tile
// kFewTokens         see BatchPlan::few in panel.h
#pragma once

namespace hearth::kernels::cpu {
namespace {

/// e^x, with an error of at most 1.1 ulp over the whole range, subnormal results included; 0, Inf
/// and NaN as in std::exp.
inline F32x16 exp(F32x16 x) {
  // x = n ln 2 + r with |r| <= ln 2 / 2. Beyond these bounds the result is 0 or Inf anyway. x is
  // the second operand of max and min, which keeps NaN.
  x = max(broadcast(-104.0f), min(broadcast(89.0f), x));
  const F32x16 magic = broadcast(12582912.0f);  // 1.5 * 2^23: the sum's low bits are the integer
  const F32x16 shifted = fma(x, broadcast(0x1.715476p+0f), magic);
  const F32x16 n = shifted - magic;
  F32x16 r = fnma(n, broadcast(0x1.62e4p-1f), x);  // ln 2 in two parts, the first exact times n
  r = fnma(n, broadcast(0x1.7f7d1cp-20f), r);
  F32x16 p = broadcast(0x1.6a2256p-10f);
  p = fma(p, r, broadcast(0x1.123b04p-7f));
  p = fma(p, r, broadcast(0x1.5558f8p-5f));
  p = fma(p, r, broadcast(0x1.555490p-3f));
  p = fma(p, r, broadcast(0x1.fffffcp-2f));
  const F32x16 result = fma(p * r, r, r) + broadcast(1.0f);
  // Times 2^n, as 2^(n/2) * 2^(n - n/2): n runs from -150 to 128, beyond a float's exponent.
  const I32x16 exponent = bits_as_int(shifted) - bits_as_int(magic);
  const I32x16 half = shift_right<1>(exponent);
  const I32x16 bias = broadcast(int32_t{127});
  const F32x16 first = bits_as_float(shift_left<23>(half + bias));
  const F32x16 second = bits_as_float(shift_left<23>(exponent - half + bias));
  return result * first * second;
}

}  // namespace
}  // namespace hearth::kernels::cpu
