// The inner kernel for super-blocks of 256 columns (K-quants, IQ4_XS):
//   weight = d * scale * (w - offset) - dmin * minimum
// where w is a code, and scale and minimum are small integers for every 16 or 32 columns. The
// activations have one scale for all 256 columns. So all sums inside a block are exact integers,
// whatever the order and the instructions; only block_total() rounds.

namespace hearth::kernels::cpu {
namespace {

/// A view of one token tile's activations, from one of its tokens and one block on.
struct BlockColumns {
  const int8_t* q;      // [step][width][4], or one of the layouts for panels in activations.inl
  const float* scales;  // [block][width]
  // [block][kBlockSums / 2][width][2]: pairs of sums of q. In the first 8 pairs, a sum is over 16
  // columns; in the last 4, over 32 columns.
  const int16_t* sums;
  int width;  // tokens that the tile has room for

  /// Moves to the next block; only if q is [step][width][4].
  void next_block() {
    q += kBlock * width;
    scales += width;
    sums += kBlockSums * width;
  }
};

/// The header of a super-block in a row tile: its scales and minima (packed_layout.h).
template <BlockType kType>
class BlockHeader {
 public:
  static constexpr Layout kLayout = layout_of(kType);
  static constexpr int kPairs = kLayout.n_scales() / 2;  // pairs of scales, and of minima
  static constexpr int kPairColumns = kBlock / kPairs;   // a pair covers one or two groups
  /// The index in BlockColumns::sums of the first pair of sums over scale_columns columns.
  static constexpr int kFirstSums = kLayout.scale_columns == 16 ? 0 : kBlock / 16 / 2;

  explicit BlockHeader(const std::byte* block) : block_(block) {}

  F32x16 d() const { return load_f16(block_); }
  F32x16 dmin() const { return load_f16(block_ + 2 * kTileRows); }
  /// Pair i of scales: one for each half of the kPairColumns columns from kPairColumns * i on.
  I32x16 scales(int i) const {
    const I32x16 pairs = load_pairs(kLayout.scales_offset(), i);
    return kLayout.has_nibble_scales ? pairs & broadcast(kLowNibbles) : pairs;
  }
  I32x16 minima(int i) const {
    if constexpr (kLayout.has_nibble_scales)
      return shift_right<4>(load_pairs(kLayout.scales_offset(), i)) & broadcast(kLowNibbles);
    return load_pairs(kLayout.min_offset(), i);
  }
  const std::byte* planes() const { return block_ + kLayout.header_bytes(); }
  /// Prefetches the header of a later block.
  void prefetch_next() const { prefetch_ahead(block_, kLayout.header_bytes()); }

