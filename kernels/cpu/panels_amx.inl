// Panels (panel.h) on AMX tile registers. One instruction multiplies one row tile of weights by 16
// tokens, over the 32 columns of a group or over 64 columns of a super-block.
#define HEARTH_BATCH_PLAN .few = kTileTokens, .tile = 16
#include "tile_kernels.inl"

namespace hearth::kernels::cpu {
namespace {

inline constexpr int kAmxTokens = kBatchPlan.tile;  // in a tile register

/// For formats with a scale every 32 columns.
template <BlockType kType>
class AmxGroupPanel {
 public:
  static constexpr int kTiles = 1, kTokensAtOnce = kAmxTokens;
  static constexpr int kColumns = 1024;
  static constexpr int kPieceColumns = kGroup;

  void fill(const std::byte* block, size_t, int n_columns) {
    fill_panel<kType>(block, n_columns / kGroup, panel_,
                      [](U8x64 w) { return minus(w, kLayout.offset); });
  }

  void multiply(const Activations& a, int column, int n_columns, const PanelOutput& to,
                NextPanel next) {
    if (n_columns == kGroup) return multiply_group(a, column, to);
    for (int first = 0; first < a.n; first += kAmxTokens)
      multiply_tile(columns_at(a, first, column), n_columns / kGroup,
                    output_at(a, first, column, to), next);
  }

 private:
  static constexpr Layout kLayout = layout_of(kType);

  static TokenColumns columns_at(const Activations& a, int first, int column) {
    return columns_of<TokenColumns>(a, token_tile(first, a.n), 0, column);
  }
  static Output output_at(const Activations& a, int first, int column, const PanelOutput& to) {
    return {to.out + static_cast<size_t>(first) * to.stride, to.stride, token_tile(first, a.n).n,
            column > 0 || a.resume};
  }

  /// For a single group, such as an adapter's b of rank 32. The matrix unit runs two token tiles
  /// ahead.
  void multiply_group(const Activations& a, int column, const PanelOutput& to) {
    sum_group<0>(columns_at(a, 0, column), 0);
    if (kAmxTokens < a.n) sum_group<1>(columns_at(a, kAmxTokens, column), 0);
    for (int tile = 0; tile < a.n; tile += kRing * kAmxTokens) {
      for_constants<kRing>([&]<int i>() __attribute__((always_inline)) {
        const int first = tile + i * kAmxTokens, ahead = first + 2 * kAmxTokens;
        if (ahead < a.n) sum_group<(i + 2) % kRing>(columns_at(a, ahead, column), 0);
        if (first >= a.n) return;
        const Output output = output_at(a, first, column, to);
        F32x16 total[kAmxTokens];
        output.read(total);
        add_group<i>(columns_at(a, first, column), 0, total);
        output.write(total);
      });
    }
  }

  void multiply_tile(const TokenColumns& x, int n_groups, const Output& output, NextPanel& next) {
    F32x16 total[kAmxTokens];
    output.read(total);
    // The matrix unit runs two groups ahead, so that a group's sums have left their tile register
    // when vector instructions need them. An iteration handles four groups, since the number of a
    // tile register must be a constant.
    sum_group<0>(x, 0);
    if (n_groups > 1) sum_group<1>(x, 1);
    for (int g = 0; g < n_groups; g += kRing) {
      for_constants<kRing>([&]<int i>() __attribute__((always_inline)) {
        constexpr int kNext = (i + 2) % kRing;
        if (g + i + 2 < n_groups) sum_group<kNext>(x, g + i + 2);
        if (g + i < n_groups) add_group<i>(x, g + i, total);
      });
      for (int i = 0; i < kRing; i++) next.prefetch_piece();
    }
    output.write(total);
  }

  template <int kPlace>
  [[gnu::always_inline]] void sum_group(const TokenColumns& x, int g) {
    const int8_t* tokens = x.q + g * kGroup * kAmxTokens;
    const uint8_t* weights = panel_.w + g * kSteps * kVectorBytes;
    constexpr int kInput = kPlace % 2;
    tile_load<4 + kInput>(tokens, kGroup);
    tile_load<6 + kInput>(weights, kVectorBytes);
    tile_zero<kPlace>();
    tile_dot<kPlace, 4 + kInput, 6 + kInput>();
    tile_store<kPlace>(sums_[kPlace]);
  }

