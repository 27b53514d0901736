// Activations as the matmul kernels want them: int8 in groups of 32 columns, tokens interleaved in
// tiles.

namespace hearth::kernels::cpu {
namespace {

/// Tokens [first, first + n) of a batch, laid out in a tile of `width` columns. A width of 16 is
/// for tile registers, which want the 32 columns of a token side by side; else a step's 4 columns
/// of all tokens are.
struct TokenTile {
  int first;
  int n;
  int width;
};

/// Tokens in a tile of a batch that needs several.
constexpr int tile_tokens(int n_tokens) {
  return n_tokens > kTileTokens ? kWideTokens : kTileTokens;
}

inline TokenTile token_tile(int first, int n_tokens) {
  const int most = tile_tokens(n_tokens);
  const int n = n_tokens - first < most ? n_tokens - first : most;
  if (most > kTileTokens) return {first, n, most};
  const int width = n <= 2 ? n : n <= 4 ? 4 : n <= 8 ? 8 : kTileTokens;
  return {first, n, width};
}

/// From token `token` of the tile and column `column` (a multiple of 32) on.
inline TokenColumns columns_of(const Activations& a, const TokenTile& tile, int token, int column) {
  const size_t before = static_cast<size_t>(tile.first), width = static_cast<size_t>(tile.width);
  const size_t groups = static_cast<size_t>(a.n_cols / kGroup), t = static_cast<size_t>(token);
  const size_t k = static_cast<size_t>(column), g = k / kGroup;
  return {a.q + before * groups * kGroup + k * width + 4 * t,
          a.scales + before * groups + g * width + t,
          a.sums + before * groups * 2 + 2 * g * width + t,
          a.f32 + before * static_cast<size_t>(a.n_cols) + k * width + t, tile.width};
}

/// int8 of 32 floats at one scale. NaN and Inf make the scale NaN, so that they are not lost.
inline float quantize_group(const float* x, int8_t* q, float* sums) {
  const F32x16 x0 = load(x), x1 = load(x + 16);
  const int32_t largest = reduce_max(max(bits_as_int(abs(x0)), bits_as_int(abs(x1))));
  float amax;
  std::memcpy(&amax, &largest, sizeof amax);
  const bool is_finite = largest < 0x7f800000;
  // Below 1e-30 a group counts as zero: 127 / amax would overflow.
  const float inverse = is_finite && amax > 1e-30f ? 127.0f / amax : 0;
  const F32x16 magic = broadcast(kMagic);
  const I32x16 bits = bits_as_int(magic);
  const I32x16 q0 = bits_as_int(x0 * broadcast(inverse) + magic) - bits;
  const I32x16 q1 = bits_as_int(x1 * broadcast(inverse) + magic) - bits;
  store_i8(q, q0);
  store_i8(q + 16, q1);
  sums[0] = static_cast<float>(reduce_add(q0));
  sums[1] = static_cast<float>(reduce_add(q1));
  return is_finite ? (inverse > 0 ? amax / 127.0f : 0) : __builtin_nanf("");
}

/// Puts a group's 32 columns of token t into a tile.
inline void place_columns(const int8_t* columns, int t, const TokenTile& tile, int8_t* group) {
  if (tile.width > kTileTokens) {
    std::memcpy(group + t * kGroup, columns, kGroup);
    return;
  }
  for (int step = 0; step < kSteps; step++) {
    std::memcpy(group + (step * tile.width + t) * 4, columns + 4 * step, 4);
  }
}

void quantize_token(const float* x, int token, bool with_f32, Activations& a) {
  const TokenTile tile = token_tile(token - token % tile_tokens(a.n), a.n);
  const int t = token - tile.first;
  const TokenColumns to = columns_of(a, tile, 0, 0);
  int8_t* q = a.q + (to.q - a.q);
  float* scales = a.scales + (to.scales - a.scales) + t;
  float* sums = a.sums + (to.sums - a.sums) + t;
  for (int g = 0; g < a.n_cols / kGroup; g++) {
    int8_t columns[kGroup];
    float halves[2];
    scales[g * tile.width] = quantize_group(x + g * kGroup, columns, halves);
    sums[2 * g * tile.width] = halves[0];
    sums[(2 * g + 1) * tile.width] = halves[1];
    place_columns(columns, t, tile, q + g * kGroup * tile.width);
  }
  if (!with_f32) return;
  float* f32 = a.f32 + (to.f32 - a.f32) + t;
  for (int k = 0; k < a.n_cols; k++) f32[k * tile.width] = x[k];
}

/// Calls kernel.operator()<kTokens>(tokens' columns, output) for all tokens of a tile, at most
/// kMaxTokens at a time.
template <class Kernel>
inline void for_tokens(const Activations& a, const TokenTile& tile, int column, float* out,
                       size_t stride, Kernel kernel) {
  for (int token = 0; token < tile.n;) {
    const auto run = [&]<int kTokens>() {
      const int n_left = tile.n - token;
      kernel.template operator()<kTokens>(
          columns_of(a, tile, token, column),
          Output{out + static_cast<size_t>(tile.first + token) * stride, stride,
                 n_left < kTokens ? n_left : kTokens, column > 0});
      token += kTokens;
    };
    const int width = tile.width > kTileTokens  ? 8
                      : tile.width < kMaxTokens ? tile.width
                                                : kMaxTokens;
    if (width == 1) run.template operator()<1>();
    if (width == 2) run.template operator()<2>();
    if (width == 4) run.template operator()<4>();
    if constexpr (kMaxTokens >= 8) {
      if (width == 8) run.template operator()<8>();
      if (width == 12) run.template operator()<12>();
    }
  }
}

}  // namespace
}  // namespace hearth::kernels::cpu