 private:
  static constexpr int32_t kLowNibbles = 0x000f000f;
  I32x16 load_pairs(int offset, int i) const {
    return load_i8_pairs(block_ + offset + 2 * i * kTileRows);
  }
  const std::byte* block_;
};

/// total + x_scale * (d * sum - dmin * sum_of_minima). The integers stay below 2^30: 256 products
/// of an activation (at most 127), a scale (128) and a code (63 in Q6_K, with its offset) add up to
/// at most 262 million.
template <bool kHasMin>
inline F32x16 block_total(F32x16 total, F32x16 x_scale, F32x16 d, I32x16 sum, F32x16 dmin,
                          I32x16 sum_of_minima) {
  F32x16 value = d * to_float(sum);
  if constexpr (kHasMin) value = fnma(dmin, to_float(sum_of_minima), value);
  return fma(value, x_scale, total);
}

/// sum[c] = the block's sum of scale * w * q, where w includes dot_offset().
template <BlockType kType, class Weights, int kTokens>
[[gnu::always_inline]] inline void sum_block(const BlockHeader<kType>& header, Weights weights,
                                             const BlockColumns& x, I32x16 (&sum)[kTokens]) {
  using Header = BlockHeader<kType>;
  constexpr int kBits = Header::kLayout.weight_bits();
  constexpr int kHalf = kSteps / 2;
  set_all(sum, broadcast(int32_t{0}));
  const int8_t* q = x.q;
  const int step_bytes = 4 * x.width;
  for (int i = 0; i < Header::kPairs; i++) {
    const I32x16 pairs = header.scales(i);
    const I32x16 first = first_of_pair(pairs), second = second_of_pair(pairs);
    if constexpr (Header::kPairColumns == kGroup) {
      scaled_dot<kBits, 0, kHalf>(sum, weights, q, step_bytes, first);
      scaled_dot<kBits, kHalf, kHalf>(sum, weights, q, step_bytes, second);
    } else {
      scaled_dot<kBits, 0, kSteps>(sum, weights, q, step_bytes, first);
      weights.next_group();
      q += kGroup * x.width;
      scaled_dot<kBits, 0, kSteps>(sum, weights, q, step_bytes, second);
    }
    weights.next_group();
    q += kGroup * x.width;
  }
}

/// corrections[c] = the sum of minimum * sum(q) over the block's minima. Formats with an offset
/// have no minima; for them, corrections[c] = the sum of scale * sum(q), and add_block() subtracts
/// offset * corrections[c].
template <BlockType kType, int kTokens>
[[gnu::always_inline]] inline void sum_corrections(const BlockHeader<kType>& header,
                                                   const BlockColumns& x,
                                                   I32x16 (&corrections)[kTokens]) {
  using Header = BlockHeader<kType>;
  set_all(corrections, broadcast(int32_t{0}));
  const int16_t* sums = x.sums + Header::kFirstSums * 2 * x.width;
  for (int i = 0; i < Header::kPairs; i++, sums += 2 * x.width)
    dot_pairs(corrections, Header::kLayout.has_min ? header.minima(i) : header.scales(i), sums);
}

/// Adds a block's integer sums to the float totals of a row tile.
template <BlockType kType, int kTokens>
[[gnu::always_inline]] inline void add_block(const BlockHeader<kType>& header,
                                             const BlockColumns& x, const I32x16 (&sum)[kTokens],
                                             F32x16 (&total)[kTokens]) {
  constexpr Layout kLayout = layout_of(kType);
  constexpr int kOffset = dot_offset(kLayout);
  static_assert(kOffset == 0 || (!kLayout.has_min && (kOffset & (kOffset - 1)) == 0));
  I32x16 corrections[kTokens];
  if constexpr (kLayout.has_min || kOffset != 0) sum_corrections(header, x, corrections);
  const F32x16 d = header.d(), dmin = header.dmin();
  HEARTH_UNROLL
  for (int c = 0; c < kTokens; c++) {
    I32x16 corrected = sum[c];
    if constexpr (kOffset != 0)
      corrected = corrected - shift_left<__builtin_ctz(kOffset)>(corrections[c]);
    total[c] = block_total<kLayout.has_min>(total[c], broadcast(x.scales[c]), d, corrected, dmin,
                                            corrections[c]);
  }
}

/// Multiplies one row tile by kTokens tokens over n_blocks blocks. codes_of(b, header) returns the
/// codes of block b: PackedCodes or PanelCodes.
template <BlockType kType, int kTokens, class CodesOf>
HEARTH_INNER_KERNEL void multiply_blocks(const std::byte* block, BlockColumns x, int n_blocks,
                                         const Output& output, const CodesOf& codes_of) {
  using Header = BlockHeader<kType>;
  x.width = tile_width<kTokens>(x.width);
  F32x16 total[kTokens];
  output.read(total);
  for (int b = 0; b < n_blocks; b++, block += Header::kLayout.block_bytes(), x.next_block()) {
    const Header header(block);
    I32x16 sum[kTokens];
    sum_block(header, codes_of(b, header), x, sum);
    add_block(header, x, sum, total);
  }
  output.write(total);
}

}  // namespace
}  // namespace hearth::kernels::cpu
