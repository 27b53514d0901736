// RowKernels::matmul: runs the inner kernels over row tiles and token tiles. For one or a few
// tokens, weights are unpacked in registers (matmul_few); for more, into panels, once for all
// tokens (matmul_wide, panel.h). matmul_float is for float weights.

namespace hearth::kernels::cpu {
namespace {

struct TileRange {
  int begin;
  int end;
};

/// For few tokens. Unpacks the weights in registers, again for every kMaxTokens tokens.
template <BlockType kType>
void matmul_few(const PackedPart& part, const Activations& a, TileRange tiles, float* out,
                size_t stride) {
  for (int tile = tiles.begin; tile < tiles.end; tile++, out += kTileRows) {
    const std::byte* w = part.data + static_cast<size_t>(tile) * part.tile_bytes;
    if constexpr (layout_of(kType).has_block_scale) {
      const auto weights_of = [](int, const auto& header) {
        header.prefetch_next();
        return PackedCodes<kType>(header.planes());
      };
      for_tokens<BlockColumns>(
          a, 0, out, stride, [&]<int kTokens>(BlockColumns x, const Output& output) {
            multiply_blocks<kType, kTokens>(w, x, part.n_cols / kBlock, output, weights_of);
          });
    } else {
      for_tokens<TokenColumns>(
          a, 0, out, stride, [&]<int kTokens>(TokenColumns x, const Output& output) {
            multiply<kTokens>(PackedSource<kType>(w), x, part.n_cols / kGroup, output);
          });
    }
  }
}

/// For many tokens. The outer loop is over columns, so that the activations of a panel's columns
/// stay in the L2 cache while all row tiles are multiplied by them. If only one row tile remains
/// for a panel of two, the panel gets that tile twice (strides of 0), and stores the same sums
/// twice in the same place.
template <class Panels, BlockType kType>
void matmul_wide(const PackedPart& part, const Activations& a, TileRange tiles, float* out,
                 size_t stride) {
  constexpr Layout kLayout = layout_of(kType);
  using Kernel = typename Panels::template Kernel<kType>;
  static_assert(PanelKernel<Kernel>);
  const auto bytes_of = [&](int columns) {
    return static_cast<size_t>(columns / kGroup / kLayout.n_groups * kLayout.block_bytes());
  };
  const int n_token_tiles = (a.n + Kernel::kTokensAtOnce - 1) / Kernel::kTokensAtOnce;
  Kernel kernel;
  const auto columns_at = [&](int column) { return least(Kernel::kColumns, part.n_cols - column); };
  const auto panel_at = [&](int tile, int column) {
    return part.data + static_cast<size_t>(tile) * part.tile_bytes + bytes_of(column);
  };
  for (int column = 0; column < part.n_cols; column += Kernel::kColumns) {
    const int n_columns = columns_at(column);
    for (int tile = tiles.begin; tile < tiles.end; tile += Kernel::kTiles) {
      const bool is_whole = tile + Kernel::kTiles <= tiles.end;
      kernel.fill(panel_at(tile, column), is_whole ? part.tile_bytes : 0, n_columns);
      // The hardware prefetcher cannot follow the jump to the next panel, so we prefetch it: the
      // next tiles, the next columns, or the chunk that this thread will probably get next.
      int next_tile = tile + Kernel::kTiles, next_column = column;
      if (next_tile >= tiles.end) {
        next_column += n_columns;
        next_tile = tiles.begin;
      }
      if (next_column == part.n_cols) {
        next_column = 0;
        next_tile = tiles.end;
      }
      const NextPanel next(
          panel_at(next_tile, next_column), part.tile_bytes,
          least(Kernel::kTiles, part.n_tiles() - next_tile), bytes_of(columns_at(next_column)),
          (n_columns + Kernel::kPieceColumns - 1) / Kernel::kPieceColumns * n_token_tiles);
      kernel.multiply(a, column, n_columns,
                      {out + (tile - tiles.begin) * kTileRows, stride,
                       is_whole ? size_t{kTileRows} : size_t{0}},
                      next);
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
      for_floats(a, column, tile_out, stride,
                 [&]<int kTokens>(const FloatColumns& x, const Output& output) {
                   multiply_float<kTokens, kType>(w, x, columns, output);
                 });
    }
  }
}

template <class Panels, BlockType kType>
void matmul_of(const PackedPart& part, const Activations& a, TileRange tiles, float* out,
               size_t stride) {
  if constexpr (is_float(kType)) {
    matmul_float<kType>(part, a, tiles, out, stride);
  } else if (a.n <= kBatchPlan.few) {
    matmul_few<kType>(part, a, tiles, out, stride);
  } else {
    matmul_wide<Panels, kType>(part, a, tiles, out, stride);
  }
}

template <class Panels>
void matmul(const PackedPart& part, const Activations& activations, int tile_begin, int tile_end,
            float* out, size_t stride) {
  const auto run = [&]<BlockType kType>() {
    matmul_of<Panels, kType>(part, activations, {tile_begin, tile_end}, out, stride);
  };
  if (part.type == BlockType::kF32) return run.template operator()<BlockType::kF32>();
  if (part.type == BlockType::kF16) return run.template operator()<BlockType::kF16>();
  if (part.type == BlockType::kBF16) return run.template operator()<BlockType::kBF16>();
  with_quantized_type(part.type, run);
}

}  // namespace
}  // namespace hearth::kernels::cpu
