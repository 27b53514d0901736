// The matmul part of a variant's table: puts activations in place and drives the kernels of
// multiply.inl over row tiles, token tiles and blocks of columns.

namespace hearth::kernels::cpu {
namespace {

// --- token tiles ---

/// Tokens [first, first + n) of a batch, laid out in a tile of `width` columns.
struct TokenTile {
  int first;
  int n;
  int width;
};

inline TokenTile token_tile(int first, int n_tokens) {
  const int n = n_tokens - first < kTileTokens ? n_tokens - first : kTileTokens;
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

void quantize_token(const float* x, int token, bool with_f32, Activations& a) {
  const TokenTile tile = token_tile(token - token % kTileTokens, a.n);
  const int column = token - tile.first;
  // The last token also fills the padding, which is computed but never stored.
  const int end = token == a.n - 1 ? tile.width : column + 1;
  for (int t = column; t < end; t++) {
    const TokenColumns to = columns_of(a, tile, t, 0);
    for (int g = 0; g < a.n_cols / kGroup; g++) {
      int8_t q[kGroup];
      float sums[2];
      const int place = g * tile.width;
      a.scales[to.scales - a.scales + place] = quantize_group(x + g * kGroup, q, sums);
      for (int half = 0; half < 2; half++) {
        a.sums[to.sums - a.sums + 2 * place + half * tile.width] = sums[half];
      }
      for (int step = 0; step < kSteps; step++) {
        std::memcpy(a.q + (to.q - a.q) + (g * kSteps + step) * 4 * tile.width, q + 4 * step, 4);
      }
    }
    if (!with_f32) continue;
    for (int k = 0; k < a.n_cols; k++) a.f32[to.f32 - a.f32 + k * tile.width] = x[k];
  }
}

// --- loops over tiles ---

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
    const int width = tile.width < kMaxTokens ? tile.width : kMaxTokens;
    if (width == 1) run.template operator()<1>();
    if (width == 2) run.template operator()<2>();
    if (width == 4) run.template operator()<4>();
    if constexpr (kMaxTokens >= 8) {
      if (width == 8) run.template operator()<8>();
      if (width == 12) run.template operator()<12>();
    }
  }
}

struct TileRange {
  int begin;
  int end;
};

/// One pass over the weights, unpacked in registers: for tokens that one kernel call takes.
template <BlockType kType>
void matmul_few(const PackedPart& part, const Activations& a, TileRange tiles, float* out,
                size_t stride) {
  const TokenTile tokens = token_tile(0, a.n);
  for (int tile = tiles.begin; tile < tiles.end; tile++, out += kTileRows) {
    const std::byte* w = part.data + static_cast<size_t>(tile) * part.tile_bytes;
    for_tokens(a, tokens, 0, out, stride, [&]<int kTokens>(TokenColumns x, const Output& output) {
      multiply<kTokens>(PackedSource<kType>(w), x, part.n_cols / kGroup, output);
    });
  }
}

/// Columns in blocks, so that a block of all tokens' activations stays in the L2 cache while the
/// row tiles pass; each tile's block is unpacked once into a panel and used for all tokens.
template <BlockType kType>
void matmul_many(const PackedPart& part, const Activations& a, TileRange tiles, float* out,
                 size_t stride) {
  constexpr Layout kLayout = layout_of(kType);
  constexpr int kBlockColumns = Panel::kGroups * kGroup;
  Panel panel;
  for (int column = 0; column < part.n_cols; column += kBlockColumns) {
    const int columns = part.n_cols - column < kBlockColumns ? part.n_cols - column : kBlockColumns;
    const int n_groups = columns / kGroup;
    const size_t block =
        static_cast<size_t>(column / kGroup / kLayout.n_groups * kLayout.block_bytes());
    for (int tile = tiles.begin; tile < tiles.end; tile++) {
      fill_panel<kType>(part.data + static_cast<size_t>(tile) * part.tile_bytes + block, n_groups,
                        panel);
      float* tile_out = out + (tile - tiles.begin) * kTileRows;
      for (int first = 0; first < a.n; first += kTileTokens) {
        for_tokens(a, token_tile(first, a.n), column, tile_out, stride,
                   [&]<int kTokens>(TokenColumns x, const Output& output) {
                     const PanelSource<shape_of(kLayout)> source(panel, remaining_offset(kLayout));
                     multiply<kTokens>(source, x, n_groups, output);
                   });
      }
    }
  }
}

template <BlockType kType>
void matmul_float(const PackedPart& part, const Activations& a, TileRange tiles, float* out,
                  size_t stride) {
  constexpr int kBlockColumns = 512;
  constexpr size_t kColumnBytes = kTileRows * (kType == BlockType::kF32 ? 4 : 2);
  const int block = a.n <= kTileTokens ? part.n_cols : kBlockColumns;
  for (int column = 0; column < part.n_cols; column += block) {
    const int columns = part.n_cols - column < block ? part.n_cols - column : block;
    for (int tile = tiles.begin; tile < tiles.end; tile++) {
      const std::byte* w = part.data + static_cast<size_t>(tile) * part.tile_bytes +
                           static_cast<size_t>(column) * kColumnBytes;
      float* tile_out = out + (tile - tiles.begin) * kTileRows;
      for (int first = 0; first < a.n; first += kTileTokens) {
        for_tokens(a, token_tile(first, a.n), column, tile_out, stride,
                   [&]<int kTokens>(TokenColumns x, const Output& output) {
                     multiply_float<kTokens, kType>(w, x, columns, output);
                   });
      }
    }
  }
}

template <BlockType kType>
void matmul_of(const PackedPart& part, const Activations& a, TileRange tiles, float* out,
               size_t stride) {
  if constexpr (is_float(kType)) {
    matmul_float<kType>(part, a, tiles, out, stride);
  } else if (a.n <= kMaxTokens) {
    matmul_few<kType>(part, a, tiles, out, stride);
  } else {
    matmul_many<kType>(part, a, tiles, out, stride);
  }
}

void matmul(const PackedPart& part, const Activations& activations, int tile_begin, int tile_end,
            float* out, size_t stride) {
  const auto run = [&]<BlockType kType>() {
    matmul_of<kType>(part, activations, {tile_begin, tile_end}, out, stride);
  };
  switch (part.type) {
    case BlockType::kF32:
      return run.template operator()<BlockType::kF32>();
    case BlockType::kF16:
      return run.template operator()<BlockType::kF16>();
    case BlockType::kQ4_0:
      return run.template operator()<BlockType::kQ4_0>();
    case BlockType::kQ4_1:
      return run.template operator()<BlockType::kQ4_1>();
    case BlockType::kQ5_0:
      return run.template operator()<BlockType::kQ5_0>();
    case BlockType::kQ5_1:
      return run.template operator()<BlockType::kQ5_1>();
    case BlockType::kQ8_0:
      return run.template operator()<BlockType::kQ8_0>();
    case BlockType::kQ2_K:
      return run.template operator()<BlockType::kQ2_K>();
    case BlockType::kQ3_K:
      return run.template operator()<BlockType::kQ3_K>();
    case BlockType::kQ4_K:
      return run.template operator()<BlockType::kQ4_K>();
    case BlockType::kQ5_K:
      return run.template operator()<BlockType::kQ5_K>();
    case BlockType::kQ6_K:
      return run.template operator()<BlockType::kQ6_K>();
    case BlockType::kIQ4_NL:
      return run.template operator()<BlockType::kIQ4_NL>();
    case BlockType::kIQ4_XS:
      return run.template operator()<BlockType::kIQ4_XS>();
    case BlockType::kBF16:
      return run.template operator()<BlockType::kBF16>();
  }
}

}  // namespace
}  // namespace hearth::kernels::cpu
