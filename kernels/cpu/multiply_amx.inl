// A panel times a tile of 16 tokens, on tile registers.

namespace hearth::kernels::cpu {
namespace {

template <BlockType kType>
class PanelKernel {
 public:
  void fill(const std::byte* block, int n_groups) {
    fill_panel<kType>(block, n_groups, panel_, [](U8x64 w) { return minus(w, kLayout.offset); });
  }

  void multiply_tokens(const Activations& a, const TokenTile& tile, int column, int n_groups,
                       float* out, size_t stride) {
    const TokenColumns x = columns_of(a, tile, 0, column);
    const Output output{out + static_cast<size_t>(tile.first) * stride, stride, tile.n, column > 0};
    F32x16 total[kWideTokens];
    output.read(total);
    terms_.prepare(PanelSource<kShape>(panel_, 0), x, n_groups);
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
    }
    output.write(total);
  }

 private:
  static constexpr Layout kLayout = layout_of(kType);
  static constexpr int kHalves = kLayout.n_halves();
  static constexpr int kColumns = kLayout.scale_columns;
  static constexpr GroupShape kShape{kHalves, kLayout.has_min, false, kLayout.is_8_bit()};

  template <int kPlace>
  [[gnu::always_inline]] void sum_group(const TokenColumns& x, int g) {
    const int8_t* tokens = x.q + g * kGroup * kWideTokens;
    const uint8_t* weights = panel_.w + g * kSteps * kVectorBytes;
    const auto sum_half = [&]<int kHalf>() __attribute__((always_inline)) {
      constexpr int kSums = (kPlace * kHalves + kHalf) % 4, kInput = kSums % 2;
      tile_load<4 + kInput>(tokens + kHalf * kColumns, kGroup);
      tile_load<6 + kInput>(weights + kHalf * kColumns * kTileRows, kVectorBytes);
      tile_zero<kSums>();
      tile_dot<kSums, 4 + kInput, 6 + kInput>();
      tile_store<kSums>(sums_[kPlace][kHalf]);
    };
    sum_half.template operator()<0>();
    if constexpr (kHalves == 2) sum_half.template operator()<1>();
  }

  template <int kPlace>
  [[gnu::always_inline]] void add_group(const TokenColumns& x, int g,
                                        F32x16 (&total)[kWideTokens]) {
    add_half<0>(x, g, sums_[kPlace][0], total);
    if constexpr (kHalves == 2) add_half<1>(x, g, sums_[kPlace][1], total);
  }

  template <int kHalf>
  [[gnu::always_inline]] void add_half(const TokenColumns& x, int g,
                                       const int32_t (&sums)[kWideTokens][kTileRows],
                                       F32x16 (&total)[kWideTokens]) {
    const int place = g * kHalves + kHalf;
    const float* scales = x.scales + g * kWideTokens;
    const F32x16 scale = load(panel_.scales + place * kTileRows);
    const F32x16 minus_magic = broadcast(-kMagic) * scale;
    const I32x16 magic = bits_as_int(broadcast(kMagic));
#pragma GCC unroll 16
    for (int c = 0; c < kWideTokens; c++) {
      const I32x16 bits = load(sums[c]) + magic;
      const F32x16 product = fma(bits_as_float(bits), scale, minus_magic);
      total[c] = fma(product, broadcast(scales[c]), total[c]);
    }
    if constexpr (kShape.has_min) {
      const F32x16 minimum = load(panel_.minima + place * kTileRows);
      const float* terms = terms_.values + place * kWideTokens;
#pragma GCC unroll 16
      for (int c = 0; c < kWideTokens; c++) {
        total[c] = fnma(minimum, broadcast(terms[c]), total[c]);
      }
    }
  }

  static constexpr int kRing = 4;
  TileRegisters<kColumns> registers_;
  Panel panel_;
  SumTerms<PanelSource<kShape>, kWideTokens> terms_;
  alignas(64) int32_t sums_[kRing][kHalves][kWideTokens][kTileRows];
};

}  // namespace
}  // namespace hearth::kernels::cpu
