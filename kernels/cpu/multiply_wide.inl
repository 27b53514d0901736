// A panel times a tile of tokens, on vectors.

namespace hearth::kernels::cpu {
namespace {

template <BlockType kType>
class PanelKernel {
 public:
  void fill(const std::byte* block, int n_groups) {
    fill_panel<kType>(block, n_groups, panel_, [](U8x64 w) { return w; });
  }

  void multiply_tokens(const Activations& a, const TokenTile& tile, int column, int n_groups,
                       float* out, size_t stride) const {
    constexpr Layout kLayout = layout_of(kType);
    for_tokens(a, tile, column, out, stride, [&]<int kTokens>(TokenColumns x, const Output& out) {
      const PanelSource<shape_of(kLayout)> source(panel_, remaining_offset(kLayout));
      multiply<kTokens>(source, x, n_groups, out);
    });
  }

 private:
  Panel panel_;
};

}  // namespace
}  // namespace hearth::kernels::cpu
