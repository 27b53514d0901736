// Unpacks bit planes to bytes (codes). Kernels are written once for two sources of codes: a row
// tile, whose codes PackedCodes unpacks in registers, and a panel, which holds unpacked codes
// (PanelCodes). For formats with a scale every 32 columns, PackedSource and PanelSource add scales
// and minima.

namespace hearth::kernels::cpu {
namespace {

/// The compile-time traits of a format that matter once its weights are unpacked. Formats with the
/// same traits share one PanelSource and its kernel.
struct CodeTraits {
  bool has_min;
  int bits;
  int offset;  // dot_offset()
};

/// The offset in the codes that dot() multiplies: its result is too large by offset * sum(x).
constexpr int dot_offset(const Layout& layout) {
  return layout.is_8_bit() ? kDot8Offset : layout.offset;
}

constexpr CodeTraits code_traits_of(const Layout& layout) {
  return {layout.has_min, layout.weight_bits(), dot_offset(layout)};
}

/// Prefetches a stream of weights far enough ahead to keep the core at its maximum of outstanding
/// line fills. Intel's L1 caches track only 16; for them, lines are first fetched into the L2 cache
/// (kFarBytes ahead) and later into the L1 cache (kNearBytes ahead). On a Xeon with AMX, two
/// distances stream 4 to 9 % faster than the best single one, and a near distance of 4 KB 10 to 16
/// % faster than 1 KB. On Zen 5, one distance streams 7 to 16 % faster than two.
inline void prefetch_ahead(const std::byte* p, int n_bytes) {
  constexpr int kFarBytes = 6144, kNearBytes = 4096, kSingleBytes = 4096;
  const bool single_distance = l1_tracks_all_fills;
  for (int i = 0; i < n_bytes; i += 64) {
    if (single_distance) {
      __builtin_prefetch(p + kSingleBytes + i);
    } else {
      __builtin_prefetch(p + kFarBytes + i, 0, 2);
      __builtin_prefetch(p + kNearBytes + i);
    }
  }
}

/// A plane has kBits bits of each code (packed_layout.h). Returns the bits for step kStep, shifted
/// so that they begin at bit kTo.
template <int kBits, int kStep, int kTo>
inline U8x64 field(const std::byte* plane) {
  constexpr int kFields = 8 / kBits;
  constexpr int kFrom = kBits * (kStep % kFields);
  constexpr int kMask = ((1 << kBits) - 1) << kTo;
  const U8x64 bytes = load_u8(plane + kStep / kFields * kVectorBytes);
  if constexpr (kBits == 8) return bytes;
  return shift_right_and<kFrom - kTo>(bytes, kMask);
}

/// Codes of eight bits are stored as weight + 128. Depending on the variant, dot() multiplies these
/// or signed weights; flipping the top bit subtracts 128.
inline U8x64 code_for_dot(U8x64 code) {
  if constexpr (kDot8Offset == 128) return code;
  return each<Bytes>([&](int i) { return code.v[i] ^ 128; });
}

/// The codes of columns 4 * kStep to 4 * kStep + 3 of a group.
template <BlockType kType, int kStep>
inline U8x64 unpack_step(const std::byte* planes) {
  constexpr Layout kLayout = layout_of(kType);
  const U8x64 low = field<kLayout.low_bits, kStep, 0>(planes);
  if constexpr (kLayout.has_book()) {
    static constexpr BookCodes kCodes = book_codes(kLayout.book);
    return code_for_dot(look_up(kCodes.w, low));
  } else if constexpr (kLayout.low_bits == 8) {
    return code_for_dot(low);
  } else if constexpr (kLayout.high_bits > 0) {
    return low | field<kLayout.high_bits, kStep, kLayout.low_bits>(planes + kLayout.low_bytes());
  } else {
    return low;
  }
}

/// Unpacks a group to bytes; finish() maps each U8x64 before it is stored.
template <BlockType kType, class Finish>
inline void unpack_group(const std::byte* planes, uint8_t* w, Finish finish) {
  for_constants<kSteps>([&]<int kStep>() {
    store(w + kStep * kVectorBytes, finish(unpack_step<kType, kStep>(planes)));
  });
}

/// Reads the codes of one group after another from a row tile and unpacks them in registers.
template <BlockType kType>
class PackedCodes {
 public:
  static constexpr bool kIsPanel = false;