  template <int kPlace>
  [[gnu::always_inline]] void add_group(const TokenColumns& x, int g, F32x16 (&total)[kAmxTokens]) {
    const float* scales = x.scales + g * kAmxTokens;
    const F32x16 scale = load(panel_.scales + g * kTileRows);
    const F32x16 minus_magic = broadcast(-kMagic) * scale;
    const I32x16 magic = bits_as_int(broadcast(kMagic));
    HEARTH_UNROLL
    for (int c = 0; c < kAmxTokens; c++) {
      const I32x16 bits = load(sums_[kPlace][c]) + magic;
      const F32x16 product = fma(bits_as_float(bits), scale, minus_magic);
      total[c] = fma(product, broadcast(scales[c]), total[c]);
    }
    if constexpr (kLayout.has_min) {
      const F32x16 minimum = load(panel_.minima + g * kTileRows);
      const float* sums = x.sums + g * kAmxTokens;
      HEARTH_UNROLL
      for (int c = 0; c < kAmxTokens; c++) {
        total[c] = fnma(minimum, broadcast(scales[c]) * broadcast(sums[c]), total[c]);
      }
    }
  }

  static constexpr int kRing = 4;
  TileRegisters<kGroup> registers_;
  Panel<kColumns / kGroup> panel_;
  alignas(64) int32_t sums_[kRing][kAmxTokens][kTileRows];
};

/// For formats with super-blocks of 256 columns. The panel holds the two-byte products scale * w as
/// a plane of high bytes and a plane of low bytes. Each plane has its own sums, which stay in tile
/// registers for a whole block. Vector instructions finish a block's sums while the matrix unit
/// works on the next block.
template <BlockType kType>
class AmxBlockPanel {
 public:
  static constexpr int kTiles = 1, kTokensAtOnce = kAmxTokens;
  static constexpr int kColumns = 512;
  static constexpr int kPieceColumns = kGroup;

  void fill(const std::byte* block, size_t, int n_columns) {
    for (int b = 0; b < n_columns / kBlock; b++, block += kLayout.block_bytes())
      fill_panel(Header(block), panels_[b]);
  }

  void multiply(const Activations& a, int column, int n_columns, const PanelOutput& to,
                NextPanel next) {
    Stage previous{};
    int n_stages = 0;
    for (int first = 0; first < a.n; first += kStageTokens) {
      Stage stage;
      stage.stride = to.stride;
      stage.resume = column > 0 || a.resume;
      for (int i = 0; i < 2 && first + i * kAmxTokens < a.n; i++) {
        const TokenTile tile = token_tile(first + i * kAmxTokens, a.n);
        stage.tiles[i] = {tile.n, columns_of<BlockColumns>(a, tile, 0, column),
                          to.out + static_cast<size_t>(tile.first) * to.stride};
      }
      for (int b = 0; b < n_columns / kBlock; b++) {
        stage.panel = &panels_[b];
        stage.sums = &sums_[n_stages++ % 2];
        for (int i = 0; i < 2 * kBlock / kGroup; i++) next.prefetch_piece();
        run(stage, previous);
        previous = stage;
        stage.next_block();
      }
    }
    for_constants<kPlaces>([&]<int kPlace>() { add_sums<kPlace>(previous); });
  }

 private:
  static constexpr Layout kLayout = layout_of(kType);
  using Header = BlockHeader<kType>;
  static constexpr int kStageTokens = 2 * kAmxTokens;
  /// A place is 64 columns, which one instruction multiplies. A block has four places.
  static constexpr int kPlaceColumns = 64, kPlaces = kBlock / kPlaceColumns;

  struct Panel {
    alignas(64) uint8_t high[kBlock * kTileRows];
    alignas(64) uint8_t low[kBlock * kTileRows];
    float d[kTileRows], dmin[kTileRows];
    int32_t minima[Header::kPairs][kTileRows];  // pairs of int16
  };
  struct Sums {
    alignas(64) int32_t high[2][kAmxTokens][kTileRows];
    alignas(64) int32_t low[2][kAmxTokens][kTileRows];
  };
  /// The unit of work for the matrix unit: one block of columns times up to two token tiles.
  struct Stage {
    struct Tile {
      int n = 0;  // tokens
      BlockColumns x{};
      float* out = nullptr;  // where the first token's results go
    };
    Tile tiles[2] = {};
    size_t stride = 0;
    bool resume = false;
    const Panel* panel = nullptr;
    Sums* sums = nullptr;

    void next_block() {
      for (Tile& tile : tiles) tile.x.next_block();
      resume = true;
    }
  };

