// The inner kernels for formats with a scale every 32 columns, and for float weights. They multiply
// one row tile by kTokens tokens. Batch invariance: a token's result does not depend on kTokens,
// since integer sums are exact and the float operations for each row and token always have the same
// order.

namespace hearth::kernels::cpu {
namespace {

/// A view of one token tile's activations, from one of its tokens and one group on.
struct TokenColumns {
  const int8_t* q;      // [step][width][4]
  const float* scales;  // [group][width]
  const float* sums;    // [group][width]
  int width;            // tokens in the tile

  void next_group() {
    q += kGroup * width;
    scales += width;
    sums += width;
  }
};

/// A view of float activations, from one token and one column on.
struct FloatColumns {
  const float* x;  // [token][stride]
  size_t stride;
  bool is_first;  // whether these tokens are the first to read the weights
};

/// The destination of a row tile's results. Only the first n_valid >= 1 tokens exist. If `resume`
/// is set, the output holds sums over earlier columns, and the results are added to these.
struct Output {
  float* out;
  size_t stride;
  int n_valid;
  bool resume;

  Output after(size_t n_floats) const { return {out + n_floats, stride, n_valid, resume}; }
  template <int kTokens>
  [[gnu::always_inline]] void read(F32x16 (&total)[kTokens]) const {
    if (resume) {
      HEARTH_UNROLL
      for (int c = 0; c < kTokens; c++) total[c] = load(at(c));
    } else {
      set_all(total, broadcast(0.0f));
    }
  }
  /// Stores in descending order of tokens: padding tokens go to the place of the last real token,
  /// which then overwrites them.
  template <int kTokens>
  [[gnu::always_inline]] void write(const F32x16 (&total)[kTokens]) const {
    HEARTH_UNROLL
    for (int c = kTokens - 1; c >= 0; c--) store(at(c), total[c]);
  }

 private:
  float* at(int token) const {
    const int last = n_valid - 1;
    return out + static_cast<size_t>(token < last ? token : last) * stride;
  }
};

/// 1.5 * 2^23. The lowest mantissa bit of a float of this size has the value 1. So if an int32 sum
/// starts from the bits of kMagic, its bits are those of the float kMagic + sum (if |sum| < 2^22),
/// and
///   fma(kMagic + sum, scale, -kMagic * scale) = scale * sum
/// converts and multiplies in one operation, which rounds once. kMagic * scale is exact, because a
/// scale has at most 18 significant bits.
inline constexpr float kMagic = 12582912.0f;

/// The bits of kMagic - offset * sum, the start value of a token's integer sums; `sum` is the sum
/// of its activations. The offset is a power of two, so adding to the exponent of `sum` multiplies
/// by it. A `sum` of 0 becomes a tiny number, which vanishes beside kMagic.
template <int kOffset>
inline I32x16 start_of_sums(const float& sum) {
  static_assert((kOffset & (kOffset - 1)) == 0);
  if constexpr (kOffset == 0) return bits_as_int(broadcast(kMagic));
  const I32x16 exponent = broadcast(int32_t{__builtin_ctz(kOffset) << 23});
  return bits_as_int(broadcast(kMagic) - bits_as_float(bits_as_int(broadcast(sum)) + exponent));
}

/// total += scale * sum * x's scale, where `sums` are the bits of kMagic + sum.
template <int kTokens>
[[gnu::always_inline]] inline void add_scaled_sums(const I32x16 (&sums)[kTokens], F32x16 scale,
                                                   F32x16 minus_magic, const TokenColumns& x,
                                                   F32x16 (&total)[kTokens]) {
  HEARTH_UNROLL
  for (int c = 0; c < kTokens; c++) {
    const F32x16 product = fma(bits_as_float(sums[c]), scale, minus_magic);
    total[c] = fma(product, broadcast(x.scales[c]), total[c]);
  }
}
/// total -= minimum * x's scale * sum of q.
template <int kTokens>
[[gnu::always_inline]] inline void subtract_minima(F32x16 minimum, const TokenColumns& x,
                                                   F32x16 (&total)[kTokens]) {
  HEARTH_UNROLL
  for (int c = 0; c < kTokens; c++)
    total[c] = fnma(minimum, broadcast(x.scales[c]) * broadcast(x.sums[c]), total[c]);
}

/// Adds one group: total += (scale * dot(w, q) - minimum * sum of q) * x's scale.
template <class Source, int kTokens>
[[gnu::always_inline]] inline void add_group(const Source& source, const TokenColumns& x,
                                             F32x16 (&total)[kTokens]) {
  constexpr CodeTraits kTraits = Source::kTraits;
  I32x16 acc[kTokens];
  HEARTH_UNROLL
  for (int c = 0; c < kTokens; c++) acc[c] = start_of_sums<kTraits.offset>(x.sums[c]);

  dot<kTraits.bits, 0, kSteps>(acc, source, x.q, 4 * x.width);

  const F32x16 scale = source.scale();
  add_scaled_sums(acc, scale, broadcast(-kMagic) * scale, x, total);
  if constexpr (kTraits.has_min) subtract_minima(source.minimum(), x, total);
}

/// The width of a token tile, for a kernel that multiplies kTokens of its tokens at once. For a
/// kernel that multiplies whole tiles it is a constant: then the columns of each step are at
/// constant offsets and need no registers.
template <int kTokens>
constexpr int tile_width(int width) {
  return kMaxTokens == kTileTokens ? kTokens : width;
}

template <int kTokens, class Source>
HEARTH_INNER_KERNEL void multiply(Source source, TokenColumns x, int n_groups,
                                  const Output& output) {
  x.width = tile_width<kTokens>(x.width);
  F32x16 total[kTokens];
  output.read(total);
  for (int g = 0; g < n_groups; g++) {
    add_group(source, x, total);
    source.next();
    x.next_group();
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

/// Sums over 32 columns at a time, then adds these sums. Short chains of additions can overlap, and
/// round less.
template <int kTokens, BlockType kType>
HEARTH_INNER_KERNEL void multiply_float(const std::byte* w, FloatColumns x, int n_cols,
                                        const Output& output) {
  constexpr int kColumnBytes = kTileRows * (kType == BlockType::kF32 ? 4 : 2);
  F32x16 total[kTokens];
  output.read(total);
  for (int column = 0; column < n_cols; column += kGroup) {
    const int n = n_cols - column < kGroup ? n_cols - column : kGroup;
    if (x.is_first) prefetch_ahead(w, n * kColumnBytes);
    F32x16 sum[kTokens];
    set_all(sum, broadcast(0.0f));
    for (int k = 0; k < n; k++, w += kColumnBytes, x.x++) {
      const F32x16 weights = load_float_weights<kType>(w);
      HEARTH_UNROLL
      for (int c = 0; c < kTokens; c++) sum[c] = fma(weights, broadcast(x.x[c * x.stride]), sum[c]);
    }
    HEARTH_UNROLL
    for (int c = 0; c < kTokens; c++) total[c] = total[c] + sum[c];
  }
  output.write(total);
}

}  // namespace
}  // namespace hearth::kernels::cpu