  explicit PackedCodes(const std::byte* planes) : planes_(planes) {}

  template <int kStep>
  U8x64 step() const {
    return unpack_step<kType, kStep>(planes_);
  }
  /// Moves to the next group, and prefetches weights further ahead.
  void next_group() {
    prefetch_ahead(planes_, layout_of(kType).group_bytes());
    planes_ += layout_of(kType).group_bytes();
  }
  const std::byte* planes() const { return planes_; }

 protected:
  const std::byte* planes_;
};

/// Reads the codes of one group after another from a panel. next_group() also prefetches a piece of
/// the next panel.
class PanelCodes {
 public:
  static constexpr bool kIsPanel = true;

  PanelCodes(const uint8_t* w, NextPanel& next_panel) : w_(w), next_panel_(&next_panel) {}

  template <int kStep>
  U8x64 step() const {
    return load_u8(w_ + kStep * kVectorBytes);
  }
  void next_group() {
    next_panel_->prefetch_piece();
    w_ += kSteps * kVectorBytes;
  }

 private:
  const uint8_t* w_;
  NextPanel* next_panel_;
};

/// For formats with a scale every 32 columns: the codes with their scales and minima.
template <BlockType kType>
class PackedSource : public PackedCodes<kType> {
 public:
  static constexpr Layout kLayout = layout_of(kType);
  static constexpr CodeTraits kTraits = code_traits_of(kLayout);

  explicit PackedSource(const std::byte* block)
      : PackedCodes<kType>(block + kLayout.header_bytes()), block_(block) {}

  /// Moves to the next group. After a block's last group, it also skips the next block's header.
  void next() {
    this->next_group();
    if (++group_ < kLayout.n_groups) return;
    prefetch_ahead(block_, kLayout.header_bytes());
    group_ = 0;
    block_ = this->planes_;
    this->planes_ += kLayout.header_bytes();
  }
  F32x16 scale() const { return load_f16(block_ + group_ * 2 * kTileRows); }
  F32x16 minimum() const {
    return load_f16(block_ + kLayout.min_offset() + group_ * 2 * kTileRows);
  }

 private:
  const std::byte* block_;
  int group_ = 0;  // in the block
};

/// A row tile x up to kGroups groups, unpacked. w has the codes that fill_panel()'s finish()
/// returned.
template <int kGroups>
struct Panel {
  alignas(64) uint8_t w[kGroups * kSteps * kVectorBytes];
  alignas(64) float scales[kGroups * kTileRows];
  alignas(64) float minima[kGroups * kTileRows];
};

/// PanelCodes with the scales and minima of a panel.
template <CodeTraits kCodeTraits>
class PanelSource : public PanelCodes {
 public:
  static constexpr CodeTraits kTraits = kCodeTraits;

  template <int kMaxGroups>
  PanelSource(const Panel<kMaxGroups>& panel, NextPanel& next_panel)
      : PanelCodes(panel.w, next_panel), scales_(panel.scales), minima_(panel.minima) {}

  void next() {
    next_group();
    scales_ += kTileRows;
    minima_ += kTileRows;
  }
  F32x16 scale() const { return load(scales_); }
  F32x16 minimum() const { return load(minima_); }

 private:
  const float* scales_;
  const float* minima_;
};

/// Unpacks n_groups <= kMaxGroups groups, starting at the beginning of a block. finish() maps each
/// U8x64 of codes before it is stored.
template <BlockType kType, int kMaxGroups, class Finish>
void fill_panel(const std::byte* block, int n_groups, Panel<kMaxGroups>& panel, Finish finish) {
  PackedSource<kType> source(block);
  constexpr CodeTraits kTraits = PackedSource<kType>::kTraits;
  uint8_t* w = panel.w;
  for (int g = 0; g < n_groups; g++, source.next()) {
    unpack_group<kType>(source.planes(), w, finish);
    w += kSteps * kVectorBytes;
    store(panel.scales + g * kTileRows, source.scale());
    if constexpr (kTraits.has_min) store(panel.minima + g * kTileRows, source.minimum());
  }
}

}  // namespace
}  // namespace hearth::kernels::cpu
