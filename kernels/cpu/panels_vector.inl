// Panels (panel.h) for any SIMD layer (simd.h): one row tile x 1024 columns, unpacked to bytes. The
// layer's dot products multiply a panel by kMaxTokens tokens at a time. The variants for AVX2,
// AVX-VNNI, NEON, I8MM and scalar use them.
#define HEARTH_BATCH_PLAN .few = kFewTokens
#include "tile_kernels.inl"

namespace hearth::kernels::cpu {
namespace {

/// Few enough for a panel and its activations to stay in the L1 cache.
inline constexpr int kPanelColumns = 1024;

#ifndef HEARTH_OWN_PANEL_ORDER
inline void order_panel(uint8_t*, int) {}
#endif

/// For formats with a scale every 32 columns.
template <BlockType kType>
class VectorGroupPanel {
 public:
  static constexpr int kTiles = 1, kTokensAtOnce = kMaxTokens;
  static constexpr int kColumns = kPanelColumns;
  static constexpr int kPieceColumns = kGroup;

  void fill(const std::byte* block, size_t, int n_columns) {
    fill_panel<kType>(block, n_columns / kGroup, panel_, [](U8x64 w) { return w; });
    order_panel(panel_.w, n_columns / 4);
  }

  void multiply(const Activations& a, int column, int n_columns, const PanelOutput& to,
                NextPanel next) const {
    const PanelSource<code_traits_of(layout_of(kType))> source(panel_, next);
    for_tokens<TokenColumns>(a, column, to.out, to.stride,
                             [&]<int kTokens>(TokenColumns x, const Output& output) {
                               cpu::multiply<kTokens>(source, x, n_columns / kGroup, output);
                             });
  }

 private:
  Panel<kColumns / kGroup> panel_;
};

/// For formats with super-blocks of 256 columns.
template <BlockType kType>
class VectorBlockPanel {
 public:
  static constexpr int kTiles = 1, kTokensAtOnce = kMaxTokens;
  static constexpr int kColumns = kPanelColumns;
  static constexpr int kPieceColumns = kGroup;

  void fill(const std::byte* block, size_t, int n_columns) {
    block_ = block;
    for (uint8_t* w = weights_; w < weights_ + n_columns * kTileRows;
         block += kLayout.block_bytes()) {
      const std::byte* planes = BlockHeader<kType>(block).planes();
      for (int g = 0; g < kBlock / kGroup; g++, w += kGroup * kTileRows) {
        unpack_group<kType>(planes, w, [](U8x64 w) { return w; });
        planes += kLayout.group_bytes();
      }
    }
    order_panel(weights_, n_columns / 4);
  }

  void multiply(const Activations& a, int column, int n_columns, const PanelOutput& to,
                NextPanel next) const {
    const auto weights_of = [&](int b, const auto&) {
      return PanelCodes(weights_ + b * kBlock * kTileRows, next);
    };
    for_tokens<BlockColumns>(
        a, column, to.out, to.stride, [&]<int kTokens>(BlockColumns x, const Output& output) {
          multiply_blocks<kType, kTokens>(block_, x, n_columns / kBlock, output, weights_of);
        });
  }

 private:
  static constexpr Layout kLayout = layout_of(kType);
  const std::byte* block_ = nullptr;
  alignas(64) uint8_t weights_[kColumns * kTileRows];
};

using VectorPanels = Panels<VectorGroupPanel, VectorBlockPanel>;

}  // namespace
}  // namespace hearth::kernels::cpu
