// The SIMD vocabulary (simd.h says what the names mean) on NEON with dot products: 16 floats, 16
// int32 or 64 bytes are four registers.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hearth::kernels::cpu {
namespace {

struct F32x16 {
  float32x4_t v[4];
};
struct I32x16 {
  int32x4_t v[4];
};
struct U8x64 {
  uint8x16_t v[4];
};
struct Mask16 {
  uint32x4_t v[4];
};

/// Result of f(i) for each of the four registers.
template <class Result, class F>
inline Result quarters(F f) {
  return {{f(0), f(1), f(2), f(3)}};
}

// --- element by element: op on each quarter ---

#define HEARTH_EACH_QUARTER(Type, name, op)                           \
  inline Type name(Type a, Type b) {                                  \
    return quarters<Type>([&](int i) { return op(a.v[i], b.v[i]); }); \
  }
HEARTH_EACH_QUARTER(F32x16, operator+, vaddq_f32)
HEARTH_EACH_QUARTER(F32x16, operator-, vsubq_f32)
HEARTH_EACH_QUARTER(F32x16, operator*, vmulq_f32)
HEARTH_EACH_QUARTER(F32x16, operator/, vdivq_f32)
HEARTH_EACH_QUARTER(I32x16, operator+, vaddq_s32)
HEARTH_EACH_QUARTER(I32x16, operator-, vsubq_s32)
HEARTH_EACH_QUARTER(I32x16, operator&, vandq_s32)
HEARTH_EACH_QUARTER(I32x16, max, vmaxq_s32)
HEARTH_EACH_QUARTER(U8x64, operator|, vorrq_u8)
#undef HEARTH_EACH_QUARTER

// --- 16 floats ---

inline F32x16 load(const float* p) {
  return quarters<F32x16>([&](int i) { return vld1q_f32(p + 4 * i); });
}
inline void store(float* p, F32x16 a) {
  for (int i = 0; i < 4; i++) vst1q_f32(p + 4 * i, a.v[i]);
}
inline F32x16 broadcast(float x) {
  return quarters<F32x16>([&](int) { return vdupq_n_f32(x); });
}
inline F32x16 fma(F32x16 a, F32x16 b, F32x16 c) {
  return quarters<F32x16>([&](int i) { return vfmaq_f32(c.v[i], a.v[i], b.v[i]); });
}
inline F32x16 fnma(F32x16 a, F32x16 b, F32x16 c) {
  return quarters<F32x16>([&](int i) { return vfmsq_f32(c.v[i], a.v[i], b.v[i]); });
}
// Not vmaxq and vminq, which give NaN if either operand is.
inline F32x16 max(F32x16 a, F32x16 b) {
  return quarters<F32x16>(
      [&](int i) { return vbslq_f32(vcgtq_f32(a.v[i], b.v[i]), a.v[i], b.v[i]); });
}
inline F32x16 min(F32x16 a, F32x16 b) {
  return quarters<F32x16>(
      [&](int i) { return vbslq_f32(vcltq_f32(a.v[i], b.v[i]), a.v[i], b.v[i]); });
}
inline F32x16 abs(F32x16 a) {
  return quarters<F32x16>([&](int i) { return vabsq_f32(a.v[i]); });
}

inline Mask16 first_lanes(int n) {
  const int32_t lanes[4] = {0, 1, 2, 3};
  return quarters<Mask16>(
      [&](int i) { return vcltq_s32(vld1q_s32(lanes), vdupq_n_s32(n - 4 * i)); });
}
inline F32x16 select(Mask16 m, F32x16 yes, F32x16 no) {
  return quarters<F32x16>([&](int i) { return vbslq_f32(m.v[i], yes.v[i], no.v[i]); });
}
inline F32x16 load_first(const float* p, int n) {
  float lanes[16] = {};
  std::memcpy(lanes, p, sizeof(float) * static_cast<size_t>(n));
  return load(lanes);
}
inline void store_first(float* p, F32x16 a, int n) {
  float lanes[16];
  store(lanes, a);
  std::memcpy(p, lanes, sizeof(float) * static_cast<size_t>(n));
}

inline uint16x4_t load_quarter_u16(const void* p, int i) {
  uint16x4_t halves;
  std::memcpy(&halves, static_cast<const char*>(p) + 8 * i, sizeof halves);
  return halves;
}
inline F32x16 load_f16(const void* p) {
  return quarters<F32x16>(
      [&](int i) { return vcvt_f32_f16(vreinterpret_f16_u16(load_quarter_u16(p, i))); });
}
inline F32x16 load_bf16(const void* p) {
  return quarters<F32x16>(
      [&](int i) { return vreinterpretq_f32_u32(vshll_n_u16(load_quarter_u16(p, i), 16)); });
}
inline void store_f16(void* p, F32x16 a) {
  for (int i = 0; i < 4; i++) {
    const float16x4_t halves = vcvt_f16_f32(a.v[i]);
    std::memcpy(static_cast<char*>(p) + 8 * i, &halves, sizeof halves);
  }
}

// --- 16 int32 ---

inline I32x16 load(const int32_t* p) {
  return quarters<I32x16>([&](int i) { return vld1q_s32(p + 4 * i); });
}
inline void store(int32_t* p, I32x16 a) {
  for (int i = 0; i < 4; i++) vst1q_s32(p + 4 * i, a.v[i]);
}
inline I32x16 broadcast(int32_t x) {
  return quarters<I32x16>([&](int) { return vdupq_n_s32(x); });
}
inline I32x16 load_i8(const void* p) {
  const int8x16_t bytes = vld1q_s8(static_cast<const int8_t*>(p));
  const int16x8_t low = vmovl_s8(vget_low_s8(bytes)), high = vmovl_s8(vget_high_s8(bytes));
  return {{vmovl_s16(vget_low_s16(low)), vmovl_s16(vget_high_s16(low)),
           vmovl_s16(vget_low_s16(high)), vmovl_s16(vget_high_s16(high))}};
}
template <int kBits>
inline I32x16 shift_left(I32x16 a) {
  return quarters<I32x16>([&](int i) { return vshlq_n_s32(a.v[i], kBits); });
}
template <int kBits>
inline I32x16 shift_right(I32x16 a) {
  return quarters<I32x16>([&](int i) { return vshrq_n_s32(a.v[i], kBits); });
}
inline F32x16 to_float(I32x16 a) {
  return quarters<F32x16>([&](int i) { return vcvtq_f32_s32(a.v[i]); });
}
inline F32x16 bits_as_float(I32x16 a) {
  return quarters<F32x16>([&](int i) { return vreinterpretq_f32_s32(a.v[i]); });
}
inline I32x16 bits_as_int(F32x16 a) {
  return quarters<I32x16>([&](int i) { return vreinterpretq_s32_f32(a.v[i]); });
}
inline void store_i8(int8_t* p, I32x16 a) {
  const int16x8_t low = vcombine_s16(vmovn_s32(a.v[0]), vmovn_s32(a.v[1]));
  const int16x8_t high = vcombine_s16(vmovn_s32(a.v[2]), vmovn_s32(a.v[3]));
  vst1q_s8(p, vcombine_s8(vmovn_s16(low), vmovn_s16(high)));
}

// --- reductions, always in the same tree: halves, quarters, ... ---

inline float reduce_add(F32x16 a) {
  const float32x4_t q = vaddq_f32(vaddq_f32(a.v[0], a.v[2]), vaddq_f32(a.v[1], a.v[3]));
  const float32x2_t d = vadd_f32(vget_low_f32(q), vget_high_f32(q));
  return vget_lane_f32(d, 0) + vget_lane_f32(d, 1);
}
inline float reduce_max(F32x16 a) {
  return vmaxvq_f32(vmaxq_f32(vmaxq_f32(a.v[0], a.v[1]), vmaxq_f32(a.v[2], a.v[3])));
}
inline int32_t reduce_max(I32x16 a) {
  return vmaxvq_s32(vmaxq_s32(vmaxq_s32(a.v[0], a.v[1]), vmaxq_s32(a.v[2], a.v[3])));
}
inline int32_t reduce_add(I32x16 a) {
  return vaddvq_s32(vaddq_s32(vaddq_s32(a.v[0], a.v[1]), vaddq_s32(a.v[2], a.v[3])));
}

// --- 64 weights: 16 rows x 4 columns ---

inline U8x64 load_u8(const void* p) {
  const uint8_t* bytes = static_cast<const uint8_t*>(p);
  return quarters<U8x64>([&](int i) { return vld1q_u8(bytes + 16 * i); });
}
inline void store(uint8_t* p, U8x64 a) {
  for (int i = 0; i < 4; i++) vst1q_u8(p + 16 * i, a.v[i]);
}
/// (a >> kBits) & mask, or for negative kBits (a << -kBits) & mask, per byte.
template <int kBits>
inline U8x64 shift_right_and(U8x64 a, uint8_t mask) {
  const int8x16_t by = vdupq_n_s8(-kBits);
  return quarters<U8x64>([&](int i) { return vandq_u8(vshlq_u8(a.v[i], by), vdupq_n_u8(mask)); });
}
/// table[a] for 4-bit a.
inline U8x64 look_up(const uint8_t* table, U8x64 a) {
  return quarters<U8x64>([&](int i) { return vqtbl1q_u8(vld1q_u8(table), a.v[i]); });
}

inline int8x16_t broadcast_4(const int8_t* x) {
  int32_t columns;
  std::memcpy(&columns, x, sizeof columns);
  return vreinterpretq_s8_s32(vdupq_n_s32(columns));
}
/// Codes below 128 are the same as signed bytes, which sdot takes.
template <int kTokens>
[[gnu::always_inline]] inline void dot(I32x16 (&acc)[kTokens], U8x64 w0, const int8_t* x0, U8x64 w1,
                                       const int8_t* x1) {
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) {
    const int8x16_t columns0 = broadcast_4(x0 + 4 * c), columns1 = broadcast_4(x1 + 4 * c);
    acc[c] = quarters<I32x16>([&](int i) {
      const int32x4_t first = vdotq_s32(acc[c].v[i], vreinterpretq_s8_u8(w0.v[i]), columns0);
      return vdotq_s32(first, vreinterpretq_s8_u8(w1.v[i]), columns1);
    });
  }
}
inline constexpr int kDot8Offset = 0;
inline U8x64 prepared(U8x64 w) {
  return quarters<U8x64>([&](int i) { return veorq_u8(w.v[i], vdupq_n_u8(128)); });
}

