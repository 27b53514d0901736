// A panel of weights with a scale every 32 columns times all tokens, on tile registers.

namespace hearth::kernels::cpu {
namespace {

template <BlockType kType>
class GroupPanelKernel {
 public:
  static constexpr int kTiles = 1, kMostTokens = kWideTokens;
  static constexpr int kColumns = 1024;
  static constexpr int kPieceColumns = kGroup;

  void fill(const std::byte* block, size_t, int n_columns) {
    fill_panel<kType>(block, n_columns / kGroup, panel_,
                      [](U8x64 w) { return minus(w, kLayout.offset); });
  }

  void multiply(const Activations& a, int column, int n_columns, const PanelOutput& to,
                NextPanel next) {
    for (int first = 0; first < a.n; first += kWideTokens) {
      const TokenTile tile = token_tile(first, a.n);
      multiply_tile(
          columns_of<TokenColumns>(a, tile, 0, column), n_columns / kGroup,
          {to.out + static_cast<size_t>(first) * to.stride, to.stride, tile.n, column > 0}, next);
    }
  }

 private:
  static constexpr Layout kLayout = layout_of(kType);

  void multiply_tile(const TokenColumns& x, int n_groups, const Output& output, NextPanel& next) {
    F32x16 total[kWideTokens];
    output.read(total);
    // Two groups ahead, so that a sum has left its tile register when it is wanted. Four in a loop,
    // as sums and registers are named at compile time.
    sum_group<0>(x, 0);
    if (n_groups > 1) sum_group<1>(x, 1);
    for (int g = 0; g < n_groups; g += kRing) {
      const auto step = [&]<int i>() __attribute__((always_inline)) {
        constexpr int kNext = (i + 2) % kRing;
        if (g + i + 2 < n_groups) sum_group<kNext>(x, g + i + 2);
        if (g + i < n_groups) add_group<i>(x, g + i, total);
      };
      step.template operator()<0>();
      step.template operator()<1>();
      step.template operator()<2>();
      step.template operator()<3>();
      for (int i = 0; i < kRing; i++) next.prefetch_piece();
    }
    output.write(total);
  }

  template <int kPlace>
  [[gnu::always_inline]] void sum_group(const TokenColumns& x, int g) {
    const int8_t* tokens = x.q + g * kGroup * kWideTokens;
    const uint8_t* weights = panel_.w + g * kSteps * kVectorBytes;
    constexpr int kInput = kPlace % 2;
    tile_load<4 + kInput>(tokens, kGroup);
    tile_load<6 + kInput>(weights, kVectorBytes);
    tile_zero<kPlace>();
    tile_dot<kPlace, 4 + kInput, 6 + kInput>();
    tile_store<kPlace>(sums_[kPlace]);
  }

  template <int kPlace>
  [[gnu::always_inline]] void add_group(const TokenColumns& x, int g,
                                        F32x16 (&total)[kWideTokens]) {
    const float* scales = x.scales + g * kWideTokens;
    const F32x16 scale = load(panel_.scales + g * kTileRows);
    const F32x16 minus_magic = broadcast(-kMagic) * scale;
    const I32x16 magic = bits_as_int(broadcast(kMagic));
#pragma GCC unroll 16
    for (int c = 0; c < kWideTokens; c++) {
      const I32x16 bits = load(sums_[kPlace][c]) + magic;
      const F32x16 product = fma(bits_as_float(bits), scale, minus_magic);
      total[c] = fma(product, broadcast(scales[c]), total[c]);
    }
    if constexpr (kLayout.has_min) {
      const F32x16 minimum = load(panel_.minima + g * kTileRows);
      const float* sums = x.sums + g * kWideTokens;
#pragma GCC unroll 16
      for (int c = 0; c < kWideTokens; c++) {
        total[c] = fnma(minimum, broadcast(scales[c]) * broadcast(sums[c]), total[c]);
      }
    }
  }

  static constexpr int kRing = 4;
  TileRegisters<kGroup> registers_;
  Panel<kColumns / kGroup> panel_;
  alignas(64) int32_t sums_[kRing][kWideTokens][kTileRows];
};

}  // namespace
}  // namespace hearth::kernels::cpu
