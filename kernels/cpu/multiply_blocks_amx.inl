// A panel of weights with a scale every 256 columns times all tokens, on tile registers. The panel
// holds products scale * w, which take two bytes: a high plane and a low one, each with sums of its
// own, which stay in tile registers for a whole block. What vectors do with a block's sums is done
// while the matrix unit works on the next.

namespace hearth::kernels::cpu {
namespace {

template <BlockType kType>
class BlockPanelKernel {
 public:
  static constexpr int kTiles = 1, kMostTokens = kWideTokens;
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
      stage.resume = column > 0;
      for (int i = 0; i < 2 && first + i * kWideTokens < a.n; i++) {
        const TokenTile tile = token_tile(first + i * kWideTokens, a.n);
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
    [&]<int... kPlace>(std::integer_sequence<int, kPlace...>) { (add_sums<kPlace>(previous), ...); }
    (std::make_integer_sequence<int, kPlaces>());
  }

 private:
  static constexpr Layout kLayout = layout_of(kType);
  using Header = BlockHeader<kType>;
  static constexpr int kStageTokens = 2 * kWideTokens;
  /// A place is what one instruction multiplies; a stage has four.
  static constexpr int kPlaceColumns = 64, kPlaces = kBlock / kPlaceColumns;

  struct Panel {
    alignas(64) uint8_t high[kBlock * kTileRows];
    alignas(64) uint8_t low[kBlock * kTileRows];
    float d[kTileRows], dmin[kTileRows];
    int32_t minima[Header::kPairs][kTileRows];  // pairs of int16
  };
  struct Sums {
    alignas(64) int32_t high[2][kWideTokens][kTileRows];
    alignas(64) int32_t low[2][kWideTokens][kTileRows];
  };
  /// A block of columns times up to two tiles of tokens.
  struct Stage {
    struct Tile {
      int n = 0;  // tokens
      BlockColumns x{};
      float* out = nullptr;  // of the first token
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
      const auto fill_step = [&]<int kStep>() __attribute__((always_inline)) {
        const U8x64 w = unpack_step<kType, kStep>(from);
        const ProductBytes product =
            kLayout.has_min ? small_product(w, scale) : product_of(w, kLayout.offset, scale);
        store(high + kStep * kVectorBytes, product.high);
        store(low + kStep * kVectorBytes, product.low);
      };
      [&]<int... kStep>(std::integer_sequence<int, kStep...>) __attribute__((always_inline)) {
        (fill_step.template operator()<kFirst + kStep>(), ...);
      }
      (std::make_integer_sequence<int, kSteps / 2>());
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

  /// The stage's sums on tile registers, and between them the previous stage's on vectors.
  void run(const Stage& stage, const Stage& previous) {
    const bool has_second = stage.tiles[1].n > 0;
    tile_zero<0>(), tile_zero<1>(), tile_zero<2>(), tile_zero<3>();
    const auto run_place = [&]<int kPlace>() __attribute__((always_inline)) {
      tile_load<6>(stage.panel->high + kPlace * kPlaceColumns * kTileRows, kVectorBytes);
      tile_load<7>(stage.panel->low + kPlace * kPlaceColumns * kTileRows, kVectorBytes);
      dot_high_and_low<0>(stage.tiles[0].x.q + kPlace * kPlaceColumns * kWideTokens);
      if (has_second)
        dot_high_and_low<2>(stage.tiles[1].x.q + kPlace * kPlaceColumns * kWideTokens);
      add_sums<kPlace>(previous);
    };
    [&]<int... kPlace>(std::integer_sequence<int, kPlace...>) __attribute__((always_inline)) {
      (run_place.template operator()<kPlace>(), ...);
    }
    (std::make_integer_sequence<int, kPlaces>());
    tile_store<0>(stage.sums->high[0]), tile_store<1>(stage.sums->low[0]);
    if (has_second) tile_store<2>(stage.sums->high[1]), tile_store<3>(stage.sums->low[1]);
  }

  /// A quarter of a stage's tokens.
  template <int kPlace>
  [[gnu::always_inline]] static void add_sums(const Stage& stage) {
    constexpr int kTokens = kStageTokens / kPlaces;
    constexpr int kTile = kPlace * kTokens / kWideTokens;
    constexpr int kFirst = kPlace * kTokens % kWideTokens;
    const typename Stage::Tile& tile = stage.tiles[kTile];
    if (tile.n <= kFirst) return;
    const Panel& panel = *stage.panel;
    const F32x16 d = load(panel.d), dmin = load(panel.dmin);
    I32x16 minima[Header::kPairs];
    if constexpr (kLayout.has_min)
      for (int i = 0; i < Header::kPairs; i++) minima[i] = load(panel.minima[i]);
    const int16_t* sums = tile.x.sums + Header::kFirstSums * kWideTokens * 2;
    float* out = tile.out + kFirst * stage.stride;
#pragma GCC unroll 8
    for (int t = kFirst; t < kFirst + kTokens; t++, out += stage.stride) {
      if (t >= tile.n) return;
      I32x16 sum_of_minima[1] = {broadcast(int32_t{0})};
      if constexpr (kLayout.has_min) {
#pragma GCC unroll 8
        for (int i = 0; i < Header::kPairs; i++)
          dot_pairs(sum_of_minima, minima[i], sums + (i * kWideTokens + t) * 2);
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

}  // namespace
}  // namespace hearth::kernels::cpu
