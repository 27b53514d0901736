// Packs rows of a GGUF file into row tiles (packed_layout.h), and unpacks single rows of them. This
// is the same for every instruction set, so it is built once and all variants' tables point here.
#pragma once

#include <cstddef>

#include "row_kernels.h"

namespace hearth::kernels::cpu {

size_t tile_bytes(BlockType type, int n_cols);
void pack_tile(BlockType type, const std::byte* rows, int n_valid, int n_cols, std::byte* tile);
void unpack_row(BlockType type, const std::byte* tile, int row, int n_cols, float* out);

}  // namespace hearth::kernels::cpu
