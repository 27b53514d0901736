// The inner kernel for weights with a float scale every 256 columns: weight = d * scale * w - dmin
// * minimum, with small integers scale and minimum for every 16 or 32 columns. The activations too
// have one scale for the 256, so all sums inside a block are exact integers, in whatever order and
// by whatever instructions they are made; block_total holds all that is rounded.

namespace hearth::kernels::cpu {
namespace {

/// Columns of one token tile, from some token and block on.
struct BlockColumns {
  const int8_t* q;      // [step][width][4]
  const float* scales;  // [block][width]
  const int16_t* sums;  // [block][kBlockSums / 2][width][2]
  int width;            // tokens in the tile

  void next_block() {
    q += kBlock * width;
    scales += width;
    sums += kBlockSums * width;
  }
};

/// What a tile's block has beside the weights.
template <BlockType kType>
class BlockHeader {
 public:
  static constexpr Layout kLayout = layout_of(kType);
  static constexpr int kPairs = kLayout.n_scales() / 2;  // of scales, and of minima
  static constexpr int kPairColumns = kBlock / kPairs;
  /// Where the sums of as many columns begin in BlockColumns::sums.
  static constexpr int kFirstSums = kLayout.scale_columns == 16 ? 0 : kBlock / 16 / 2;

  explicit BlockHeader(const std::byte* block) : block_(block) {}

  F32x16 d() const { return load_f16(block_); }
  F32x16 dmin() const { return load_f16(block_ + 2 * kTileRows); }
  /// Of columns kPairColumns * i and up.
  I32x16 scales(int i) const {
    const I32x16 pairs = load_pairs(4 * kTileRows, i);
    return kLayout.packs_min ? pairs & broadcast(kNibbles) : pairs;
  }
  I32x16 minima(int i) const {
    const I32x16 pairs = load_pairs(kLayout.packs_min ? 4 * kTileRows : kLayout.min_offset(), i);
    return kLayout.packs_min ? shift_right<4>(pairs) & broadcast(kNibbles) : pairs;
  }
  const std::byte* planes() const { return block_ + kLayout.header_bytes(); }

 private:
  static constexpr int32_t kNibbles = 0x000f000f;
  I32x16 load_pairs(int place, int i) const {
    return load_i8_pairs(block_ + place + 2 * i * kTileRows);
  }
  const std::byte* block_;
};

/// A block's weights, straight from the tile.
template <BlockType kType>
class PackedWeights {
 public:
  explicit PackedWeights(const std::byte* planes) : planes_(planes) {}
  template <int kStep>
  U8x64 step() const {
    return unpack_step<kType, kStep>(planes_);
  }
  void next_group() {
    prefetch(planes_, layout_of(kType).group_bytes());
    planes_ += layout_of(kType).group_bytes();
  }

 private:
  const std::byte* planes_;
};

/// A block's weights, unpacked before.
class PanelWeights {
 public:
  explicit PanelWeights(const uint8_t* w) : w_(w) {}
  template <int kStep>
  U8x64 step() const {
    return load_u8(w_ + kStep * kVectorBytes);
  }
  void next_group() { w_ += kSteps * kVectorBytes; }

