// Reads quantized weights out of the file's own blocks, 32 columns of one row at a time.
// dequantize.cc and pack.cc are written over it, so each block format is spelled out once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "quant_blocks.h"

namespace hearth::kernels::cpu {

/// Column i: d * scales[h] * (w[i] - offset) - dmin * minima[h], with h = i / 16; the offset is
/// that of the type's Layout, and w an index for the IQ4 types. d and dmin are f16 bits.
struct FileGroup {
  uint8_t w[32];
  uint16_t d = 0;
  uint16_t dmin = 0;
  int8_t scales[2] = {1, 1};
  int8_t minima[2] = {1, 1};
};

/// Group `group` (columns 32 * group and up) of a row of a quantized type.
void read_group(BlockType type, const std::byte* row, int group, FileGroup& out);

}  // namespace hearth::kernels::cpu
