// The dot products of simd.h for instruction sets that add a step's products to int32 sums in one
// instruction. Before it includes this file, each SIMD layer defines that operation for one
// register:
//   add_dot4(acc, w, x)   in each lane, acc + the dot product of the four unsigned bytes of w and
//                         the four int8 at x
#pragma once

namespace hearth::kernels::cpu {
namespace {

inline I32x16 first_of_pair(I32x16 pairs) { return shift_right<16>(shift_left<16>(pairs)); }
inline I32x16 second_of_pair(I32x16 pairs) { return shift_right<16>(pairs); }

inline I32x16 add_dot4(I32x16 acc, U8x64 w, const int8_t* x) {
  return each<Unsigned>([&](int i) { return add_dot4(acc.v[i], w.v[i], x); });
}
/// The outer loop is over steps, the inner one over tokens. This keeps additions to the same sum
/// far enough apart to hide their latency, even if two threads share a core and each has only half
/// of its scheduler.
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                       const int8_t* x, int step_bytes) {
  for_constants<kSteps>([&]<int kStep>() __attribute__((always_inline)) {
    const U8x64 w = weights.template step<kFirst + kStep>();
    const int8_t* columns = x + (kFirst + kStep) * step_bytes;
    HEARTH_UNROLL
    for (int c = 0; c < kTokens; c++) acc[c] = add_dot4(acc[c], w, columns + 4 * c);
  });
}

#ifndef HEARTH_OWN_SCALED_DOT
/// Sums up all columns that share a scale, then multiplies the sum by the scale, in 32 bits.
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void scaled_dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                              const int8_t* x, int step_bytes, I32x16 scale) {
  I32x16 sum[kTokens];
  set_all(sum, broadcast(int32_t{0}));
  dot<kBits, kFirst, kSteps>(sum, weights, x, step_bytes);
  HEARTH_UNROLL
  for (int c = 0; c < kTokens; c++) acc[c] = acc[c] + sum[c] * scale;
}
#endif

}  // namespace
}  // namespace hearth::kernels::cpu