inline I32x16 load_i8_pairs(const void* p) {
  const int8_t* bytes = static_cast<const int8_t*>(p);
  return quarters<I32x16>(
      [&](int i) { return vreinterpretq_s32_s16(vmovl_s8(vld1_s8(bytes + 8 * i))); });
}
template <int kBits, int kTokens>
[[gnu::always_inline]] inline void scaled_dot(I32x16 (&acc)[kTokens], const U8x64 (&w)[4],
                                              const int8_t* x, int step_bytes, I32x16 scale) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    int8x16_t weights[4];
#pragma GCC unroll 4
    for (int step = 0; step < 4; step++) {
      weights[step] = vreinterpretq_s8_u8(w[step].v[i]);
    }
#pragma GCC unroll 12
    for (int c = 0; c < kTokens; c++) {
      int32x4_t sum = vdupq_n_s32(0);
#pragma GCC unroll 4
      for (int step = 0; step < 4; step++)
        sum = vdotq_s32(sum, weights[step], broadcast_4(x + step * step_bytes + 4 * c));
      acc[c].v[i] = vmlaq_s32(acc[c].v[i], sum, scale.v[i]);
    }
  }
}
template <int kTokens>
[[gnu::always_inline]] inline void dot_pairs(I32x16 (&acc)[kTokens], I32x16 pairs,
                                             const int16_t* x) {
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) {
    const int16x8_t both =
        vreinterpretq_s16_s8(broadcast_4(reinterpret_cast<const int8_t*>(x + 2 * c)));
    acc[c] = quarters<I32x16>([&](int i) {
      const int16x8_t rows = vreinterpretq_s16_s32(pairs.v[i]);
      const int32x4_t low = vmull_s16(vget_low_s16(rows), vget_low_s16(both));
      return vaddq_s32(acc[c].v[i], vpaddq_s32(low, vmull_high_s16(rows, both)));
    });
  }
}

/// 16 int32 accumulators (four for each token), of 32 registers.
inline constexpr int kMaxTokens = 4;
inline constexpr int kFewTokens = kMaxTokens;

}  // namespace
}  // namespace hearth::kernels::cpu
