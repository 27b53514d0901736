// Panels (panel.h) on AVX-512 VNNI: two row tiles x 512 columns, times six tokens at a time.
//
// vpdpbusd multiplies unsigned bytes by signed ones. In the dot products of simd.h the weights are
// unsigned; here the activations are, stored as q + 128, so that the weights keep their sign and
// need no offset:
//   sum(w * q) = sum(w * (q + 128)) - 128 * sum(w)
// Filling a panel computes 128 * sum(w), and sums start from its negative. Scales and minima are
// also unpacked into the panel, because the inner loops have no free issue slots for that.
#define HEARTH_BATCH_PLAN .few = 18, .offset = 128
#include "tile_kernels.inl"

namespace hearth::kernels::cpu {
namespace {

/// Two row tiles share each load of activations. With one tile, activations would take both loads
/// of every cycle and leave none for weights and scales. A panel has few enough columns for its
/// weights and the tokens' rows to stay in the L1 cache.
inline constexpr int kPanelTiles = 2, kPanelTokens = 6, kPanelColumns = kRowColumns;

/// TokenColumns::width, as a constant if possible: if six tokens are multiplied at a time, the
/// token tile has 12.
template <int kTokens>
constexpr int width_of(int width) {
  return kTokens == kPanelTokens ? kTileTokens : width;
}

/// sums[t][c] += weights * activations over kSteps steps, for row tile t and token c. weights_of(t)
/// points to the tile's weights; x is [kTokens] rows, kRowColumns bytes apart.
template <int kSteps, int kTokens, class WeightsOf>
[[gnu::always_inline]] inline void add_steps(I32x16 (&sums)[kPanelTiles][kTokens],
                                             const WeightsOf& weights_of, const int8_t* x) {
  HEARTH_UNROLL
  for (int step = 0; step < kSteps; step++, x += 4) {
    const U8x64 first = load_u8(weights_of(0) + step * kVectorBytes);
    const U8x64 second = load_u8(weights_of(1) + step * kVectorBytes);
    HEARTH_UNROLL
    for (int c = 0; c < kTokens; c++) {
      const I32x16 columns = broadcast_4(x + c * kRowColumns);
      sums[0][c] = add_products(sums[0][c], columns, first);
      sums[1][c] = add_products(sums[1][c], columns, second);
    }
  }
}

/// For formats with a scale every 32 columns.
template <BlockType kType>
class Avx512GroupPanel {
 public:
  static constexpr int kTiles = kPanelTiles, kTokensAtOnce = kPanelTokens;
  static constexpr int kColumns = kPanelColumns, kPieceColumns = kGroup;

  void fill(const std::byte* block, size_t tile_bytes, int n_columns) {
    for (Group(&groups)[kGroups] : groups_) {
      PackedSource<kType> source(block);
      for (int g = 0; g < n_columns / kGroup; g++, source.next()) groups[g].fill(source);
      block += tile_bytes;
    }
  }

  void multiply(const Activations& a, int column, int n_columns, const PanelOutput& to,
                NextPanel next) const {
    for_tokens<TokenColumns, kTokensAtOnce>(
        a, column, to.out, to.stride,
        [&]<int kTokens>(const TokenColumns& x, const Output& output) {
          multiply_tokens<kTokens>(x, n_columns / kGroup, {output, output.after(to.tile_stride)},
                                   next);
        });
  }

 private:
  static constexpr Layout kLayout = layout_of(kType);
  static constexpr int kGroups = kColumns / kGroup;

  struct alignas(kVectorBytes) Group {
    uint8_t weights[kGroup * kTileRows];  // signed
    float scale[kTileRows], minus_magic_scale[kTileRows], minimum[kTileRows];
    int32_t start[kTileRows];  // the bits of kMagic - 128 * sum(w)

    void fill(const PackedSource<kType>& source) {
      I32x16 sum = broadcast(int32_t{0});
      unpack_group<kType>(source.planes(), weights, [&](U8x64 w) {
        const U8x64 with_sign = minus(w, kLayout.offset);
        sum = add_columns(sum, with_sign);
        return with_sign;
      });
      store(start, bits_as_int(broadcast(kMagic)) - sum * broadcast(int32_t{kBatchPlan.offset}));
      store(scale, source.scale());
      store(minus_magic_scale, broadcast(-kMagic) * source.scale());
      if constexpr (kLayout.has_min) store(minimum, source.minimum());
    }
  };

