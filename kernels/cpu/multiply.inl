// The inner kernels for a scale every 32 columns, and for float weights: 16 rows x kTokens tokens
// over a run of columns. A token's result is the same whatever kTokens is: integer sums are exact,
// and the float operations of a (row, token) pair are the same, in the same order.

namespace hearth::kernels::cpu {
namespace {

/// Columns of one token tile, from some token and group on.
struct TokenColumns {
  const int8_t* q;      // [step][width][4]
  const float* scales;  // [group][width]
  const float* sums;    // [group][width]
  const float* f32;     // [column][width]
  int width;            // tokens in the tile

  void next_group() {
    q += kGroup * width;
    scales += width;
    sums += width;
  }
};

/// Where 16 rows' results go; the first n_valid tokens exist. When resuming, what lies there is the
/// sum over the columns so far.
struct Output {
  float* out;
  size_t stride;
  int n_valid;
  bool resume;

  template <int kTokens>
  [[gnu::always_inline]] void read(F32x16 (&total)[kTokens]) const {
#pragma GCC unroll 16
    for (int c = 0; c < kTokens; c++) {
      total[c] =
          resume && c < n_valid ? load(out + static_cast<size_t>(c) * stride) : broadcast(0.0f);
    }
  }
  template <int kTokens>
  [[gnu::always_inline]] void write(const F32x16 (&total)[kTokens]) const {
#pragma GCC unroll 16
    for (int c = 0; c < kTokens; c++) {
      if (c < n_valid) store(out + static_cast<size_t>(c) * stride, total[c]);
    }
  }
};

/// 1.5 * 2^23: a float of this size counts in its low bits. An int32 sum that starts at these bits
/// reads, as a float, kMagic + sum (|sum| < 2^22), so fma(bits, scale, -kMagic * scale) is scale *
/// sum rounded once: conversion and multiplication in one operation. kMagic * scale is exact, as a
/// scale has at most 18 significant bits.
inline constexpr float kMagic = 12582912.0f;

/// What a kernel needs of its tokens' sums, for a run of groups: where the integer sums start
/// (kMagic - offset * sum) or, for a type with minima, what these are multiplied by (scale * sum).
/// Prepared ahead, so that the inner loop broadcasts them from memory.
template <class Source, int kTokens>
struct SumTerms {
  static constexpr GroupShape kShape = Source::kShape;
  static constexpr int kGroups = 32;
  static_assert(!(kShape.has_min && kShape.has_offset));
  alignas(64) float values[kGroups * kTokens];

  void prepare(const Source& source, TokenColumns x, int n_groups) {
    if constexpr (!kShape.has_min && !kShape.has_offset) return;
    float* value = values;
    for (int g = 0; g < n_groups; g++, x.next_group(), value += kTokens) {
      const F32x16 sum = load_first(x.sums, kTokens);
      store_first(value,
                  kShape.has_min ? load_first(x.scales, kTokens) * sum
                                 : fnma(broadcast(source.offset()), sum, broadcast(kMagic)),
                  kTokens);
    }
  }
};

/// One scale's worth of columns: adds scale * dot * x's scale - minimum * sum(x) to the totals.
template <class Source, int kTokens>
[[gnu::always_inline]] inline void add_group(const Source& source, const TokenColumns& x,
                                             const float* sum_terms, F32x16 (&total)[kTokens]) {
  constexpr GroupShape kShape = Source::kShape;
  I32x16 acc[kTokens];
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) {
    acc[c] = bits_as_int(broadcast(kShape.has_offset ? sum_terms[c] : kMagic));
  }

  const auto add_pair = [&]<int kPair>() __attribute__((always_inline)) {
    constexpr int kStep = 2 * kPair;
    const U8x64 w0 = source.template weights<kStep>(), w1 = source.template weights<kStep + 1>();
    const int8_t* x0 = x.q + kStep * 4 * x.width;
    const int8_t* x1 = x0 + 4 * x.width;
    if constexpr (kShape.is_8_bit) {
      dot8(acc, w0, x0, w1, x1);
    } else {
      dot(acc, w0, x0, w1, x1);
    }
  };
  [&]<int... kPair>(std::integer_sequence<int, kPair...>) __attribute__((always_inline)) {
    (add_pair.template operator()<kPair>(), ...);
  }
  (std::make_integer_sequence<int, kSteps / 2>());

  const F32x16 scale = source.scale();
  const F32x16 minus_magic = broadcast(-kMagic) * scale;
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) {
    const F32x16 product = fma(bits_as_float(acc[c]), scale, minus_magic);
    total[c] = fma(product, broadcast(x.scales[c]), total[c]);
  }
  if constexpr (kShape.has_min) {
    const F32x16 minimum = source.minimum();
#pragma GCC unroll 12
    for (int c = 0; c < kTokens; c++) {
      total[c] = fnma(minimum, broadcast(sum_terms[c]), total[c]);
    }
  }
}

template <int kTokens, class Source>
void multiply(Source source, TokenColumns x, int n_groups, const Output& output) {
  using Terms = SumTerms<Source, kTokens>;
  Terms terms;
  F32x16 total[kTokens];
  output.read(total);
  for (int n_left = n_groups; n_left > 0; n_left -= Terms::kGroups) {
    const int n = n_left < Terms::kGroups ? n_left : Terms::kGroups;
    terms.prepare(source, x, n);
    const float* sum_terms = terms.values;
    for (int g = 0; g < n; g++, sum_terms += kTokens) {
      add_group(source, x, sum_terms, total);
      source.next();
      x.next_group();
    }
  }
  output.write(total);
}

// --- float weights ---

template <BlockType kType>
inline F32x16 load_float_weights(const std::byte* p) {
  if constexpr (kType == BlockType::kF16) return load_f16(p);
  if constexpr (kType == BlockType::kBF16) return load_bf16(p);
  return load(reinterpret_cast<const float*>(p));
}

/// Sums 32 columns at a time, then the sums: short chains that overlap, and less rounding.
template <int kTokens, BlockType kType>
void multiply_float(const std::byte* w, TokenColumns x, int n_cols, const Output& output) {
  constexpr int kColumnBytes = kTileRows * (kType == BlockType::kF32 ? 4 : 2);
  F32x16 total[kTokens];
  output.read(total);
  for (int column = 0; column < n_cols; column += kGroup) {
    const int n = n_cols - column < kGroup ? n_cols - column : kGroup;
    prefetch(w, n * kColumnBytes);
    F32x16 sum[kTokens];
#pragma GCC unroll 12
    for (int c = 0; c < kTokens; c++) sum[c] = broadcast(0.0f);
    for (int k = 0; k < n; k++, w += kColumnBytes, x.f32 += x.width) {
      const F32x16 weights = load_float_weights<kType>(w);
#pragma GCC unroll 12
      for (int c = 0; c < kTokens; c++) sum[c] = fma(weights, broadcast(x.f32[c]), sum[c]);
    }
#pragma GCC unroll 12
    for (int c = 0; c < kTokens; c++) total[c] = total[c] + sum[c];
  }
  output.write(total);
}

}  // namespace
}  // namespace hearth::kernels::cpu
