// Quantizes activations to int8, per group of 32 or block of 256 columns, in the layouts that the
// matmul kernels read. A step is 4 columns; t0, t1, ... are the tokens of a token tile:
//
//   interleaved   t0 step 0 | t1 step 0 | ... | t0 step 1 | t1 step 1 | ...
//                 for dot(), which multiplies a vector of 16 rows x 4 columns by 4 columns of a
//                 token
//   tiles of 16   t0 columns 0..63 | t1 columns 0..63 | ... | t0 columns 64..127 | ...
//                 for AMX: 64 columns, or a group of 32, are what one tile instruction multiplies
//   rows          panel 0: t0 columns 0..511 | t1 columns 0..511 | ... | panel 1: ...
//                 for panels_avx512.inl; kBatchPlan.offset is added to each int8
//
// Scales and sums are always interleaved: [group or block][token of the tile]. Floats never are.

namespace hearth::kernels::cpu {
namespace {

/// Tokens [first, first + n) of a batch, laid out in a tile that has room for `width` of them.
struct TokenTile {
  int first;
  int n;
  int width;
};
static_assert(kBatchPlan.tile <= kMaxTileTokens);

/// The tokens of a full tile in a batch of n_tokens.
constexpr int tile_tokens(int n_tokens) {
  return n_tokens > kTileTokens ? kBatchPlan.tile : kTileTokens;
}

/// The number of tokens, padding included, with which a kernel multiplies n <= kTileTokens tokens.
constexpr int padded(int n) { return n <= 2 ? n : n <= 4 ? 4 : n <= 8 ? 8 : kTileTokens; }

inline TokenTile token_tile(int first, int n_tokens) {
  const int most = tile_tokens(n_tokens);
  const int n = n_tokens - first < most ? n_tokens - first : most;
  if (most > kTileTokens) return {first, n, most};
  return {first, n, padded(n)};
}

/// Whether the batch's int8 are stored in rows: [panel of kRowColumns columns][token][kRowColumns].
/// Kernels may read rows past the last token (of the next panel, or of the buffer's padding), but
/// never store a result for them.
inline bool has_rows(const Activations& a) { return kBatchPlan.offset > 0 && a.n > kBatchPlan.few; }

/// The location of a token's int8: its first step (4 int8) is at index `at`, and steps are
/// step_bytes apart.
struct Place {
  size_t at;
  int step_bytes;
};

/// The place of a token's columns from `column` on. kColumns: the columns that one tile instruction
/// multiplies (kGroupPlace or kBlockPlace).
template <int kColumns>
inline Place place_of(const Activations& a, const TokenTile& tile, int token, int column) {
  const size_t t = static_cast<size_t>(token), k = static_cast<size_t>(column);
  const size_t first = static_cast<size_t>(tile.first), width = static_cast<size_t>(tile.width);
  if (has_rows(a)) {
    const size_t panel = k / kRowColumns;
    return {(panel * static_cast<size_t>(a.n) + first + t) * kRowColumns + k % kRowColumns, 4};
  }
  const size_t at = first * static_cast<size_t>(a.n_cols) + k * width;
  return tile.width > kTileTokens ? Place{at + t * kColumns, 4} : Place{at + 4 * t, 4 * tile.width};
}

inline constexpr int kGroupPlace = kGroup, kBlockPlace = 64;

/// A view of the tile's activations from token `token` and column `column` on. A group or block
/// begins at `column`.
template <class Columns>
Columns columns_of(const Activations& a, const TokenTile& tile, int token, int column);

template <>
inline TokenColumns columns_of(const Activations& a, const TokenTile& tile, int token, int column) {
  const size_t before = static_cast<size_t>(tile.first), width = static_cast<size_t>(tile.width);
  const size_t groups = static_cast<size_t>(a.n_cols / kGroup), t = static_cast<size_t>(token);
  const size_t k = static_cast<size_t>(column), g = k / kGroup;
  return {a.groups.q + place_of<kGroupPlace>(a, tile, token, column).at,
          a.groups.scales + before * groups + g * width + t,
          a.groups.sums + before * groups + g * width + t, tile.width};
}

template <>
inline BlockColumns columns_of(const Activations& a, const TokenTile& tile, int token, int column) {
  const size_t before = static_cast<size_t>(tile.first), width = static_cast<size_t>(tile.width);
  const size_t blocks = static_cast<size_t>(a.n_cols / kBlock), t = static_cast<size_t>(token);
  const size_t at = before * blocks + static_cast<size_t>(column / kBlock) * width;
  return {a.blocks.q + place_of<kBlockPlace>(a, tile, token, column).at, a.blocks.scales + at + t,
          a.blocks.sums + at * kBlockSums + 2 * t, tile.width};
}

/// q = x * inverse, rounded; x = q * scale.
struct Quantization {
  float scale;
  float inverse;
};

/// If a value is NaN or Inf, the scale is NaN, so that the result is NaN, too.
template <int kColumns>
inline Quantization quantization_of(const float* x) {
  I32x16 most = broadcast(int32_t{0});
  for (int i = 0; i < kColumns; i += 16) most = max(most, bits_as_int(abs(load(x + i))));
  const int32_t largest = reduce_max(most);
  if (largest >= 0x7f800000) return {__builtin_nanf(""), 0};
  float amax;
  std::memcpy(&amax, &largest, sizeof amax);
  // An amax up to 1e-30 counts as zero, as 127 / amax might overflow.
  return amax > 1e-30f ? Quantization{amax / 127.0f, 127.0f / amax} : Quantization{0, 0};
}

/// Stores 16 columns as q + offset and returns the sum of q. The sum is unsigned, since it wraps
/// around if a token is not finite.
inline uint32_t quantize_half(const float* x, float inverse, int offset, int8_t* q) {
  const F32x16 magic = broadcast(kMagic);
  const I32x16 rounded =
      bits_as_int(load(x) * broadcast(inverse) + magic) - bits_as_int(broadcast(kMagic));
  store_i8(q, rounded + broadcast(int32_t{offset}));
  return static_cast<uint32_t>(reduce_add(rounded));
}

/// Stores kColumns columns of a token at its place. fill(q) writes them one after another.
template <int kColumns, class Fill>
inline void place_columns(int8_t* q, Place to, const Fill& fill) {
  // If the columns are contiguous, fill() writes them directly. Copying them would stall: a wide
  // load of bytes that narrow stores have just written waits until the stores have retired.
  if (to.step_bytes == 4) return fill(q + to.at);
  int8_t columns[kColumns];
  fill(columns);
  for (int k = 0; k < kColumns; k += 4)
    std::memcpy(q + to.at + k / 4 * to.step_bytes, columns + k, 4);
}

/// Quantizes one group, which begins at `column`, of token t of a tile. x [kGroup].
inline void quantize_group(const float* x, const TokenTile& tile, int t, int column,
                           Activations& a) {
  const size_t at = static_cast<size_t>(tile.first) * static_cast<size_t>(a.n_cols / kGroup) +
                    static_cast<size_t>(column / kGroup * tile.width + t);
  const int offset = has_rows(a) ? kBatchPlan.offset : 0;
  const Quantization by = quantization_of<kGroup>(x);
  a.groups.scales[at] = by.scale;
  place_columns<kGroupPlace>(a.groups.q, place_of<kGroupPlace>(a, tile, t, column), [&](int8_t* q) {
    const uint32_t sum =
        quantize_half(x, by.inverse, offset, q) + quantize_half(x + 16, by.inverse, offset, q + 16);
    a.groups.sums[at] = static_cast<float>(static_cast<int32_t>(sum));
  });
}

/// Quantizes one block, which begins at `column`, of token t of a tile. x [kBlock].
inline void quantize_block(const float* x, const TokenTile& tile, int t, int column,
                           Activations& a) {
  constexpr int kHalves = kBlock / 16, kPlaceHalves = kBlockPlace / 16;
  const size_t at = static_cast<size_t>(tile.first) * static_cast<size_t>(a.n_cols / kBlock) +
                    static_cast<size_t>(column / kBlock * tile.width);
  const int offset = has_rows(a) ? kBatchPlan.offset : 0;
  const Quantization by = quantization_of<kBlock>(x);
  a.blocks.scales[at + static_cast<size_t>(t)] = by.scale;
  int16_t* sums = a.blocks.sums + at * kBlockSums + 2 * t;
  const auto put_sum = [&](int i, uint32_t sum) {
    sums[i / 2 * 2 * tile.width + i % 2] = static_cast<int16_t>(sum);
  };
  for (int first = 0; first < kHalves; first += kPlaceHalves) {
    const Place to = place_of<kBlockPlace>(a, tile, t, column + 16 * first);
    place_columns<kBlockPlace>(a.blocks.q, to, [&](int8_t* q) {
      for (int i = first; i < first + kPlaceHalves; i += 2, q += 32) {
        const uint32_t sum = quantize_half(x + 16 * i, by.inverse, offset, q);
        const uint32_t next_sum = quantize_half(x + 16 * i + 16, by.inverse, offset, q + 16);
        put_sum(i, sum);
        put_sum(i + 1, next_sum);
        put_sum(kHalves + i / 2, sum + next_sum);
      }
    });
  }
}

/// Calls put(column, token of the tile, x at this column) for every kColumns-th column of tokens
/// [first, first + n). The outer loop is over columns, since tokens share cache lines of the tile.
template <int kColumns, class Put>
inline void for_columns(const float* x, int first, int n, int n_cols, const Put& put) {
  const size_t row = static_cast<size_t>(n_cols);
  for (int k = 0; k < n_cols; k += kColumns) {
    for (int i = 0; i < n; i++) {
      const float* columns = x + static_cast<size_t>(i) * row + k;
      // The hardware prefetcher cannot follow one stream per token.
      for (int ahead = 0; ahead < kColumns; ahead += 16)
        __builtin_prefetch(columns + kBlock + ahead);
      put(k, first + i, columns);
    }
  }
}

void quantize_tokens(const float* x, int token, int n, InputFormats formats, Activations& a) {
  const TokenTile tile = token_tile(token - token % tile_tokens(a.n), a.n);
  const int t = token - tile.first;
  if (formats.groups) {
    for_columns<kGroup>(x, t, n, a.n_cols, [&](int k, int i, const float* columns) {
      quantize_group(columns, tile, i, k, a);
    });
  }
  if (formats.blocks) {
    for_columns<kBlock>(x, t, n, a.n_cols, [&](int k, int i, const float* columns) {
      quantize_block(columns, tile, i, k, a);
    });
  }
  if (formats.f32) {
    const size_t n_cols = static_cast<size_t>(a.n_cols);
    for (int i = 0; i < n; i++)
      std::memcpy(a.floats_of(token + i), x + static_cast<size_t>(i) * n_cols,
                  n_cols * sizeof(float));
  }
}

/// Calls run.operator()<kTokens>(), where kTokens is n as a constant, for a kernel that multiplies
/// n tokens at once.
template <int kMaxAtOnce>
inline void with_tokens(int n, const auto& run) {
  if (n == 1) run.template operator()<1>();
  if (n == 2) run.template operator()<2>();
  if (n == 4) run.template operator()<4>();
  if constexpr (kMaxAtOnce == 6) {
    if (n == 6) run.template operator()<6>();
  }
  if constexpr (kMaxAtOnce >= 8) {
    if (n == 8) run.template operator()<8>();
    if (n == 12) run.template operator()<12>();
  }
}

/// Calls kernel.operator()<kTokens>(columns, output) for all tokens, at most kMaxAtOnce at a time.
template <class Columns, int kMaxAtOnce = kMaxTokens, class Kernel>
inline void for_tokens(const Activations& a, int column, float* out, size_t stride, Kernel kernel) {
  for (int first = 0; first < a.n; first += tile_tokens(a.n)) {
    const TokenTile tile = token_tile(first, a.n);
    const int n = tile.width > kTileTokens       ? 8
                  : tile.width % kMaxAtOnce == 0 ? kMaxAtOnce
                  : tile.width < kMaxAtOnce      ? tile.width
                                                 : 4;
    for (int token = 0; token < tile.n; token += n) {
      with_tokens<kMaxAtOnce>(n, [&]<int kTokens>() {
        kernel.template operator()<kTokens>(
            columns_of<Columns>(a, tile, token, column),
            Output{out + static_cast<size_t>(first + token) * stride, stride,
                   least(tile.n - token, n), column > 0 || a.resume});
      });
    }
  }
}

/// The same for float activations, which have no token tiles.
template <class Kernel>
inline void for_floats(const Activations& a, int column, float* out, size_t stride,
                       const Kernel& kernel) {
  for (int token = 0; token < a.n; token += kMaxTokens) {
    const int n = least(a.n - token, kMaxTokens);
    with_tokens<kMaxTokens>(padded(n), [&]<int kTokens>() {
      kernel.template operator()<kTokens>(
          FloatColumns{a.floats_of(token) + column, a.float_stride(), token == 0},
          Output{out + static_cast<size_t>(token) * stride, stride, n, column > 0 || a.resume});
    });
  }
}

}  // namespace
}  // namespace hearth::kernels::cpu
