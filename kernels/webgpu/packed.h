// Matrices in the layouts of format_*.wgsl. Nothing is rounded anew: formats without a layout of
// their own become int8 with float scales, which are exact products of the file's.
#pragma once

#include <span>
#include <vector>

#include "device.h"
#include "ops.h"

namespace hearth::kernels::webgpu {

inline constexpr int kTileRows = 8;
inline constexpr int kPaddedRows =
    64;  // rows are padded to a multiple, which no kernel's workgroup exceeds

/// How a block type is packed.
struct Layout {
  const char* file = nullptr;  // format_*.wgsl; null: floats
  int block = 0;               // groups of 32 columns whose activations share a scale; 0: floats
  int n_scales = 0, n_minima = 0;  // of a group, for format_int8.wgsl
};
Layout layout_of(BlockType type);

/// Rows of a matrix that are of one type and fit a binding.
struct Strip {
  BlockType type{};
  Layout layout;
  int row0 = 0, n_rows = 0, n_groups = 0;
  Memory codes, scales;
  /// For the kernels that read it.
  Constants constants() const;
};

class PackedMatrix : public Matrix {
 public:
  std::vector<Strip> strips;
};

/// Bytes of a matrix in a GPU's memory.
size_t packed_bytes(BlockType type, int n_rows, int n_cols);

std::unique_ptr<PackedMatrix> pack_matrix(Device& device, std::span<const MatrixSource> sources);

}  // namespace hearth::kernels::webgpu
