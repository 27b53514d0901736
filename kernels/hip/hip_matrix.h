// A matrix in GPU memory: parts of one type each, in tiles of 16 rows (formats.h), padded to an
// even number of tiles.
#pragma once

#include <vector>

#include "device.h"
#include "matmul_shape.h"
#include "ops.h"

namespace hearth::kernels::hip {

/// Name in kernel names ("q4_k"); whether the type is kept as floats, or in blocks of 256 columns;
/// bytes of 16 packed rows, of a unit of them with all that it needs, and of the scale entries that
/// its block's minima are in.
struct PackedType {
  const char* name = "";
  bool is_float = false, has_blocks = false;
  size_t tile_bytes = 0;
  int unit_bytes = 0, minima_bytes = 0;
};

/// Neighbouring sources of one type make one part where tiles allow, so that q, k, v are one
/// launch. What every launch asks for is here once and for all.
struct HipPart {
  BlockType source_type = BlockType::kF32;
  PackedType type;
  const uint8_t* data = nullptr;
  int row0 = 0;  // in the whole matrix
  int n_rows = 0;
  RowSlices slices = {1, 1};
  int n_tiles() const { return (n_rows + 31) / 32 * 2; }
};

class HipMatrix : public Matrix {
 public:
  Memory memory;
  std::vector<HipPart> parts;
  bool has_floats = false;  // a part has
};

/// Uploads the rows as they are in the file and packs them on the GPU.
std::unique_ptr<HipMatrix> pack_matrix(Device& device, std::span<const MatrixSource> sources);

}  // namespace hearth::kernels::hip
