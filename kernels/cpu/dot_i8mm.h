// The dot products of simd.h with ARM's matrix products for int8 (FEAT_I8MM): smmla multiplies 2
// tokens x 8 columns by 2 rows x 8 columns, which is twice as many products as sdot computes. For a
// single token we use sdot, unless its weights are in a panel.
#pragma once

#include "simd_neon.h"

namespace hearth::kernels::cpu {
namespace {

/// The codes of two steps, 8 columns. Register i of `first` has rows 4 i and 4 i + 1; register i of
/// `second` has rows 4 i + 2 and 4 i + 3.
struct StepPair {
  U8x64 first, second;
};
/// Makes a pair from the codes of two consecutive steps.
inline StepPair pair_steps(U8x64 a, U8x64 b) {
  const auto zip = [&](auto half) {
    return each<Bytes>([&](int i) { return half(as<Unsigned>(a.v[i]), as<Unsigned>(b.v[i])); });
  };
  return {zip([](Unsigned x, Unsigned y) { return vzip1q_u32(x, y); }),
          zip([](Unsigned x, Unsigned y) { return vzip2q_u32(x, y); })};
}

#define HEARTH_OWN_PANEL_ORDER
/// Turns a panel's steps into pairs of steps, once for all tokens.
inline void order_panel(uint8_t* w, int n_steps) {
  for (int step = 0; step < n_steps; step += 2, w += 2 * sizeof(U8x64)) {
    const StepPair pair = pair_steps(load_u8(w), load_u8(w + sizeof(U8x64)));
    store(w, pair.first);
    store(w + sizeof(U8x64), pair.second);
  }
}
template <int kStep, class Weights>
[[gnu::always_inline]] inline StepPair steps_of(const Weights& weights) {
  const U8x64 a = weights.template step<kStep>(), b = weights.template step<kStep + 1>();
  if constexpr (Weights::kIsPanel) return {a, b};
  return pair_steps(a, b);
}

/// Loads two steps of two tokens; if kIsOne, loads two steps of a single token twice.
template <bool kIsOne>
inline int8x16_t load_tokens(const int8_t* x, int step_bytes) {
  using Half [[gnu::vector_size(8)]] = uint32_t;
  if constexpr (kIsOne) {
    return as<int8x16_t>(vzip1q_u32(broadcast_4_part(x), broadcast_4_part(x + step_bytes)));
  } else {
    const Half a = load_piece<Half>(x, 0), b = load_piece<Half>(x + step_bytes, 0);
    return as<int8x16_t>(__builtin_shufflevector(a, b, 0, 2, 1, 3));
  }
}

/// The sums of a pair of tokens for four rows: `first` for the first two rows, `second` for the
/// other two.
struct PairSums {
  Unsigned first, second;

  void add(int8x16_t x, const StepPair& w, int i) {
    first = as<Unsigned>(vmmlaq_s32(as<Ints>(first), x, as<int8x16_t>(w.first.v[i])));
    second = as<Unsigned>(vmmlaq_s32(as<Ints>(second), x, as<int8x16_t>(w.second.v[i])));
  }
};
/// Converts the sums of two single tokens to the sums of a pair, or back.
inline PairSums exchange(Unsigned a, Unsigned b) {
  return {as<Unsigned>(vzip1q_u64(as<uint64x2_t>(a), as<uint64x2_t>(b))),
          as<Unsigned>(vzip2q_u64(as<uint64x2_t>(a), as<uint64x2_t>(b)))};
}
inline Unsigned sums_of(const PairSums& pair, int token) {
  const PairSums single = exchange(pair.first, pair.second);
  return token % 2 == 0 ? single.first : single.second;
}

template <class Weights, int kTokens>
inline constexpr bool kTakesPairs = Weights::kIsPanel || kTokens > 1;

template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
requires kTakesPairs<Weights, kTokens>
[[gnu::always_inline]] inline void dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                       const int8_t* x, int step_bytes) {
  constexpr bool kIsOne = kTokens == 1;
  PairSums sums[(kTokens + 1) / 2][kParts];
  HEARTH_UNROLL
  for (int c = 0; c < kTokens; c += 2) {
    const I32x16 &a = acc[c], &b = acc[kIsOne ? c : c + 1];
    HEARTH_UNROLL
    for (int i = 0; i < kParts; i++) sums[c / 2][i] = exchange(a.v[i], b.v[i]);
  }
  for_constants<kSteps / 2>([&]<int kPair>() __attribute__((always_inline)) {
    constexpr int kStep = kFirst + 2 * kPair;
    const StepPair w = steps_of<kStep>(weights);
    HEARTH_UNROLL
    for (int c = 0; c < kTokens; c += 2) {
      const int8x16_t tokens = load_tokens<kIsOne>(x + kStep * step_bytes + 4 * c, step_bytes);
      HEARTH_UNROLL
      for (int i = 0; i < kParts; i++) sums[c / 2][i].add(tokens, w, i);
    }
  });
  HEARTH_UNROLL
  for (int c = 0; c < kTokens; c++) {
    acc[c] = each<Unsigned>([&](int i) { return sums_of(sums[c / 2][i], c); });
  }
}

/// Computes a quarter of the rows at a time, because the sums of all rows do not fit the registers.
template <int kBits, int kFirst, int kSteps, class Weights, int kTokens>
requires kTakesPairs<Weights, kTokens>
[[gnu::always_inline]] inline void scaled_dot(I32x16 (&acc)[kTokens], const Weights& weights,
                                              const int8_t* x, int step_bytes, I32x16 scale) {
  HEARTH_UNROLL
  for (int i = 0; i < kParts; i++) {
    PairSums sums[(kTokens + 1) / 2] = {};
    for_constants<kSteps / 2>([&]<int kPair>() __attribute__((always_inline)) {
      constexpr int kStep = kFirst + 2 * kPair;
      const StepPair w = steps_of<kStep>(weights);
      HEARTH_UNROLL
      for (int c = 0; c < kTokens; c += 2) {
        const int8_t* columns = x + kStep * step_bytes + 4 * c;
        sums[c / 2].add(load_tokens<kTokens == 1>(columns, step_bytes), w, i);
      }
    });
    HEARTH_UNROLL
    for (int c = 0; c < kTokens; c++) acc[c].v[i] += sums_of(sums[c / 2], c) * scale.v[i];
  }
}

}  // namespace
}  // namespace hearth::kernels::cpu
