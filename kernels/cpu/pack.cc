#include "pack.h"

#include <cstring>

#include "file_blocks.h"
#include "half.h"
#include "packed_layout.h"

namespace hearth::kernels::cpu {
namespace {

constexpr size_t round_up(size_t n, size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

size_t element_bytes(BlockType type) { return type == BlockType::kF32 ? 4 : 2; }

// --- quantized types: one group of 16 rows at a time ---

struct GroupAddress {
  std::byte* header;
  std::byte* planes;
  int group;  // in its block
};

GroupAddress address_of(const Layout& layout, std::byte* tile, int group) {
  std::byte* block = tile + static_cast<size_t>(group / layout.n_groups) *
                                static_cast<size_t>(layout.block_bytes());
  const int in_block = group % layout.n_groups;
  return {block, block + layout.header_bytes() + in_block * layout.group_bytes(), in_block};
}

/// Writes bits kFrom to kFrom + kBits - 1 of each code into a plane, eight bytes at a time: the
/// mask keeps the bits of a byte out of its neighbour. w [kSteps][16 rows][4].
template <int kFrom, int kBits>
void write_plane(const uint8_t* w, std::byte* plane) {
  constexpr int kFields = 8 / kBits;
  constexpr uint64_t kMask = 0x0101010101010101u * ((1u << kBits) - 1);
  for (int vector = 0; vector < kBits; vector++, w += kFields * kVectorBytes) {
    for (int i = 0; i < kVectorBytes; i += 8, plane += 8) {
      uint64_t fields = 0;
      for (int field = 0; field < kFields; field++) {
        uint64_t step;
        std::memcpy(&step, w + field * kVectorBytes + i, sizeof step);
        fields |= (step >> kFrom & kMask) << (kBits * field);
      }
      std::memcpy(plane, &fields, sizeof fields);
    }
  }
}

inline void write_scales(const Layout& layout, const FileGroup& group, int row,
                         const GroupAddress& to) {
  const auto put_half = [row](std::byte* place, uint16_t half) {
    std::memcpy(place + 2 * row, &half, sizeof half);
  };
  if (!layout.has_block_scale) {
    const int place = to.group * 2 * kTileRows;
    put_half(to.header + place, group.d);
    if (layout.has_min) put_half(to.header + layout.min_offset() + place, group.dmin);
    return;
  }
  put_half(to.header, group.d);
  put_half(to.header + 2 * kTileRows, group.dmin);
  std::byte* scales = to.header + layout.scales_offset();
  std::byte* minima = to.header + layout.min_offset();
  for (int half = 0; half < layout.n_halves(); half++) {
    const int place = Layout::pair_place(to.group * layout.n_halves() + half, row);
    const int high = layout.has_nibble_scales ? group.minima[half] << 4 : 0;
    scales[place] = static_cast<std::byte>(group.scales[half] | high);
    if (layout.has_min && !layout.has_nibble_scales)
      minima[place] = static_cast<std::byte>(group.minima[half]);
  }
}

template <BlockType kType>
void pack_quantized(const std::byte* rows, int n_valid, int n_cols, std::byte* tile) {
  constexpr Layout kLayout = layout_of(kType);
  const size_t source_row_bytes = row_bytes(kType, n_cols);
  std::memset(tile, 0, tile_bytes(kType, n_cols));
  uint8_t w[kSteps][kTileRows][4] = {};
  for (int g = 0; g < n_cols / kGroup; g++) {
    const GroupAddress to = address_of(kLayout, tile, g);
    for (int row = 0; row < n_valid; row++) {
      FileGroup group;
      read_group<kType>(rows + static_cast<size_t>(row) * source_row_bytes, g, group);
      for (int step = 0; step < kSteps; step++) std::memcpy(w[step][row], group.w + 4 * step, 4);
      write_scales(kLayout, group, row, to);
    }
    write_plane<0, kLayout.low_bits>(&w[0][0][0], to.planes);
    if constexpr (kLayout.high_bits > 0) {
      write_plane<kLayout.low_bits, kLayout.high_bits>(&w[0][0][0],
                                                       to.planes + kLayout.low_bytes());
    }
  }
}

int read_plane(const std::byte* plane, int bits, int row, int column) {
  const int fields = 8 / bits;
  const int step = column / 4;
  const std::byte byte = plane[step / fields * kVectorBytes + 4 * row + column % 4];
  return std::to_integer<int>(byte) >> (bits * (step % fields)) & ((1 << bits) - 1);
}

struct Scale {
  float scale;
  float minimum;
};

Scale read_scale(const Layout& layout, const GroupAddress& from, int half, int row) {
  const auto half_at = [row](const std::byte* place) {
    return f16_to_f32(load_u16(place + 2 * row));
  };
  if (!layout.has_block_scale) {
    const int place = from.group * 2 * kTileRows;
    return {half_at(from.header + place),
            layout.has_min ? half_at(from.header + layout.min_offset() + place) : 0};
  }
  const int place = Layout::pair_place(from.group * layout.n_halves() + half, row);
  int scale = static_cast<int8_t>(from.header[layout.scales_offset() + place]);
  int minimum = 0;
  if (layout.has_nibble_scales) {
    minimum = scale >> 4 & 15;
    scale &= 15;
  } else if (layout.has_min) {
    minimum = static_cast<int8_t>(from.header[layout.min_offset() + place]);
  }
  return {half_at(from.header) * static_cast<float>(scale),
          half_at(from.header + 2 * kTileRows) * static_cast<float>(minimum)};
}

void unpack_quantized(BlockType type, const std::byte* tile, int row, int n_cols, float* out) {
  const Layout layout = layout_of(type);
  const int n_halves = n_cols / layout.scale_columns;
  for (int h = 0; h < n_halves; h++) {
    const GroupAddress from =
        address_of(layout, const_cast<std::byte*>(tile), h / layout.n_halves());
    const int half = h % layout.n_halves();
    const Scale s = read_scale(layout, from, half, row);
    for (int i = 0; i < layout.scale_columns; i++) {
      const int column = half * layout.scale_columns + i;
      int w = read_plane(from.planes, layout.low_bits, row, column);
      if (layout.high_bits > 0) {
        const std::byte* high = from.planes + layout.low_bytes();
        w |= read_plane(high, layout.high_bits, row, column) << layout.low_bits;
      }
      const float product = s.scale * static_cast<float>(layout.weight(w));
      *out++ = layout.has_min ? product - s.minimum : product;
    }
  }
}

}  // namespace

size_t tile_bytes(BlockType type, int n_cols) {
  const size_t columns = static_cast<size_t>(n_cols);
  if (is_float(type)) return round_up(columns * kTileRows * element_bytes(type), kVectorBytes);
  const Layout layout = layout_of(type);
  const size_t n_groups = columns / kGroup, in_block = static_cast<size_t>(layout.n_groups);
  const size_t n_headers = (n_groups + in_block - 1) / in_block;
  return n_headers * static_cast<size_t>(layout.header_bytes()) +
         n_groups * static_cast<size_t>(layout.group_bytes());
}

void pack_tile(BlockType type, const std::byte* rows, int n_valid, int n_cols, std::byte* tile) {
  if (!is_float(type)) {
    return with_quantized_type(
        type, [&]<BlockType kType>() { pack_quantized<kType>(rows, n_valid, n_cols, tile); });
  }
  std::memset(tile, 0, tile_bytes(type, n_cols));
  const size_t bytes = element_bytes(type), columns = static_cast<size_t>(n_cols);
  for (size_t row = 0; row < static_cast<size_t>(n_valid); row++) {
    for (size_t k = 0; k < columns; k++) {
      std::memcpy(tile + (k * kTileRows + row) * bytes, rows + (row * columns + k) * bytes, bytes);
    }
  }
}

void unpack_row(BlockType type, const std::byte* tile, int row, int n_cols, float* out) {
  if (!is_float(type)) return unpack_quantized(type, tile, row, n_cols, out);
  for (int k = 0; k < n_cols; k++) {
    const std::byte* place = tile + static_cast<size_t>(k * kTileRows + row) * element_bytes(type);
    if (type == BlockType::kF32) {
      std::memcpy(out + k, place, sizeof(float));
    } else {
      out[k] = type == BlockType::kF16 ? f16_to_f32(load_u16(place)) : bf16_to_f32(load_u16(place));
    }
  }
}

}  // namespace hearth::kernels::cpu
