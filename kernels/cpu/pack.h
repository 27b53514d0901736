// Packs rows of a GGUF file into row tiles (packed_layout.h), and unpacks single rows. All variants
// of the kernels share these functions.
#pragma once

#include <cstddef>

#include "row_kernels.h"

namespace hearth::kernels::cpu {

/// Bytes of one packed 16-row tile of n_cols columns.
size_t tile_bytes(BlockType type, int n_cols);
/// Packs a tile of 16 rows, row_bytes(type, n_cols) each. Only the first n_valid rows exist; the
/// rest become zero.
void pack_tile(BlockType type, const std::byte* rows, int n_valid, int n_cols, std::byte* tile);
/// Unpacks row `row` (0..15) of a packed tile to float. A tied embedding is read from the packed
/// head in this way, so that memory has only one copy.
void unpack_row(BlockType type, const std::byte* tile, int row, int n_cols, float* out);

}  // namespace hearth::kernels::cpu
