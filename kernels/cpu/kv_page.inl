// The layout of one KV head in a KV page, for both types of the KV cache, and the functions that
// read it as floats for attention. Keys are transposed, [head_dim][32 positions], because positions
// are the SIMD lanes of q k^T; values are [32 positions][head_dim].
//
//   f16    keys | values
//   int8   keys | scales for keys [groups][32] | scales for values [groups][32] | values
//          A group is kKvGroup dimensions. Each position has an f16 scale for each group.

namespace hearth::kernels::cpu {
namespace {

constexpr int kPositions = kPageTokens;

/// One KV head's part of a page, and the head's part of the next page, which is prefetched while
/// this one is read: pages lie too far apart for the hardware prefetcher.
struct PageHead {
  const std::byte* data;
  const std::byte* next;
  size_t head_dim;
  PageHead at(size_t offset) const { return {data + offset, next + offset, head_dim}; }
};

/// Clamps to the range of f16, since one Inf in the cache would spoil every later token. NaN stays
/// NaN, so that checks find it.
inline F32x16 saturated(F32x16 x) { return max(broadcast(-65504.0f), min(broadcast(65504.0f), x)); }

// --- f16 ---

/// Rows that begin row_bytes apart. load_row() reads kWidth vectors of 16 columns.
struct HalfRows {
  PageHead from;
  size_t row_bytes;
  template <int kWidth>
  void load_row(int row, F32x16 (&columns)[kWidth]) const {
    const size_t at = static_cast<size_t>(row) * row_bytes;
    HEARTH_UNROLL
    for (int c = 0; c < kWidth; c++) columns[c] = load_f16(from.data + at + 32 * c);
    __builtin_prefetch(from.next + at);
  }
};

struct HalfPage {
  /// The maximum number of dimensions that one result of keys() covers.
  static constexpr int kKeyRows = kMaxHeadDim;

  /// The rows are dimensions from `dim` on; the columns are positions from `position` on.
  template <int kWidth>
  static HalfRows keys(PageHead head, int dim, int position) {
    return {head.at(static_cast<size_t>(2 * (kPositions * dim + position))), 2 * kPositions};
  }
  /// The rows are positions from `position` on; the columns are dimensions from `dim` on.
  static HalfRows values(PageHead head, int position, int dim) {
    const size_t row_bytes = 2 * head.head_dim;
    const size_t row = static_cast<size_t>(kPositions + position);
    return {head.at(row * row_bytes + 2 * static_cast<size_t>(dim)), row_bytes};
  }
  static void append(std::byte* head, int slot, const float* k, const float* v, int head_dim) {
    std::byte* values = head + 2 * kPositions * head_dim + 2 * slot * head_dim;
    for (int d = 0; d < head_dim; d += 16) {
      uint16_t keys[16];
      store_f16(keys, saturated(load(k + d)));
      for (int i = 0; i < 16; i++) {
        std::memcpy(head + 2 * (kPositions * (d + i) + slot), &keys[i], sizeof keys[i]);
      }
      store_f16(values + 2 * d, saturated(load(v + d)));
    }
  }
};

// --- int8 ---

/// The rows are the dimensions of one group. The lanes are positions, and each position has one
/// scale for the whole group.
template <int kWidth>
struct Int8Keys {
  PageHead from;
  F32x16 scales[kWidth];
  void load_row(int row, F32x16 (&columns)[kWidth]) const {
    const size_t at = static_cast<size_t>(row) * kPositions;
    HEARTH_UNROLL
    for (int c = 0; c < kWidth; c++) {
      columns[c] = to_float(load_i8(from.data + at + 16 * c)) * scales[c];
    }
    __builtin_prefetch(from.next + at);
  }
};

/// The rows are positions. Each has a scale for the group that the columns belong to.
struct Int8Values {
  PageHead from;
  float scales[kPositions];
  template <int kWidth>
  void load_row(int row, F32x16 (&columns)[kWidth]) const {
    const size_t at = static_cast<size_t>(row) * from.head_dim;
    const F32x16 scale = broadcast(scales[row]);
    HEARTH_UNROLL
    for (int c = 0; c < kWidth; c++) {
      columns[c] = to_float(load_i8(from.data + at + 16 * c)) * scale;
    }
    __builtin_prefetch(from.next + at);
  }
};

/// Rounds to int8. Clamps first: with a scale that was rounded down to f16, a code can exceed 127.
/// NaN becomes an arbitrary number.
inline I32x16 to_int8(F32x16 x) {
  const F32x16 magic = broadcast(kMagic);
  const F32x16 clamped = max(min(x, broadcast(127.0f)), broadcast(-127.0f));
  return bits_as_int(clamped + magic) - bits_as_int(magic);
}

/// Quantizes a group of n values and returns the bits of its f16 scale. If a value is NaN, so is
/// the scale.
inline uint16_t quantize_values(const float* x, int n, int8_t* q) {
  const F32x16 x0 = saturated(load(x));
  const F32x16 x1 = n > 16 ? saturated(load(x + 16)) : broadcast(0.0f);
  const int32_t largest = reduce_max(max(bits_as_int(abs(x0)), bits_as_int(abs(x1))));
  float scales[16];
  uint16_t halves[16];
  store_f16(halves, broadcast(as<float>(largest) / 127.0f));
  store(scales, load_f16(halves));  // rounded to f16, as attention reads it
  const F32x16 inverse = broadcast(scales[0] > 0 ? 1.0f / scales[0] : 0.0f);
  store_i8(q, to_int8(x0 * inverse));
  store_i8(q + 16, to_int8(x1 * inverse));
  return halves[0];
}

struct Int8Page {
  static constexpr int kKeyRows = kKvGroup;

