// A panel of weights times all tokens, on vectors.

namespace hearth::kernels::cpu {
namespace {

/// For types with a scale every 32 columns.
template <BlockType kType>
class GroupPanelKernel {
 public:
  static constexpr int kColumns = Panel::kGroups * kGroup;

  void fill(const std::byte* block, int n_columns) {
    fill_panel<kType>(block, n_columns / kGroup, panel_, [](U8x64 w) { return w; });
  }

  void multiply(const Activations& a, int column, int n_columns, float* out, size_t stride) const {
    constexpr Layout kLayout = layout_of(kType);
    const PanelSource<shape_of(kLayout)> source(panel_, remaining_offset(kLayout));
    for (int first = 0; first < a.n; first += kWideTokens) {
      for_tokens<TokenColumns>(a, token_tile(first, a.n), column, out, stride,
                               [&]<int kTokens>(TokenColumns x, const Output& output) {
                                 cpu::multiply<kTokens>(source, x, n_columns / kGroup, output);
                               });
    }
  }

 private:
  Panel panel_;
};

/// For types with a scale every 256 columns.
template <BlockType kType>
class BlockPanelKernel {
 public:
  static constexpr int kColumns = 1024;

  void fill(const std::byte* block, int n_columns) {
    block_ = block;
    for (int b = 0; b < n_columns / kBlock; b++, block += kLayout.block_bytes()) {
      const std::byte* planes = BlockHeader<kType>(block).planes();
      for (uint8_t* w = weights_[b]; w < weights_[b] + kBlock * kTileRows;) {
        unpack_group<kType>(planes, w, [](U8x64 w) { return w; });
        planes += kLayout.group_bytes();
        w += kGroup * kTileRows;
      }
    }
  }

  void multiply(const Activations& a, int column, int n_columns, float* out, size_t stride) const {
    const auto weights_of = [this](int b, const auto&) { return PanelWeights(weights_[b]); };
    for (int first = 0; first < a.n; first += kWideTokens) {
      for_tokens<BlockColumns>(a, token_tile(first, a.n), column, out, stride,
                               [&]<int kTokens>(BlockColumns x, const Output& output) {
                                 multiply_blocks<kType, kTokens>(block_, x, n_columns / kBlock,
                                                                 output, weights_of);
                               });
    }
  }

 private:
  static constexpr Layout kLayout = layout_of(kType);
  const std::byte* block_ = nullptr;
  alignas(64) uint8_t weights_[kColumns / kBlock][kBlock * kTileRows];
};

}  // namespace
}  // namespace hearth::kernels::cpu
