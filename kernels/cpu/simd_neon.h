// The SIMD layer (its names: simd.h) on NEON with dot products: 16 floats, 16 int32 or 64 bytes are
// four registers.
#pragma once

#include <arm_neon.h>

#define HEARTH_REGISTER_BYTES 16
#include "simd.h"

namespace hearth::kernels::cpu {
namespace {

inline Floats fma(Floats a, Floats b, Floats c) { return vfmaq_f32(c, a, b); }
inline Floats fnma(Floats a, Floats b, Floats c) { return vfmsq_f32(c, a, b); }
inline Floats max(Floats a, Floats b) { return a > b ? a : b; }
inline Floats min(Floats a, Floats b) { return a < b ? a : b; }
inline Floats widen_f16(HalfRegister x) { return vcvt_f32_f16(vreinterpret_f16_u16(x)); }
inline HalfRegister narrow_to_f16(Floats x) { return vreinterpret_u16_f16(vcvt_f16_f32(x)); }
inline Unsigned widen_u16(HalfRegister x) { return vmovl_u16(x); }
inline Words widen_i8(HalfRegister x) {
  return vreinterpretq_u16_s16(vmovl_s8(vreinterpret_s8_u16(x)));
}
inline Bytes look_up(const uint8_t* table, Bytes x) { return vqtbl1q_u8(vld1q_u8(table), x); }

inline I32x16 load_i8(const void* p) {
  const int8x16_t bytes = vld1q_s8(static_cast<const int8_t*>(p));
  const int16x8_t low = vmovl_s8(vget_low_s8(bytes)), high = vmovl_s8(vget_high_s8(bytes));
  const int32x4_t quarters[4] = {vmovl_s16(vget_low_s16(low)), vmovl_s16(vget_high_s16(low)),
                                 vmovl_s16(vget_low_s16(high)), vmovl_s16(vget_high_s16(high))};
  return each<Unsigned>([&](int i) { return quarters[i]; });
}
inline void store_i8(int8_t* p, I32x16 x) {
  const uint16x8_t low = vcombine_u16(vmovn_u32(x.v[0]), vmovn_u32(x.v[1]));
  const uint16x8_t high = vcombine_u16(vmovn_u32(x.v[2]), vmovn_u32(x.v[3]));
  vst1q_s8(p, vreinterpretq_s8_u8(vcombine_u8(vmovn_u16(low), vmovn_u16(high))));
}

/// sdot multiplies signed bytes. Codes below 128 have the same value as signed bytes.
inline Unsigned add_dot4(Unsigned acc, Bytes w, const int8_t* x) {
  const int8x16_t columns = vreinterpretq_s8_u32(broadcast_4_part(x));
  return as<Unsigned>(vdotq_s32(as<Ints>(acc), vreinterpretq_s8_u8(w), columns));
}
inline constexpr int kDot8Offset = 0;
inline Unsigned add_dot2(Unsigned acc, Unsigned pairs, const int16_t* x) {
  const int16x8_t rows = vreinterpretq_s16_u32(pairs);
  const int16x8_t both = vreinterpretq_s16_u32(broadcast_4_part(x));
  const int32x4_t low = vmull_s16(vget_low_s16(rows), vget_low_s16(both));
  return acc + as<Unsigned>(vpaddq_s32(low, vmull_high_s16(rows, both)));
}

#define HEARTH_OWN_SCALED_DOT
/// Computes a quarter of the rows over four steps at a time, because the sums of all rows do not
/// fit the registers.
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
[[gnu::always_inline]] inline void scaled_dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                              const int8_t* x, int step_bytes, I32x16 scale) {
  const U8x64 w[4] = {weights.template step<kFirst>(), weights.template step<kFirst + 1>(),
                      weights.template step<kFirst + 2>(), weights.template step<kFirst + 3>()};
  const int8_t* first = x + kFirst * step_bytes;
  HEARTH_UNROLL
  for (int i = 0; i < 4; i++) {
    HEARTH_UNROLL
    for (int c = 0; c < kTokens; c++) {
      Unsigned sum = {};
      HEARTH_UNROLL
      for (int step = 0; step < 4; step++)
        sum = add_dot4(sum, w[step].v[i], first + step * step_bytes + 4 * c);
      acc[c].v[i] += sum * scale.v[i];
    }
  }
  if constexpr (kSteps > 4)
    scaled_dot<kBits, kFirst + 4, kSteps - 4>(acc, weights, x, step_bytes, scale);
}

/// With 4 tokens, 16 of the 32 registers hold int32 sums (four per token).
inline constexpr int kMaxTokens = 4;
inline constexpr int kFewTokens = kMaxTokens;

}  // namespace
}  // namespace hearth::kernels::cpu

#include "dot_steps.h"
