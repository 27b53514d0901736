// Packs weights of the GGUF file into the packed layout (formats.h) on the GPU, and reads single
// rows back as floats, for embeddings.
#pragma once

#include "batch.hip.h"
#include "gguf_rows.hip.h"
#include "weights.hip.h"

namespace hearth::kernels::hip {

// --- packing: grid (tiles, units / 8); a thread for each lane of the packed layout ---

template <BlockType kType>
GPU_DEVICE void pack_plane(const PackParams& p, uint8_t* plane, int bits, int shift, int lane,
                           int row, int col) {
  const uint32_t mask = (1u << bits) - 1;
  uint32_t words[8] = {};
  for (int f = 0; f < 8; f++) {
    const int r = row + f % 2 * 8, c = col + f / 4 * 32 + f / 2 % 2 * 16;
    if (r >= p.n_rows || c >= p.n_cols) continue;
    const uint8_t* source = p.rows + static_cast<uint64_t>(r) * p.row_bytes;
    for (int j = 0; j < 4; j++)
      words[f % bits] |= (row_code<kType>(source, c + j) >> shift & mask)
                         << (8 * j + bits * (f / bits));
  }
  for (int i = 0; i < bits; i++) {
    // An eight-bit plane is two: 16 bytes a lane for each group.
    uint8_t* to =
        bits == 8 ? plane + i / 4 * 512 + 16 * lane + i % 4 * 4 : plane + (lane * bits + i) * 4;
    *reinterpret_cast<uint32_t*>(to) = words[i];
  }
}

template <BlockType kType>
GPU_DEVICE void pack_scales(const PackParams& p, uint8_t* record, uint8_t* unit, int g, int row,
                            int col) {
  using L = Layout<kType>;
  for (int half = 0; half < 2; half++) {
    const int r = row + 8 * half;
    const uint8_t* source = p.rows + static_cast<uint64_t>(r) * p.row_bytes;
    for (int group = 0; group < 2; group++) {
      const bool valid = r < p.n_rows && col + 32 * group < p.n_cols;
      const uint32_t entry = valid ? row_scale_entry<kType>(source, col + 32 * group) : 0;
      uint8_t* to = unit + L::kScaleOffset + (4 * g + 2 * half + group) * L::kEntryBytes;
      for (int i = 0; i < L::kEntryBytes; i++) to[i] = entry >> 8 * i & 255;
    }
    if (!L::kSuper || col % 256 != 0) continue;
    const uint32_t tail = r < p.n_rows ? row_halves<kType>(source, col) : 0;
    uint8_t* to = record + L::kTailOffset + (2 * g + half) * L::kTailEntry;
    for (int i = 0; i < L::kTailEntry; i++) to[i] = tail >> 8 * i & 255;
  }
}

template <BlockType kType>
GPU_DEVICE void pack_unit(const PackParams& p) {
  using L = Layout<kType>;
  wait_for_previous();
  const int lane = threadIdx.x % GPU_LANES, g = lane / 4, t = lane % 4;
  const int unit = blockIdx.y * (blockDim.x / GPU_LANES) + threadIdx.x / GPU_LANES;
  if (unit >= p.n_units) return;
  uint8_t* record = p.tiles + blockIdx.x * p.tile_bytes + unit / L::kUnits * L::kRecordBytes;
  uint8_t* base = record + unit % L::kUnits * L::kUnitBytes;
  const int row = blockIdx.x * kTileRows + g, col = unit * kUnit;
  pack_plane<kType>(p, base, L::kTraits.low_bits, 0, lane, row, col + 4 * t);
  if constexpr (L::kTraits.high_bits != 0)
    pack_plane<kType>(p, base + L::kHighOffset, L::kTraits.high_bits, L::kTraits.low_bits, lane,
                      row, col + 4 * t);
  if (t == 0) pack_scales<kType>(p, record, base, g, row, col);
}

// --- embeddings: a thread block for each token; rows of other parts are left to their launches ---

template <BlockType kType>
GPU_DEVICE void embed_row(const EmbedParams& p) {
  const int token = take_token(p) - p.first_row;
  if (token < 0 || token >= p.n_rows) return;
  const uint8_t* tile = p.tiles + static_cast<uint64_t>(token / kTileRows) * p.tile_bytes;
  const int row_half = token % kTileRows / 8;
  for (int i = threadIdx.x; i < p.n_cols / 4; i += blockDim.x) {
    const int col = 4 * i, group = col / 32 % 2, half = col / 16 % 2;
    const auto unit = Unit<kType>::load(tile, col / kUnit, token % 8 * 4 + i % 4);
    // Registers cannot be indexed at run time: everything is unpacked, and the wanted part
    // selected.
    RowScale scale = {};
    int codes = 0;
    GPU_UNROLL for (int f = 0; f < 8; f++) {
      const bool is_wanted = f / 4 == group && f / 2 % 2 == half && f % 2 == row_half;
      const RowScale candidate = UnitScales<kType>::scale(unit.scales, f % 2, f / 4);
      if (is_wanted) scale = candidate, codes = UnitCodes<kType>::word(unit.codes[0], f / 4, f % 4);
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
