// A panel of weights with a scale every 256 columns times all tokens, on tile registers. The panel
// holds products scale * w, which take two bytes: a high plane and a low one, each with sums of its
// own, which stay in tile registers for a whole block. What vectors do with a block's sums is done
// while the matrix unit works on the next.

namespace hearth::kernels::cpu {
namespace {

template <BlockType kType>
class BlockPanelKernel {
 public:
  static constexpr int kColumns = 512;

  void fill(const std::byte* block, int n_columns) {
    block_ = block;
    for (int b = 0; b < n_columns / kBlock; b++, block += kLayout.block_bytes())
      fill_planes(Header(block), planes_[b]);
  }

  void multiply(const Activations& a, int column, int n_columns, float* out, size_t stride) {
    Stage previous;
    int n_stages = 0;
    for (int first = 0; first < a.n; first += kStageTokens) {
      Stage stage;
      stage.n_tokens = a.n - first < kStageTokens ? a.n - first : kStageTokens;
      for (int t = 0; t * kWideTokens < stage.n_tokens; t++) {
        const TokenTile tile = token_tile(first + t * kWideTokens, a.n);
        stage.x[t] = columns_of<BlockColumns>(a, tile, 0, column);
      }
      stage.block = block_;
      stage.out = out + static_cast<size_t>(first) * stride;
      stage.stride = stride;
      stage.resume = column > 0;
      for (int b = 0; b < n_columns / kBlock; b++) {
        stage.sums = &sums_[n_stages++ % 2];
        run(stage, planes_[b], previous);
        previous = stage;
        stage.next_block();
      }
    }
    add_sums(previous, 0, kStageTokens);
  }

 private:
  static constexpr Layout kLayout = layout_of(kType);
  using Header = BlockHeader<kType>;
  static constexpr int kStageTokens = 2 * kWideTokens;
  /// That one instruction multiplies.
  static constexpr int kPlaceColumns = 64, kPlaces = kBlock / kPlaceColumns;

  struct Planes {
    alignas(64) uint8_t high[kBlock * kTileRows];
    alignas(64) uint8_t low[kBlock * kTileRows];
  };
  struct Sums {
    alignas(64) int32_t high[2][kWideTokens][kTileRows];
    alignas(64) int32_t low[2][kWideTokens][kTileRows];
  };
  /// A block of columns times up to two tiles of tokens.
  struct Stage {
    int n_tokens = 0;
    BlockColumns x[2];
    const std::byte* block;
    float* out;  // of the first token
    size_t stride;
    bool resume;
    Sums* sums;

    void next_block() {
      for (BlockColumns& columns : x) columns.next_block();
      block += kLayout.block_bytes();
      resume = true;
    }
  };

  static void fill_planes(const Header& header, Planes& planes) {
    const std::byte* from = header.planes();
    uint8_t *high = planes.high, *low = planes.low;
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
  void run(const Stage& stage, const Planes& planes, const Stage& previous) {
    const bool has_second = stage.n_tokens > kWideTokens;
    tile_zero<0>(), tile_zero<1>(), tile_zero<2>(), tile_zero<3>();
    for (int place = 0; place < kPlaces; place++) {
      tile_load<6>(planes.high + place * kPlaceColumns * kTileRows, kVectorBytes);
      tile_load<7>(planes.low + place * kPlaceColumns * kTileRows, kVectorBytes);
      dot_high_and_low<0>(stage.x[0].q + place * kPlaceColumns * kWideTokens);
      if (has_second) dot_high_and_low<2>(stage.x[1].q + place * kPlaceColumns * kWideTokens);
      add_sums(previous, place * kStageTokens / kPlaces, (place + 1) * kStageTokens / kPlaces);
    }
    tile_store<0>(stage.sums->high[0]), tile_store<1>(stage.sums->low[0]);
    if (has_second) tile_store<2>(stage.sums->high[1]), tile_store<3>(stage.sums->low[1]);
  }

  /// Tokens [begin, end) of a stage, as far as they exist.
  static void add_sums(const Stage& stage, int begin, int end) {
    if (end > stage.n_tokens) end = stage.n_tokens;
    if (begin >= end) return;
    const Header header(stage.block);
    const F32x16 d = header.d(), dmin = header.dmin();
    I32x16 minima[Header::kPairs];
    if constexpr (kLayout.has_min)
      for (int i = 0; i < Header::kPairs; i++) minima[i] = header.minima(i);
    for (int token = begin; token < end; token++) {
      const int tile = token / kWideTokens, t = token % kWideTokens;
      const BlockColumns& x = stage.x[tile];
      const I32x16 high = load(stage.sums->high[tile][t]), low = load(stage.sums->low[tile][t]);
      I32x16 sum_of_minima[1] = {broadcast(int32_t{0})};
      if constexpr (kLayout.has_min) {
        const int16_t* sums = x.sums + (Header::kFirstSums * kWideTokens + t) * 2;
#pragma GCC unroll 8
        for (int i = 0; i < Header::kPairs; i++)
          dot_pairs(sum_of_minima, minima[i], sums + i * kWideTokens * 2);
      }
      float* out = stage.out + static_cast<size_t>(token) * stage.stride;
      const F32x16 total = stage.resume ? load(out) : broadcast(0.0f);
      const I32x16 sum = kLayout.has_min ? joined_small(high, low) : joined(high, low);
      store(out, block_total<kLayout.has_min>(total, broadcast(x.scales[t]), d, sum, dmin,
                                              sum_of_minima[0]));
    }
  }

  TileRegisters<kPlaceColumns> registers_;
  const std::byte* block_ = nullptr;
  Planes planes_[kColumns / kBlock];
  Sums sums_[2];
};

}  // namespace
}  // namespace hearth::kernels::cpu