  // noinline, because GCC would keep the sums in memory in a larger function.
  template <int kTokens>
  [[gnu::noinline]] void multiply_tokens(TokenColumns x, int n_groups,
                                         const Output (&outputs)[kTiles], NextPanel& next) const {
    const int width = width_of<kTokens>(x.width);
    F32x16 total[kTiles][kTokens];
    HEARTH_UNROLL
    for (int t = 0; t < kTiles; t++) outputs[t].read(total[t]);
    for (int g = 0; g < n_groups; g++, x.q += kGroup, x.scales += width, x.sums += width) {
      I32x16 sums[kTiles][kTokens];
      HEARTH_UNROLL
      for (int t = 0; t < kTiles; t++) set_all(sums[t], load(groups_[t][g].start));
      next.prefetch_piece();
      add_steps<kSteps>(
          sums, [&](int t) { return groups_[t][g].weights; }, x.q);
      HEARTH_UNROLL
      for (int t = 0; t < kTiles; t++) {
        const Group& group = groups_[t][g];
        add_scaled_sums(sums[t], load(group.scale), load(group.minus_magic_scale), x, total[t]);
        if constexpr (kLayout.has_min) subtract_minima(load(group.minimum), x, total[t]);
      }
    }
    HEARTH_UNROLL
    for (int t = 0; t < kTiles; t++) outputs[t].write(total[t]);
  }

  Group groups_[kTiles][kGroups];
};

/// For formats with super-blocks of 256 columns.
template <BlockType kType>
class Avx512BlockPanel {
 public:
  static constexpr int kTiles = kPanelTiles, kTokensAtOnce = kPanelTokens;
  static constexpr int kColumns = kPanelColumns, kPieceColumns = kBlock;

  void fill(const std::byte* block, size_t tile_bytes, int n_columns) {
    for (Block(&blocks)[kBlocks] : blocks_) {
      for (int b = 0; b < n_columns / kBlock; b++)
        blocks[b].fill(Header(block + b * kLayout.block_bytes()));
      block += tile_bytes;
    }
  }

  void multiply(const Activations& a, int column, int n_columns, const PanelOutput& to,
                NextPanel next) const {
    for_tokens<BlockColumns, kTokensAtOnce>(
        a, column, to.out, to.stride,
        [&]<int kTokens>(const BlockColumns& x, const Output& output) {
          multiply_tokens<kTokens>(x, n_columns / kBlock, {output, output.after(to.tile_stride)},
                                   next);
        });
  }

 private:
  using Header = BlockHeader<kType>;
  static constexpr Layout kLayout = layout_of(kType);
  static constexpr int kBlocks = kColumns / kBlock;
  static constexpr int kStepsPerScale = kLayout.scale_columns / 4;

  struct alignas(kVectorBytes) Block {
    uint8_t weights[kBlock * kTileRows];  // signed
    int32_t scales[kLayout.n_scales()][kTileRows];
    int32_t minima[Header::kPairs][kTileRows];  // pairs of int16
    int32_t start[kTileRows];                   // -128 * sum(scale * w)
    float d[kTileRows], dmin[kTileRows];

    void fill(const Header& header) {
      store(d, header.d());
      store(dmin, header.dmin());
      for (int i = 0; i < Header::kPairs; i++) {
        store(scales[2 * i], first_of_pair(header.scales(i)));
        store(scales[2 * i + 1], second_of_pair(header.scales(i)));
        if constexpr (kLayout.has_min) store(minima[i], header.minima(i));
      }
      const std::byte* planes = header.planes();
      uint8_t* w = weights;
      I32x16 sum = broadcast(int32_t{0});
      for (int g = 0; g < kBlock / kGroup; g++, planes += kLayout.group_bytes()) {
        // The sums for a group, or for its two halves if each has its own scale. unpack_group()
        // calls this function for steps 0 to 7 in this order.
        I32x16 parts[2] = {broadcast(int32_t{0}), broadcast(int32_t{0})};
        int step = 0;
        unpack_group<kType>(planes, w, [&](U8x64 unsigned_weights) {
          const U8x64 with_sign = minus(unsigned_weights, kLayout.offset);
          I32x16& part = parts[step++ / kStepsPerScale];
          part = add_columns(part, with_sign);
          return with_sign;
        });
        w += kGroup * kTileRows;
        for (int i = 0; i < kLayout.n_halves(); i++)
          sum = sum + parts[i] * load(scales[g * kLayout.n_halves() + i]);
      }
      store(start, broadcast(int32_t{0}) - sum * broadcast(int32_t{kBatchPlan.offset}));
    }
  };

