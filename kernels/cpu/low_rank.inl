// An adapter's two thin products, in f16 times float. A vector holds 16 ranks of a column, or 16
// rows of a rank, so that sums need no reduction over its lanes.

namespace hearth::kernels::cpu {
namespace {

/// Tokens that share a load of the weights.
inline constexpr int kLowRankTokens = 4;

/// Two sums hide the latency of the addition for a single token.
template <int kTokens>
void lower_tokens(const uint16_t* a, int n_cols, const float* in, size_t in_stride, float* out,
                  size_t out_stride) {
  F32x16 even[kTokens], odd[kTokens];
  set_all(even, broadcast(0.0f));
  set_all(odd, broadcast(0.0f));
  for (int column = 0; column < n_cols; column += 2, a += 32) {
    const F32x16 first = load_f16(a), second = load_f16(a + 16);
    HEARTH_UNROLL
    for (int c = 0; c < kTokens; c++) {
      const float* x = in + static_cast<size_t>(c) * in_stride + column;
      even[c] = fma(first, broadcast(x[0]), even[c]);
      odd[c] = fma(second, broadcast(x[1]), odd[c]);
    }
  }
  HEARTH_UNROLL
  for (int c = 0; c < kTokens; c++)
    store(out + static_cast<size_t>(c) * out_stride, even[c] + odd[c]);
}

void lower(const uint16_t* a, int n_cols, const float* in, size_t in_stride, int n, float* out,
           size_t out_stride) {
  for (; n >= kLowRankTokens; n -= kLowRankTokens) {
    lower_tokens<kLowRankTokens>(a, n_cols, in, in_stride, out, out_stride);
    in += kLowRankTokens * in_stride;
    out += kLowRankTokens * out_stride;
  }
  for (; n > 0; n--, in += in_stride, out += out_stride)
    lower_tokens<1>(a, n_cols, in, in_stride, out, out_stride);
}

template <int kTokens>
void raise_tile(const uint16_t* b, int rank, const float* t, size_t t_stride, float* out,
                size_t out_stride) {
  F32x16 sums[kTokens];
  set_all(sums, broadcast(0.0f));
  for (int i = 0; i < rank; i++, b += 16) {
    const F32x16 weights = load_f16(b);
    HEARTH_UNROLL
    for (int c = 0; c < kTokens; c++)
      sums[c] = fma(weights, broadcast(t[static_cast<size_t>(c) * t_stride + i]), sums[c]);
  }
  HEARTH_UNROLL
  for (int c = 0; c < kTokens; c++) {
    float* to = out + static_cast<size_t>(c) * out_stride;
    store(to, load(to) + sums[c]);
  }
}

void raise(const uint16_t* b, int rank, int n_tiles, const float* t, size_t t_stride, int n,
           float* out, size_t out_stride) {
  const size_t tile_floats = static_cast<size_t>(rank) * 16;
  for (; n >= kLowRankTokens; n -= kLowRankTokens) {
    for (int tile = 0; tile < n_tiles; tile++)
      raise_tile<kLowRankTokens>(b + tile * tile_floats, rank, t, t_stride, out + 16 * tile,
                                 out_stride);
    t += kLowRankTokens * t_stride;
    out += kLowRankTokens * out_stride;
  }
  for (; n > 0; n--, t += t_stride, out += out_stride)
    for (int tile = 0; tile < n_tiles; tile++)
      raise_tile<1>(b + tile * tile_floats, rank, t, t_stride, out + 16 * tile, out_stride);
}

}  // namespace
}  // namespace hearth::kernels::cpu
