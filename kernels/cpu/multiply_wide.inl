// Panels of weights, of kPanelTiles row tiles, times all tokens, on vectors.

namespace hearth::kernels::cpu {
namespace {

/// For types with a scale every 32 columns.
template <BlockType kType>
class GroupPanelKernel {
 public:
  static constexpr int kTiles = kPanelTiles, kMostTokens = kPanelTokens;
  static constexpr int kColumns = kPanelColumns;

  void fill(const std::byte* block, size_t tile_bytes, int n_columns) {
    for (Panel<kGroups>& panel : panels_) {
      fill_panel<kType>(block, n_columns / kGroup, panel, [](U8x64 w) { return w; });
      block += tile_bytes;
    }
  }

  void multiply(const Activations& a, int column, int n_columns, const PanelOutput& to,
                NextPanel next) const {
    const PanelSource<shape_of(layout_of(kType)), kTiles, kGroups> source(panels_, next);
    for (int first = 0; first < a.n; first += kWideTokens) {
      for_tokens<TokenColumns, kMostTokens>(
          a, token_tile(first, a.n), column, to.out, to.stride,
          [&]<int kTokens>(TokenColumns x, const Output& output) {
            cpu::multiply<kTokens>(source, x, n_columns / kGroup, output);
          },
          to.tile_stride);
    }
  }

 private:
  static constexpr int kGroups = kColumns / kGroup;
  Panel<kGroups> panels_[kTiles];
};

/// For types with a scale every 256 columns.
template <BlockType kType>
class BlockPanelKernel {
 public:
  static constexpr int kTiles = kPanelTiles, kMostTokens = kPanelTokens;
  static constexpr int kColumns = kPanelColumns;

  void fill(const std::byte* block, size_t tile_bytes, int n_columns) {
    block_ = block;
    tile_bytes_ = tile_bytes;
    for (uint8_t(&weights)[kColumns * kTileRows] : weights_) {
      const std::byte* from = block;
      for (uint8_t* w = weights; w < weights + n_columns * kTileRows;
           from += kLayout.block_bytes()) {
        const std::byte* planes = BlockHeader<kType>(from).planes();
        for (int g = 0; g < kBlock / kGroup; g++, w += kGroup * kTileRows) {
          unpack_group<kType>(planes, w, [](U8x64 w) { return w; });
          planes += kLayout.group_bytes();
        }
      }
      block += tile_bytes;
    }
  }

  void multiply(const Activations& a, int column, int n_columns, const PanelOutput& to,
                NextPanel next) const {
    const auto weights_of = [&](int b, const auto&) {
      return PanelWeights<kColumns * kTileRows>(weights_[0] + b * kBlock * kTileRows, next);
    };
    for (int first = 0; first < a.n; first += kWideTokens) {
      for_tokens<BlockColumns, kMostTokens>(
          a, token_tile(first, a.n), column, to.out, to.stride,
          [&]<int kTokens>(BlockColumns x, const Output& output) {
            multiply_blocks<kType, kTiles, kTokens>(block_, tile_bytes_, x, n_columns / kBlock,
                                                    output, weights_of);
          },
          to.tile_stride);
    }
  }

 private:
  static constexpr Layout kLayout = layout_of(kType);
  const std::byte* block_ = nullptr;
  size_t tile_bytes_ = 0;
  alignas(64) uint8_t weights_[kTiles][kColumns * kTileRows];
};

}  // namespace
}  // namespace hearth::kernels::cpu