  // noinline for the same reason as above. A block's sums take all registers, so the totals are
  // stored to the output after each block and loaded again for the next.
  template <int kTokens>
  [[gnu::noinline]] void multiply_tokens(BlockColumns x, int n_blocks,
                                         const Output (&outputs)[kTiles], NextPanel& next) const {
    const int width = width_of<kTokens>(x.width);
    Output to[] = {outputs[0], outputs[1]};
    for (int b = 0; b < n_blocks; b++) {
      I32x16 sums[kTiles][kTokens], minima[kTiles][kTokens];
      next.prefetch_piece();
      sum_block(b, x.q, sums);
      if constexpr (kLayout.has_min)
        sum_minima(b, x.sums + Header::kFirstSums * 2 * width, width, minima);
      F32x16 total[kTiles][kTokens];
      HEARTH_UNROLL
      for (int t = 0; t < kTiles; t++) {
        to[t].read(total[t]);
        add_block(blocks_[t][b], x.scales, sums[t], minima[t], total[t]);
      }
      HEARTH_UNROLL
      for (int t = 0; t < kTiles; t++) {
        to[t].write(total[t]);
        to[t].resume = true;
      }
      x.q += kBlock, x.scales += width, x.sums += kBlockSums * width;
    }
  }

  template <int kTokens>
  [[gnu::always_inline]] void sum_block(int b, const int8_t* x,
                                        I32x16 (&sums)[kTiles][kTokens]) const {
    HEARTH_UNROLL
    for (int t = 0; t < kTiles; t++) set_all(sums[t], load(blocks_[t][b].start));
    for (int i = 0; i < kLayout.n_scales(); i++, x += kLayout.scale_columns) {
      I32x16 part[kTiles][kTokens];
      HEARTH_UNROLL
      for (int t = 0; t < kTiles; t++) set_all(part[t], broadcast(int32_t{0}));
      add_steps<kStepsPerScale>(
          part, [&](int t) { return blocks_[t][b].weights + i * kStepsPerScale * kVectorBytes; },
          x);
      HEARTH_UNROLL
      for (int t = 0; t < kTiles; t++) {
        const I32x16 scale = load(blocks_[t][b].scales[i]);
        HEARTH_UNROLL
        for (int c = 0; c < kTokens; c++) sums[t][c] = sums[t][c] + part[t][c] * scale;
      }
    }
  }

  /// sums[t][c] = the sum of minimum * sum(q) over the minima of block b in row tile t, for token
  /// c. activation_sums: [kPairs][width] pairs of sums.
  template <int kTokens>
  [[gnu::always_inline]] void sum_minima(int b, const int16_t* activation_sums, int width,
                                         I32x16 (&sums)[kTiles][kTokens]) const {
    HEARTH_UNROLL
    for (int t = 0; t < kTiles; t++) set_all(sums[t], broadcast(int32_t{0}));
    HEARTH_UNROLL
    for (int i = 0; i < Header::kPairs; i++) {
      HEARTH_UNROLL
      for (int t = 0; t < kTiles; t++)
        dot_pairs(sums[t], load(blocks_[t][b].minima[i]), activation_sums + 2 * i * width);
    }
  }

  template <int kTokens>
  [[gnu::always_inline]] static void add_block(const Block& block, const float* scales,
                                               const I32x16 (&sums)[kTokens],
                                               const I32x16 (&minima)[kTokens],
                                               F32x16 (&total)[kTokens]) {
    const F32x16 d = load(block.d), dmin = load(block.dmin);
    HEARTH_UNROLL
    for (int c = 0; c < kTokens; c++) {
      total[c] =
          block_total<kLayout.has_min>(total[c], broadcast(scales[c]), d, sums[c], dmin, minima[c]);
    }
  }

  Block blocks_[kTiles][kBlocks];
};

using Avx512Panels = Panels<Avx512GroupPanel, Avx512BlockPanel>;

}  // namespace
}  // namespace hearth::kernels::cpu
