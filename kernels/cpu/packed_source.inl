// Where a matmul kernel gets its weights from, a group of 32 columns x 16 rows at a time: straight
// from a packed tile (PackedSource), or from a panel that was unpacked before (PanelSource).
// Both have the same members, so multiply.inl is written once. For types with a scale every 32
// columns; what they share with the others comes first.

namespace hearth::kernels::cpu {
namespace {

/// Of the compile-time kind: what a kernel must know of a type once its weights are unpacked.
struct GroupShape {
  bool has_min;
  int bits;
  int offset;  // remaining_offset
};

/// What must be subtracted, times sum(x), from the result of dot.
constexpr int remaining_offset(const Layout& layout) {
  return layout.is_8_bit() ? kDot8Offset : layout.offset;
}

constexpr GroupShape shape_of(const Layout& layout) {
  return {layout.has_min, layout.weight_bits(), remaining_offset(layout)};
}

/// Whether the processor's L1 cache can wait for as many lines as a core can have under way.
inline bool has_patient_l1() {
#ifdef __x86_64__
  return __builtin_cpu_is("amd");
#else
  return false;
#endif
}

/// A stream of weights is called into the cache so far ahead that as many lines are under way as a
/// core can have. Intel's L1 caches can wait for 16 only: there lines come into the L2 cache first,
/// and into the L1 cache shortly before their use; one distance alone reads 10-20 % less. On Zen 5
/// one reads 7-16 % more than two.
inline void prefetch(const std::byte* p, int n_bytes) {
  constexpr int kFarBytes = 6144, kNearBytes = 1024, kOnlyBytes = 4096;
  const bool once = has_patient_l1();
  for (int i = 0; i < n_bytes; i += 64) {
    if (once) {
      __builtin_prefetch(p + kOnlyBytes + i);
    } else {
      __builtin_prefetch(p + kFarBytes + i, 0, 2);
      __builtin_prefetch(p + kNearBytes + i);
    }
  }
}

/// The bits of step kStep in a plane of kBits, moved up by kTo.
template <int kBits, int kStep, int kTo>
inline U8x64 field(const std::byte* plane) {
  constexpr int kFields = 8 / kBits;
  constexpr int kFrom = kBits * (kStep % kFields);
  constexpr int kMask = ((1 << kBits) - 1) << kTo;
  const U8x64 bytes = load_u8(plane + kStep / kFields * kVectorBytes);
  if constexpr (kBits == 8) return bytes;
  return shift_right_and<kFrom - kTo>(bytes, kMask);
}

/// Columns 4 * kStep and up of a group.
template <BlockType kType, int kStep>
inline U8x64 unpack_step(const std::byte* planes) {
  constexpr Layout kLayout = layout_of(kType);
  const U8x64 low = field<kLayout.low_bits, kStep, 0>(planes);
  if constexpr (kLayout.is_table) {
    return prepared(look_up(kIq4Values, low));
  } else if constexpr (kLayout.low_bits == 8) {
    return prepared(low);
  } else if constexpr (kLayout.high_bits > 0) {
    return low | field<kLayout.high_bits, kStep, kLayout.low_bits>(planes + kLayout.low_bytes());
  } else {
    return low;
  }
}

/// A group, each U8x64 as finish() returns it.
template <BlockType kType, class Finish>
inline void unpack_group(const std::byte* planes, uint8_t* w, Finish finish) {
  [&]<int... kStep>(std::integer_sequence<int, kStep...>) {
    (store(w + kStep * kVectorBytes, finish(unpack_step<kType, kStep>(planes))), ...);
  }
  (std::make_integer_sequence<int, kSteps>());
}

template <BlockType kType>
class PackedSource {
 public:
  static constexpr Layout kLayout = layout_of(kType);
  static constexpr GroupShape kShape = shape_of(kLayout);

  explicit PackedSource(const std::byte* tile)
      : block_(tile), planes_(tile + kLayout.header_bytes()) {}

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
  template <int kStep>
  U8x64 step() const {
    return unpack_step<kType, kStep>(planes_);
  }
  const std::byte* planes() const { return planes_; }
  F32x16 scale() const { return load_f16(block_ + group_ * 2 * kTileRows); }
  F32x16 minimum() const {
    return load_f16(block_ + kLayout.min_offset() + group_ * 2 * kTileRows);
  }

 private:
  const std::byte* block_;
  const std::byte* planes_;
  int group_ = 0;  // in the block
};

/// A row tile x up to kGroups groups, unpacked for many tokens.
template <int kMaxGroups>
struct Panel {
  static constexpr int kGroups = kMaxGroups;
  alignas(64) uint8_t w[kGroups * kSteps * kVectorBytes];
  alignas(64) float scales[kGroups * kTileRows];
  alignas(64) float minima[kGroups * kTileRows];
};

template <GroupShape kGroupShape>
class PanelSource {
 public:
  static constexpr GroupShape kShape = kGroupShape;

  template <int kMaxGroups>
  PanelSource(const Panel<kMaxGroups>& panel, NextPanel& next_panel)
      : w_(panel.w), scales_(panel.scales), minima_(panel.minima), next_panel_(&next_panel) {}

  void next() {
    next_panel_->prefetch_piece();
    w_ += kSteps * kVectorBytes;
    scales_ += kTileRows;
    minima_ += kTileRows;
  }
  template <int kStep>
  U8x64 step() const {
    return load_u8(w_ + kStep * kVectorBytes);
  }
  F32x16 scale() const { return load(scales_); }
  F32x16 minimum() const { return load(minima_); }

 private:
  const uint8_t* w_;
  const float* scales_;
  const float* minima_;
  NextPanel* next_panel_;
};

/// Unpacks n_groups groups, at most kMaxGroups, from a block's begin on; each U8x64 of weights as
/// finish() returns it.
template <BlockType kType, int kMaxGroups, class Finish>
void fill_panel(const std::byte* block, int n_groups, Panel<kMaxGroups>& panel, Finish finish) {
  PackedSource<kType> source(block);
  constexpr GroupShape kShape = PackedSource<kType>::kShape;
  uint8_t* w = panel.w;
  for (int g = 0; g < n_groups; g++, source.next()) {
    unpack_group<kType>(source.planes(), w, finish);
    w += kSteps * kVectorBytes;
    store(panel.scales + g * kTileRows, source.scale());
    if constexpr (kShape.has_min) store(panel.minima + g * kTileRows, source.minimum());
  }
}

}  // namespace
}  // namespace hearth::kernels::cpu
