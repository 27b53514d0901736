// The dot products of simd.h for vocabularies (NEON, scalar) that define them over a fixed number
// of steps: dot over two, scaled_dot over four.
#pragma once

namespace hearth::kernels::cpu {
namespace {

inline I32x16 first_of_pair(I32x16 pairs) { return shift_right<16>(shift_left<16>(pairs)); }
inline I32x16 second_of_pair(I32x16 pairs) { return shift_right<16>(pairs); }

/// By two steps at a time, with dot(acc, w0, x0, w1, x1) = acc + w0 * x0 + w1 * x1.
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                       const int8_t* x, int step_bytes) {
  const U8x64 w0 = weights.template step<kFirst>(), w1 = weights.template step<kFirst + 1>();
  const int8_t* x0 = x + kFirst * step_bytes;
  dot(acc, w0, x0, w1, x0 + step_bytes);
  if constexpr (kSteps > 2) dot<kBits, kFirst + 2, kSteps - 2>(acc, weights, x, step_bytes);
}
/// By four steps at a time, with scaled_dot<bits>(acc, w[4], x, step_bytes, scale).
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void scaled_dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                              const int8_t* x, int step_bytes, I32x16 scale) {
  const U8x64 w[4] = {weights.template step<kFirst>(), weights.template step<kFirst + 1>(),
                      weights.template step<kFirst + 2>(), weights.template step<kFirst + 3>()};
  scaled_dot<kBits>(acc, w, x + kFirst * step_bytes, step_bytes, scale);
  if constexpr (kSteps > 4)
    scaled_dot<kBits, kFirst + 4, kSteps - 4>(acc, weights, x, step_bytes, scale);
}

}  // namespace
}  // namespace hearth::kernels::cpu
