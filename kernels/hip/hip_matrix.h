// A matrix in GPU memory. It consists of strips. Each strip has one format, is packed in tiles of
// 16 rows (formats.h), and is padded to an even number of tiles.
#pragma once

#include <vector>

#include "device.h"
#include "matmul_shape.h"
#include "ops.h"

namespace hearth::kernels::hip {

/// The properties of a packed format that launches need.
struct PackedType {
  const char* name = "";    // in the names of kernels: "q4_k"
  bool is_float = false;    // whether its weights are not quantized
  bool has_blocks = false;  // whether it has super-blocks
  size_t tile_bytes = 0;    // 16 rows
  int unit_bytes = 0;       // one unit plus its record's tail
  int minima_bytes = 0;  // the scale entries that hold the minima of one super-block, in one tile
};

/// The number of tiles that n_rows fill, rounded up to an even number.
constexpr int padded_tiles(int n_rows) { return ceil_div(n_rows, 2 * kTileRows) * 2; }

/// The size of a matrix in GPU memory. Some formats need more there than in the file.
size_t packed_bytes(BlockType type, int n_rows, int n_cols);

/// A strip: consecutive rows of one format, packed together. Neighbouring sources of the same
/// format share a strip if their rows fill whole pairs of tiles, so that one launch computes q, k
/// and v. The constants of all launches are computed once, when the matrix is packed.
struct HipStrip {
  BlockType source_type = BlockType::kF32;
  PackedType type;
  const uint8_t* data = nullptr;
  int row0 = 0;  // in the whole matrix
  int n_rows = 0;
  RowSlices slices = {1, 1};
  int n_tiles() const { return padded_tiles(n_rows); }
};

class HipMatrix : public Matrix {
 public:
  Memory memory;
  std::vector<HipStrip> strips;
  bool has_floats = false;  // whether any strip has a float format
};

/// Uploads the rows of the file and packs them on the GPU. purpose: names them in the error if they
/// do not fit. The matrix's memory has n_more bytes after its tiles.
std::unique_ptr<HipMatrix> pack_matrix(Device& device, std::span<const MatrixSource> sources,
                                       const char* purpose = "the model's weights",
                                       size_t n_more = 0);

}  // namespace hearth::kernels::hip
