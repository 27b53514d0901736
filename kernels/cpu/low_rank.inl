// An adapter's two thin products, which multiply f16 weights by floats. A vector of weights holds
// 16 ranks of one column, or 16 rows of one rank, so that sums need no reduction over the lanes.

namespace hearth::kernels::cpu {
namespace {

/// How many tokens share a load of the weights. Their sums must fit the registers: lowering needs
/// two sums per token, raising one.
inline constexpr int kRaisedTokens = kMaxTokens < 8 ? 4 : 8, kLoweredTokens = kRaisedTokens / 2;
/// How many tiles are computed at once when a single token is raised. With only one, each addition
/// would wait for the one before.
inline constexpr int kTilesAtOnce = 4;

/// Each token has two sums, for even and odd columns, to hide the latency of the addition.
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
  for (; n >= kLoweredTokens; n -= kLoweredTokens) {
    lower_tokens<kLoweredTokens>(a, n_cols, in, in_stride, out, out_stride);
    in += kLoweredTokens * in_stride;
    out += kLoweredTokens * out_stride;
  }
  for (; n > 0; n--, in += in_stride, out += out_stride)
    lower_tokens<1>(a, n_cols, in, in_stride, out, out_stride);
}

template <int kTokens, int kTiles>
void raise_tiles(const uint16_t* b, int rank, const float* t, size_t t_stride, float* out,
                 size_t out_stride) {
  F32x16 sums[kTokens * kTiles];
  set_all(sums, broadcast(0.0f));
  for (int i = 0; i < rank; i++) {
    HEARTH_UNROLL
    for (int tile = 0; tile < kTiles; tile++) {
      const F32x16 weights = load_f16(b + (static_cast<size_t>(tile) * rank + i) * 16);
      HEARTH_UNROLL
      for (int c = 0; c < kTokens; c++) {
        F32x16& sum = sums[c * kTiles + tile];
        sum = fma(weights, broadcast(t[static_cast<size_t>(c) * t_stride + i]), sum);
      }
    }
  }
  HEARTH_UNROLL
  for (int i = 0; i < kTokens * kTiles; i++) {
    float* to = out + static_cast<size_t>(i / kTiles) * out_stride + i % kTiles * 16;
    store(to, load(to) + sums[i]);
  }
}

void raise(const uint16_t* b, int rank, int n_tiles, const float* t, size_t t_stride, int n,
           float* out, size_t out_stride) {
  const size_t tile_weights = static_cast<size_t>(rank) * 16;
  for (; n >= kRaisedTokens; n -= kRaisedTokens) {
    for (int tile = 0; tile < n_tiles; tile++)
      raise_tiles<kRaisedTokens, 1>(b + tile * tile_weights, rank, t, t_stride, out + 16 * tile,
                                    out_stride);
    t += kRaisedTokens * t_stride;
    out += kRaisedTokens * out_stride;
  }
  for (; n > 0; n--, t += t_stride, out += out_stride) {
    int tile = 0;
    for (; tile + kTilesAtOnce <= n_tiles; tile += kTilesAtOnce)
      raise_tiles<1, kTilesAtOnce>(b + tile * tile_weights, rank, t, 0, out + 16 * tile, 0);
    for (; tile < n_tiles; tile++)
      raise_tiles<1, 1>(b + tile * tile_weights, rank, t, 0, out + 16 * tile, 0);
  }
}

}  // namespace
}  // namespace hearth::kernels::cpu
