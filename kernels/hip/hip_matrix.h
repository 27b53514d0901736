// A matrix in GPU memory: strips of one format each, packed in tiles of 16 rows (formats.h) and
// padded to an even number of tiles.
#pragma once

#include <vector>

#include "device.h"
#include "matmul_shape.h"
#include "ops.h"

namespace hearth::kernels::hip {

/// What launches must know of a packed format: its name in kernel names ("q4_k"), whether it is a
/// float format or has super-blocks, and the bytes of a tile, of a unit with the tail of its
/// record, and of the scale entries that hold a super-block's minima.
struct PackedType {
  const char* name = "";
  bool is_float = false, has_blocks = false;
  size_t tile_bytes = 0;
  int unit_bytes = 0, minima_bytes = 0;
};

/// Tiles of so many rows, padded to pairs.
constexpr int padded_tiles(int n_rows) { return ceil_div(n_rows, 2 * kTileRows) * 2; }

/// Bytes of a matrix in GPU memory, which in some formats are more than in the file.
size_t packed_bytes(BlockType type, int n_rows, int n_cols);

/// Neighbouring sources of one format are merged into one strip if their rows fill tiles, so that
/// q, k and v are one launch. What every launch needs is computed once, when the matrix is packed.
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
  bool has_floats = false;  // whether any strip is of a float format
};

/// Uploads the rows as they are in the file and packs them on the GPU.
std::unique_ptr<HipMatrix> pack_matrix(Device& device, std::span<const MatrixSource> sources);

}  // namespace hearth::kernels::hip
