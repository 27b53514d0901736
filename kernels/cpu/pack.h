// Packs rows of a GGUF file into row tiles (packed_layout.h), and unpacks single rows of them: the
// same for every variant of the kernels.
#pragma once

#include <cstddef>

#include "row_kernels.h"

namespace hearth::kernels::cpu {

/// Bytes of one packed 16-row tile of n_cols columns.
size_t tile_bytes(BlockType type, int n_cols);
/// Packs 16 rows (n_valid of them real, the rest zero) of row_bytes(type, n_cols) each.
void pack_tile(BlockType type, const std::byte* rows, int n_valid, int n_cols, std::byte* tile);
/// Row `row` (0..15) of a packed tile as float. Embeddings are read from the packed head in this
/// way, so that a tied table is in memory once.
void unpack_row(BlockType type, const std::byte* tile, int row, int n_cols, float* out);

}  // namespace hearth::kernels::cpu
