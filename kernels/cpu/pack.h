// File rows to packed tiles (packed_layout.h) and back. The same for every instruction set, so
// built once; the variants' tables point here.
#pragma once

#include <cstddef>

#include "row_kernels.h"

namespace hearth::kernels::cpu {

size_t tile_bytes(BlockType type, int n_cols);
void pack_tile(BlockType type, const std::byte* rows, int n_valid, int n_cols, std::byte* tile);
void unpack_row(BlockType type, const std::byte* tile, int row, int n_cols, float* out);

}  // namespace hearth::kernels::cpu
