// A matrix in GPU memory: parts of one type each, in tiles of 16 rows (formats.h), padded to an
// even number of tiles.
#pragma once

#include <string>
#include <vector>

#include "device.h"
#include "ops.h"

namespace hearth::kernels::hip {

/// Neighbouring sources of one type make one part where tiles allow, so that q, k, v are one
/// launch.
struct HipPart {
  BlockType type = BlockType::kF32;
  const uint8_t* data = nullptr;
  int row0 = 0;  // in the whole matrix
  int n_rows = 0;
  size_t tile_bytes = 0;
  int n_tiles() const { return (n_rows + 31) / 32 * 2; }
};

class HipMatrix : public Matrix {
 public:
  Memory memory;
  std::vector<HipPart> parts;
};

/// Name in kernel names ("q4_k"); whether the type is kept as floats; bytes of 16 packed rows, of a
/// unit of them with all that it needs, and of the scale entries that its block's minima are in.
struct PackedType {
  std::string name;
  bool is_float = false;
  size_t tile_bytes = 0;
  int unit_bytes = 0, minima_bytes = 0;
};
PackedType packed_type(BlockType type, int n_cols);

/// Uploads the rows as they are in the file and packs them on the GPU.
std::unique_ptr<HipMatrix> pack_matrix(Device& device, std::span<const MatrixSource> sources);

}  // namespace hearth::kernels::hip
