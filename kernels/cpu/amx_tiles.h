// AMX: a matrix unit with eight tile registers of up to 16 rows x 64 bytes. One instruction
// multiplies 16 tokens x 16 rows of weights over up to 64 columns in 16 cycles.
#pragma once

#include "packed_layout.h"

namespace hearth::kernels::cpu {
namespace {

/// Configures the tile registers for sums over kColumns columns (32 or 64), for as long as the
/// object lives. Registers 0 to 3 hold int32 sums [16 tokens][16 rows], 4 and 5 hold tokens
/// [16][kColumns], 6 and 7 hold weights [kColumns / 4][16 rows][4]. The destructor releases the
/// registers: while a thread holds tiles, each context switch saves 8 KiB more.
template <int kColumns>
class TileRegisters {
 public:
  TileRegisters() {
    struct alignas(64) {
      uint8_t palette = 1, start_row = 0, reserved[14] = {};
      uint16_t row_bytes[16] = {64, 64, 64, 64, kColumns, kColumns, 64, 64};
      uint8_t n_rows[16] = {16, 16, 16, 16, 16, 16, kColumns / 4, kColumns / 4};
    } const shape;
    asm volatile("ldtilecfg %0" : : "m"(shape));
  }
  ~TileRegisters() { asm volatile("tilerelease"); }
  TileRegisters(const TileRegisters&) = delete;
  TileRegisters& operator=(const TileRegisters&) = delete;
};

// The functions below are in assembly, so that the compiler knows exactly which memory each one
// reads or writes. With intrinsics, GCC 12 does not know what a tile load reads, and assumes that a
// tile store might write any memory, which forces floats out of registers.

struct TileBytes {
  std::byte bytes[16 * kVectorBytes];
};

template <int kTile>
inline void tile_zero() {
  asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
}
/// The rows of the tile begin `stride` bytes apart, all within the 1 KiB at p.
template <int kTile>
inline void tile_load(const void* p, size_t stride) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2"
               :
               : "r"(p), "r"(stride), "i"(kTile), "m"(*static_cast<const TileBytes*>(p)));
}
template <int kTile>
inline void tile_store(int32_t (&sums)[16][kTileRows]) {
  asm volatile("tilestored %%tmm%c3, (%1,%2,1)"
               : "=m"(sums)
               : "r"(&sums), "r"(sizeof sums[0]), "i"(kTile));
}
/// sums += tokens * weights, both signed.
template <int kSums, int kTokens, int kWeights>
inline void tile_dot() {
  asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSums), "i"(kTokens), "i"(kWeights));
}
/// sums += tokens * weights, where weights are unsigned and tokens are signed.
template <int kSums, int kTokens, int kWeights>
inline void tile_dot_unsigned() {
  asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSums), "i"(kTokens), "i"(kWeights));
}

}  // namespace
}  // namespace hearth::kernels::cpu
