// The matmul part of a variant's table: drives the kernels over row tiles, token tiles and blocks
// of columns.

namespace hearth::kernels::cpu {
namespace {

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
void matmul_wide(const PackedPart& part, const Activations& a, TileRange tiles, float* out,
                 size_t stride) {
  constexpr Layout kLayout = layout_of(kType);
  constexpr int kBlockColumns = Panel::kGroups * kGroup;
  PanelKernel<kType> kernel;
  for (int column = 0; column < part.n_cols; column += kBlockColumns) {
    const int columns = part.n_cols - column < kBlockColumns ? part.n_cols - column : kBlockColumns;
    const int n_groups = columns / kGroup;
    const size_t block =
        static_cast<size_t>(column / kGroup / kLayout.n_groups * kLayout.block_bytes());
    for (int tile = tiles.begin; tile < tiles.end; tile++) {
      kernel.fill(part.data + static_cast<size_t>(tile) * part.tile_bytes + block, n_groups);
      float* tile_out = out + (tile - tiles.begin) * kTileRows;
      for (int first = 0; first < a.n; first += kWideTokens) {
        kernel.multiply_tokens(a, token_tile(first, a.n), column, n_groups, tile_out, stride);
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
      for (int first = 0; first < a.n; first += tile_tokens(a.n)) {
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
    matmul_wide<kType>(part, a, tiles, out, stride);
  }
}

void matmul(const PackedPart& part, const Activations& activations, int tile_begin, int tile_end,
            float* out, size_t stride) {
  const auto run = [&]<BlockType kType>() {
    matmul_of<kType>(part, activations, {tile_begin, tile_end}, out, stride);
  };
  if (part.type == BlockType::kF32) return run.template operator()<BlockType::kF32>();
  if (part.type == BlockType::kF16) return run.template operator()<BlockType::kF16>();
  if (part.type == BlockType::kBF16) return run.template operator()<BlockType::kBF16>();
  with_quantized_type(part.type, run);
}

}  // namespace
}  // namespace hearth::kernels::cpu