  static void fill_panel(const Header& header, Panel& panel) {
    store(panel.d, header.d());
    if constexpr (kLayout.has_min) {
      store(panel.dmin, header.dmin());
      for (int i = 0; i < Header::kPairs; i++) store(panel.minima[i], header.minima(i));
    }
    const std::byte* from = header.planes();
    uint8_t *high = panel.high, *low = panel.low;
    const auto fill_half = [&]<int kFirst>(I32x16 scale) __attribute__((always_inline)) {
      for_constants<kSteps / 2>([&]<int i>() __attribute__((always_inline)) {
        constexpr int kStep = kFirst + i;
        const U8x64 w = unpack_step<kType, kStep>(from);
        const ProductBytes product =
            kLayout.has_min ? small_product(w, scale) : product_of(w, kLayout.offset, scale);
        store(high + kStep * kVectorBytes, product.high);
        store(low + kStep * kVectorBytes, product.low);
      });
    };
    for (int g = 0; g < kBlock / kGroup; g++) {
      constexpr bool kHasHalves = Header::kPairColumns == kGroup;
      const I32x16 pairs = header.scales(kHasHalves ? g : g / 2);
      const bool is_second = !kHasHalves && g % 2 == 1;
      fill_half.template operator()<0>(is_second ? twice_second(pairs) : twice_first(pairs));
      fill_half.template operator()<4>(is_second || kHasHalves ? twice_second(pairs)
                                                               : twice_first(pairs));
      from += kLayout.group_bytes();
      high += kGroup * kTileRows;
      low += kGroup * kTileRows;
    }
  }

  template <int kSums>
  [[gnu::always_inline]] static void dot_high_and_low(const int8_t* tokens) {
    constexpr int kTokens = 4 + kSums / 2;
    tile_load<kTokens>(tokens, kPlaceColumns);
    if constexpr (kLayout.has_min) {
      tile_dot_unsigned<kSums, kTokens, 6>();
    } else {
      tile_dot<kSums, kTokens, 6>();
    }
    tile_dot_unsigned<kSums + 1, kTokens, 7>();
  }

  /// Multiplies a stage on tile registers and, between these instructions, finishes the previous
  /// stage on vectors.
  void run(const Stage& stage, const Stage& previous) {
    const bool has_second = stage.tiles[1].n > 0;
    tile_zero<0>(), tile_zero<1>(), tile_zero<2>(), tile_zero<3>();
    for_constants<kPlaces>([&]<int kPlace>() __attribute__((always_inline)) {
      tile_load<6>(stage.panel->high + kPlace * kPlaceColumns * kTileRows, kVectorBytes);
      tile_load<7>(stage.panel->low + kPlace * kPlaceColumns * kTileRows, kVectorBytes);
      dot_high_and_low<0>(stage.tiles[0].x.q + kPlace * kPlaceColumns * kAmxTokens);
      if (has_second) dot_high_and_low<2>(stage.tiles[1].x.q + kPlace * kPlaceColumns * kAmxTokens);
      add_sums<kPlace>(previous);
    });
    tile_store<0>(stage.sums->high[0]), tile_store<1>(stage.sums->low[0]);
    if (has_second) tile_store<2>(stage.sums->high[1]), tile_store<3>(stage.sums->low[1]);
  }

  /// Finishes a quarter of a stage's tokens: adds their integer sums to the float output.
  template <int kPlace>
  [[gnu::always_inline]] static void add_sums(const Stage& stage) {
    constexpr int kTokens = kStageTokens / kPlaces;
    constexpr int kTile = kPlace * kTokens / kAmxTokens;
    constexpr int kFirst = kPlace * kTokens % kAmxTokens;
    const typename Stage::Tile& tile = stage.tiles[kTile];
    if (tile.n <= kFirst) return;
    const Panel& panel = *stage.panel;
    const F32x16 d = load(panel.d), dmin = load(panel.dmin);
    I32x16 minima[Header::kPairs];
    if constexpr (kLayout.has_min)
      for (int i = 0; i < Header::kPairs; i++) minima[i] = load(panel.minima[i]);
    const int16_t* sums = tile.x.sums + Header::kFirstSums * kAmxTokens * 2;
    float* out = tile.out + kFirst * stage.stride;
    HEARTH_UNROLL
    for (int t = kFirst; t < kFirst + kTokens; t++, out += stage.stride) {
      if (t >= tile.n) return;
      I32x16 sum_of_minima[1] = {broadcast(int32_t{0})};
      if constexpr (kLayout.has_min) {
        HEARTH_UNROLL
        for (int i = 0; i < Header::kPairs; i++)
          dot_pairs(sum_of_minima, minima[i], sums + (i * kAmxTokens + t) * 2);
      }
      const I32x16 high = load(stage.sums->high[kTile][t]), low = load(stage.sums->low[kTile][t]);
      const I32x16 sum = kLayout.has_min ? joined_small(high, low) : joined(high, low);
      const F32x16 total = stage.resume ? load(out) : broadcast(0.0f);
      store(out, block_total<kLayout.has_min>(total, broadcast(tile.x.scales[t]), d, sum, dmin,
                                              sum_of_minima[0]));
    }
  }

  TileRegisters<kPlaceColumns> registers_;
  Panel panels_[kColumns / kBlock];
  Sums sums_[2];
};

using AmxPanels = Panels<AmxGroupPanel, AmxBlockPanel>;

}  // namespace
}  // namespace hearth::kernels::cpu
