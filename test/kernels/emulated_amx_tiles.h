// cpu/amx_tiles.h for any processor: emulates the instructions as Intel's manual (volume 2)
// describes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cpu/packed_layout.h"

namespace hearth::kernels::cpu {
namespace {

/// A thread's tile registers. They have rows only while a TileRegisters object exists.
struct EmulatedTiles {
  uint8_t bytes[8][16][64];
  int n_rows[8] = {}, row_bytes[8] = {};
};
thread_local EmulatedTiles emulated_tiles;

template <int kColumns>
class TileRegisters {
 public:
  TileRegisters() {
    EmulatedTiles& t = emulated_tiles;
    std::memset(t.bytes, 0x5a, sizeof t.bytes);
    for (int i = 0; i < 8; i++) {
      t.n_rows[i] = i < 6 ? 16 : kColumns / 4;
      t.row_bytes[i] = i == 4 || i == 5 ? kColumns : 64;
    }
  }
  ~TileRegisters() { emulated_tiles = {}; }
  TileRegisters(const TileRegisters&) = delete;
  TileRegisters& operator=(const TileRegisters&) = delete;
};

template <int kTile>
void tile_zero() {
  std::memset(emulated_tiles.bytes[kTile], 0, sizeof emulated_tiles.bytes[kTile]);
}

template <int kTile>
void tile_load(const void* p, size_t stride) {
  EmulatedTiles& t = emulated_tiles;
  tile_zero<kTile>();
  for (int row = 0; row < t.n_rows[kTile]; row++) {
    std::memcpy(t.bytes[kTile][row],
                static_cast<const std::byte*>(p) + static_cast<size_t>(row) * stride,
                static_cast<size_t>(t.row_bytes[kTile]));
  }
}

template <int kTile>
void tile_store(int32_t (&sums)[16][kTileRows]) {
  const EmulatedTiles& t = emulated_tiles;
  for (int row = 0; row < t.n_rows[kTile]; row++)
    std::memcpy(sums[row], t.bytes[kTile][row], sizeof sums[row]);
}

/// sums[m][n] += the four products of tokens[m][4k..4k+3] and weights[k][4n..4n+3], for all k.
template <int kSums, int kTokens, int kWeights, class Weight>
void emulated_dot() {
  EmulatedTiles& t = emulated_tiles;
  for (int m = 0; m < t.n_rows[kSums]; m++) {
    int32_t sums[kTileRows];
    std::memcpy(sums, t.bytes[kSums][m], sizeof sums);
    for (int k = 0; k < t.n_rows[kWeights]; k++)
      for (int i = 0; i < 64; i++)
        sums[i / 4] += static_cast<int8_t>(t.bytes[kTokens][m][4 * k + i % 4]) *
                       static_cast<Weight>(t.bytes[kWeights][k][i]);
    std::memcpy(t.bytes[kSums][m], sums, sizeof sums);
  }
}
template <int kSums, int kTokens, int kWeights>
void tile_dot() {
  emulated_dot<kSums, kTokens, kWeights, int8_t>();
}
template <int kSums, int kTokens, int kWeights>
void tile_dot_unsigned() {
  emulated_dot<kSums, kTokens, kWeights, uint8_t>();
}

}  // namespace
}  // namespace hearth::kernels::cpu
