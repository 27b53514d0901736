// Packs weights of the GGUF file into the packed layout (formats.h) on the GPU, and reads single
// rows back as floats, for embeddings.
#pragma once

#include "batch.hip.h"
#include "file_blocks.h"
#include "weights.hip.h"

namespace hearth::kernels::hip {

// --- packing: grid (tiles, units / 8); each thread packs one packed lane (fragment.hip.h) ---

/// Adds word f, which holds four codes, to the words of a plane (formats.h).
template <int kBits>
GPU_DEVICE void add_to_plane(uint32_t (&plane)[kBits], int f, uint32_t codes) {
  constexpr uint32_t kMask = 0x01010101u * ((1u << kBits) - 1);
  plane[f % kBits] |= (codes & kMask) << kBits * (f / kBits);
}

template <int kWords>
GPU_DEVICE void store_words(uint8_t* to, const uint32_t* words) {
  for (int i = 0; i < kWords; i++) reinterpret_cast<uint32_t*>(to)[i] = words[i];
}

GPU_DEVICE void store_bytes(uint8_t* to, uint32_t word, int n) {
  for (int i = 0; i < n; i++) to[i] = word >> 8 * i & 255;
}

/// The scale entry of a group (entry_bytes(); row_scale() reads it).
template <ScaleKind kScale>
GPU_DEVICE uint32_t scale_entry(const FileGroup& x) {
  const uint32_t scales[2] = {uint8_t(x.scales[0]), uint8_t(x.scales[1])};
  const uint32_t minima[2] = {uint8_t(x.minima[0]), uint8_t(x.minima[1])};
  switch (kScale) {
    case ScaleKind::kHalfMin:  // the GPU adds the minimum, like the file
      return x.d | uint32_t{x.dmin ^ 0x8000u} << 16;
    case ScaleKind::kSuper32:
      return scales[0];
    case ScaleKind::kSuper32Min:
      return scales[0] | minima[0] << 8;
    case ScaleKind::kSuper16:
      return scales[0] | scales[1] << 8;
    case ScaleKind::kSuper16Min:
      return scales[0] | minima[0] << 4 | scales[1] << 8 | minima[1] << 12;
    default:
      return x.d;
  }
}

template <BlockType kType>
GPU_DEVICE void pack_unit(const PackParams& p) {
  using L = Layout<kType>;
  constexpr int kLow = L::kTraits.low_bits, kHigh = L::kTraits.high_bits;
  wait_for_previous();
  const int lane = threadIdx.x % GPU_LANES, g = lane / 4, t = lane % 4;
  const int unit = blockIdx.y * (blockDim.x / GPU_LANES) + threadIdx.x / GPU_LANES;
  if (unit >= p.n_units) return;
  uint8_t* record = p.tiles + blockIdx.x * p.tile_bytes + unit / L::kUnits * L::kRecordBytes;
  uint8_t* base = record + unit % L::kUnits * L::kUnitBytes;
  uint32_t low[kLow] = {}, high[kHigh ? kHigh : 1] = {};
  GPU_UNROLL for (int i = 0; i < 4; i++) {
    const int upper = i / 2, group = i % 2;
    const int row = blockIdx.x * kTileRows + g + 8 * upper, col = unit * kUnit + group * kGroup;
    if (row >= p.n_rows || col >= p.n_cols) continue;  // the tiles are zeroed
    FileGroup from;
    read_group<kType>(p.rows + row * p.row_bytes, col / kGroup, from);
    GPU_UNROLL for (int half = 0; half < 2; half++) {
      uint32_t codes = 0;
      GPU_UNROLL for (int k = 0; k < 4; k++) {  // unrolled: registers cannot be indexed at run time
        uint32_t word;
        memcpy(&word, from.w + 16 * half + 4 * k, sizeof word);
        if (k == t) codes = kLow == 8 ? word ^ 0x80808080u : word;
      }
      const int f = 4 * group + 2 * half + upper;
      add_to_plane(low, f, codes);
      if constexpr (kHigh != 0) add_to_plane(high, f, codes >> kLow);
    }
    if (t != 0) continue;
    uint8_t* entry = base + L::kScaleOffset + (4 * g + 2 * upper + group) * L::kEntryBytes;
    store_bytes(entry, scale_entry<L::kScale>(from), L::kEntryBytes);
    uint8_t* tail = record + L::kTailOffset + (2 * g + upper) * L::kTailEntry;
    if (L::kSuper && col % 256 == 0)
      store_bytes(tail, from.d | uint32_t{from.dmin} << 16, L::kTailEntry);
  }
  if constexpr (kLow == 8) {  // each group has 16 bytes per lane
    store_words<4>(base + 16 * lane, low);
    store_words<4>(base + 512 + 16 * lane, low + 4);
  } else {
    store_words<kLow>(base + 4 * kLow * lane, low);
  }
  if constexpr (kHigh != 0) store_words<kHigh>(base + L::kHighOffset + 4 * kHigh * lane, high);
}

// --- embeddings: one thread block per token; other strips' launches embed their own tokens ---

template <BlockType kType>
GPU_DEVICE void embed_row(const EmbedParams& p) {
  const int token = take_token(p) - p.first_row;
  if (token < 0 || token >= p.n_rows) return;
  const uint8_t* tile = p.tiles + static_cast<uint64_t>(token / kTileRows) * p.tile_bytes;
  const int row_half = token % kTileRows / 8;
  for (int i = threadIdx.x; i < p.n_cols / 4; i += blockDim.x) {
    const int col = 4 * i, group = col / 32 % 2, half = col / 16 % 2;
    const auto unit = Unit<kType>::load(tile, col / kUnit, token % 8 * 4 + i % 4);
    // Registers cannot be indexed at run time: unpacks everything and selects the wanted part.
    RowScale scale = {};
    int codes = 0;
    GPU_UNROLL for (int f = 0; f < 8; f++) {
      const bool is_wanted = f / 4 == group && f / 2 % 2 == half && f % 2 == row_half;
      const RowScale candidate = unit.scales.scale(f % 2, f / 4);
      if (is_wanted) scale = candidate, codes = unit.codes[0].word(f / 4, f % 4);
    }
    using L = Layout<kType>;
    const int halves[2] = {half ? scale.factors[1] : scale.factors[0],
                           half ? scale.minima[1] : scale.minima[0]};
    const float factor = L::kSuper ? scale.scale * halves[0] : scale.scale;
    const float minimum = L::kSuper ? scale.offset * halves[1] : scale.offset;
    for (int j = 0; j < 4; j++)
      p.x[static_cast<uint64_t>(blockIdx.x) * p.n_cols + col + j] =
          factor * int8_t(codes >> 8 * j) + minimum;
  }
}

}  // namespace hearth::kernels::hip