  /// The offset of a group's scales. Groups are numbered across both: first those of keys, then
  /// those of values.
  static size_t scales_at(size_t head_dim, size_t group) {
    return kPositions * (head_dim + 2 * group);
  }
  static size_t n_groups(size_t head_dim) { return (head_dim + kKvGroup - 1) / kKvGroup; }

  template <int kWidth>
  static Int8Keys<kWidth> keys(PageHead head, int dim, int position) {
    const size_t d = static_cast<size_t>(dim), p = static_cast<size_t>(position);
    const std::byte* scales = head.data + scales_at(head.head_dim, d / kKvGroup) + 2 * p;
    Int8Keys<kWidth> rows{head.at(kPositions * d + p), {}};
    HEARTH_UNROLL
    for (int c = 0; c < kWidth; c++) rows.scales[c] = load_f16(scales + 32 * c);
    return rows;
  }

  static Int8Values values(PageHead head, int position, int dim) {
    const size_t d = static_cast<size_t>(dim), p = static_cast<size_t>(position);
    const size_t n = n_groups(head.head_dim), group = n + d / kKvGroup;
    const std::byte* scales = head.data + scales_at(head.head_dim, group);
    Int8Values rows{head.at(scales_at(head.head_dim, 2 * n) + p * head.head_dim + d), {}};
    float all[kPositions];
    for (int i = 0; i < kPositions; i += 16) store(all + i, load_f16(scales + 2 * i));
    std::memcpy(rows.scales, all + p, sizeof(float) * (kPositions - p));
    return rows;
  }

  static void append(std::byte* head, int slot, const float* k, const float* v, int head_dim) {
    const size_t dims = static_cast<size_t>(head_dim), n = n_groups(dims);
    std::byte* values = head + scales_at(dims, 2 * n) + static_cast<size_t>(slot) * dims;
    for (size_t group = 0; group < n; group++) {
      const int d = static_cast<int>(group) * kKvGroup, n_values = least(kKvGroup, head_dim - d);
      int8_t q[kKvGroup];
      const uint16_t k_scale = quantize_values(k + d, n_values, q);
      for (int i = 0; i < n_values; i++) {
        std::memcpy(head + kPositions * (d + i) + slot, &q[i], 1);
      }
      const uint16_t v_scale = quantize_values(v + d, n_values, q);
      std::memcpy(values + d, q, static_cast<size_t>(n_values));
      std::memcpy(head + scales_at(dims, group) + 2 * slot, &k_scale, sizeof k_scale);
      std::memcpy(head + scales_at(dims, n + group) + 2 * slot, &v_scale, sizeof v_scale);
    }
  }
};

}  // namespace
}  // namespace hearth::kernels::cpu
