// Where a matmul kernel gets its weights from, a group of 32 columns x 16 rows at a time: straight
// from a packed tile (PackedSource), or from a panel that was unpacked before (PanelSource).
// Both have the same members, so multiply.inl is written once.

namespace hearth::kernels::cpu {
namespace {

/// Of the compile-time kind: what a kernel must know of a type once its weights are unpacked.
struct GroupShape {
  int n_halves;  // scales in a group
  bool has_min;
  bool has_offset;
  bool is_8_bit;
};

/// What must be subtracted, times sum(x), from the result of dot or dot8.
constexpr int remaining_offset(const Layout& layout) {
  return layout.is_8_bit() ? kDot8Offset : layout.offset;
}

constexpr GroupShape shape_of(const Layout& layout) {
  return {layout.n_halves(), layout.has_min, remaining_offset(layout) != 0, layout.is_8_bit()};
}

/// A stream of weights is called into the L2 cache far ahead, which keeps as many lines under way
/// as a core can have, and into the L1 cache shortly before its use. One distance alone reads 10-20
/// % less: the L1 cache can wait for 16 lines only.
inline constexpr int kFarBytes = 6144, kNearBytes = 1024;

inline void prefetch(const std::byte* p, int n_bytes) {
  for (int i = 0; i < n_bytes; i += 64) {
    __builtin_prefetch(p + kFarBytes + i, 0, 2);
    __builtin_prefetch(p + kNearBytes + i);
  }
}

template <BlockType kType>
class PackedSource {
 public:
  static constexpr Layout kLayout = layout_of(kType);
  static constexpr GroupShape kShape = shape_of(kLayout);

  explicit PackedSource(const std::byte* tile)
      : block_(tile), planes_(tile + kLayout.header_bytes()) {}

  static constexpr float offset() { return remaining_offset(kLayout); }

  /// Also asks for the bytes that the stream will need soon.
  void next() {
    prefetch(planes_, kLayout.group_bytes());
    planes_ += kLayout.group_bytes();
    if (++group_ < kLayout.n_groups) return;
    prefetch(block_, kLayout.header_bytes());
    group_ = 0;
    block_ = planes_;
    planes_ += kLayout.header_bytes();
  }

  /// Columns 4 * kStep and up.
  template <int kStep>
  U8x64 weights() const {
    const U8x64 low = field<kLayout.low_bits, kStep, 0>(planes_);
    if constexpr (kLayout.is_table) {
      return look_up(kIq4Values, low);
    } else if constexpr (kLayout.high_bits > 0) {
      return low | field<kLayout.high_bits, kStep, kLayout.low_bits>(planes_ + kLayout.low_bytes());
    } else {
      return low;
    }
  }

  F32x16 scale(int half) const {
    if constexpr (!kLayout.has_block_scale) return load_f16(block_ + group_ * 2 * kTileRows);
    const I32x16 scales = small_ints(4 * kTileRows, half);
    const I32x16 low = kLayout.packs_min ? scales & broadcast(int32_t{15}) : scales;
    return load_f16(block_) * to_float(low);
  }

  F32x16 minimum(int half) const {
    constexpr int kPlace = kLayout.min_offset();
    if constexpr (!kLayout.has_block_scale)
      return load_f16(block_ + kPlace + group_ * 2 * kTileRows);
    const F32x16 dmin = load_f16(block_ + 2 * kTileRows);
    if constexpr (kLayout.packs_min) {
      const I32x16 both = small_ints(4 * kTileRows, half);
      return dmin * to_float(shift_right<4>(both) & broadcast(int32_t{15}));
    }
    return dmin * to_float(small_ints(kPlace, half));
  }

 private:
  /// The bits of step kStep in a plane of kBits, moved up by kTo.
  template <int kBits, int kStep, int kTo>
  static U8x64 field(const std::byte* plane) {
    constexpr int kFields = 8 / kBits;
    constexpr int kFrom = kBits * (kStep % kFields);
    constexpr int kMask = ((1 << kBits) - 1) << kTo;
    const U8x64 bytes = load_u8(plane + kStep / kFields * kVectorBytes);
    if constexpr (kBits == 8) return bytes;
    return shift_right_and<kFrom - kTo>(bytes, kMask);
  }

  I32x16 small_ints(int place, int half) const {
    return load_i8(block_ + place + (group_ * kLayout.n_halves() + half) * kTileRows);
  }

  const std::byte* block_;
  const std::byte* planes_;
  int group_ = 0;  // in the block
};

/// 16 rows x up to 1024 columns, unpacked for many tokens: 24 KB, which the L1 cache holds.
struct Panel {
  static constexpr int kGroups = 32;
  alignas(64) uint8_t w[kGroups * kSteps * kVectorBytes];
  alignas(64) float scales[kGroups * 2 * kTileRows];
  alignas(64) float minima[kGroups * 2 * kTileRows];
};

template <GroupShape kGroupShape>
class PanelSource {
 public:
  static constexpr GroupShape kShape = kGroupShape;

  PanelSource(const Panel& panel, float offset)
      : w_(panel.w), scales_(panel.scales), minima_(panel.minima), offset_(offset) {}

  float offset() const { return offset_; }
  void next() {
    w_ += kSteps * kVectorBytes;
    scales_ += kShape.n_halves * kTileRows;
    minima_ += kShape.n_halves * kTileRows;
  }
  template <int kStep>
  U8x64 weights() const {
    return load_u8(w_ + kStep * kVectorBytes);
  }
  F32x16 scale(int half) const { return load(scales_ + half * kTileRows); }
  F32x16 minimum(int half) const { return load(minima_ + half * kTileRows); }

 private:
  const uint8_t* w_;
  const float* scales_;
  const float* minima_;
  float offset_;
};

/// Unpacks n_groups groups, at most Panel::kGroups, from a block's begin on; each U8x64 of weights
/// as finish() returns it.
template <BlockType kType, class Finish>
void fill_panel(const std::byte* block, int n_groups, Panel& panel, Finish finish) {
  PackedSource<kType> source(block);
  constexpr GroupShape kShape = PackedSource<kType>::kShape;
  uint8_t* w = panel.w;
  for (int g = 0; g < n_groups; g++, source.next()) {
    [&]<int... kStep>(std::integer_sequence<int, kStep...>) {
      (store(w + kStep * kVectorBytes, finish(source.template weights<kStep>())), ...);
    }
    (std::make_integer_sequence<int, kSteps>());
    w += kSteps * kVectorBytes;
    for (int half = 0; half < kShape.n_halves; half++) {
      const int place = (g * kShape.n_halves + half) * kTileRows;
      store(panel.scales + place, source.scale(half));
      if constexpr (kShape.has_min) store(panel.minima + place, source.minimum(half));
    }
  }
}

}  // namespace
}  // namespace hearth::kernels::cpu