 private:
  const uint8_t* w_;
};

/// total + x's scale * (d * sum - dmin * sum_of_minima). The integers are below 2^30: 256 columns
/// of at most 127 * 128 * 63 (Q6_K before its offset is taken off) are 262 million.
template <bool kHasMin>
inline F32x16 block_total(F32x16 total, F32x16 scale, F32x16 d, I32x16 sum, F32x16 dmin,
                          I32x16 sum_of_minima) {
  F32x16 value = d * to_float(sum);
  if constexpr (kHasMin) value = fnma(dmin, to_float(sum_of_minima), value);
  return fma(value, scale, total);
}

/// Adds 16 columns, from step kStep of a group on.
template <BlockType kType, int kStep, class Weights, int kTokens>
[[gnu::always_inline]] inline void add_half(const Weights& weights, const int8_t* q, int width,
                                            I32x16 scale, I32x16 (&sum)[kTokens]) {
  const U8x64 w[4] = {weights.template step<kStep>(), weights.template step<kStep + 1>(),
                      weights.template step<kStep + 2>(), weights.template step<kStep + 3>()};
  scaled_dot<layout_of(kType).weight_bits()>(sum, w, q + 4 * kStep * width, 4 * width, scale);
}

/// sum[c] = the block's sum of scale * w * q, the remaining offset included.
template <BlockType kType, class Weights, int kTokens>
[[gnu::always_inline]] inline void sum_block(const BlockHeader<kType>& header, Weights weights,
                                             const BlockColumns& x, I32x16 (&sum)[kTokens]) {
  using Header = BlockHeader<kType>;
  constexpr int kBits = Header::kLayout.weight_bits();
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) sum[c] = broadcast(int32_t{0});
  const int8_t* q = x.q;
  for (int i = 0; i < Header::kPairs; i++) {
    const I32x16 scales = header.scales(i);
    const I32x16 first = first_scale<kBits>(scales), second = second_scale<kBits>(scales);
    if constexpr (Header::kPairColumns == kGroup) {
      add_half<kType, 0>(weights, q, x.width, first, sum);
      add_half<kType, 4>(weights, q, x.width, second, sum);
    } else {
      add_half<kType, 0>(weights, q, x.width, first, sum);
      add_half<kType, 4>(weights, q, x.width, first, sum);
      weights.next_group();
      q += kGroup * x.width;
      add_half<kType, 0>(weights, q, x.width, second, sum);
      add_half<kType, 4>(weights, q, x.width, second, sum);
    }
    weights.next_group();
    q += kGroup * x.width;
  }
}

/// The sum of the tokens' sums times the minima, or times the scales for what they share in an
/// offset.
template <BlockType kType, int kTokens>
[[gnu::always_inline]] inline void sum_sums(const BlockHeader<kType>& header, const BlockColumns& x,
                                            I32x16 (&sum)[kTokens]) {
  using Header = BlockHeader<kType>;
#pragma GCC unroll 12
  for (int c = 0; c < kTokens; c++) sum[c] = broadcast(int32_t{0});
  const int16_t* sums = x.sums + Header::kFirstSums * 2 * x.width;
  for (int i = 0; i < Header::kPairs; i++, sums += 2 * x.width)
    dot_pairs(sum, Header::kLayout.has_min ? header.minima(i) : header.scales(i), sums);
}

/// weights_of(block, header) gives the weights of a block.
template <BlockType kType, int kTokens, class WeightsOf>
void multiply_blocks(const std::byte* block, BlockColumns x, int n_blocks, const Output& output,
                     const WeightsOf& weights_of) {
  constexpr Layout kLayout = layout_of(kType);
  constexpr int kOffset = remaining_offset(kLayout);
  static_assert(kOffset == 0 || (!kLayout.has_min && (kOffset & (kOffset - 1)) == 0));
  F32x16 total[kTokens];
  output.read(total);
  for (int b = 0; b < n_blocks; b++, block += kLayout.block_bytes(), x.next_block()) {
    const BlockHeader<kType> header(block);
    I32x16 sum[kTokens], sum_of_sums[kTokens];
    sum_block(header, weights_of(b, header), x, sum);
    if constexpr (kLayout.has_min || kOffset != 0) sum_sums(header, x, sum_of_sums);
    prefetch(block, kLayout.header_bytes());
    const F32x16 d = header.d(), dmin = header.dmin();
#pragma GCC unroll 12
    for (int c = 0; c < kTokens; c++) {
      if constexpr (kOffset != 0)
        sum[c] = sum[c] - shift_left<__builtin_ctz(kOffset)>(sum_of_sums[c]);
      total[c] = block_total<kLayout.has_min>(total[c], broadcast(x.scales[c]), d, sum[c], dmin,
                                              sum_of_sums[c]);
    }
  }
  output.write(total);
}

}  // namespace
}  // namespace hearth::kernels::cpu
