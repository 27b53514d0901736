// Matrices in the layouts of format_*.wgsl. Packing is exact: formats without a layout of their own
// become int8 with float scales, and each scale is an exact product of two numbers in the file.
#pragma once

#include <span>
#include <vector>

#include "device.h"
#include "ops.h"

namespace hearth::kernels::webgpu {

inline constexpr int kTileRows = 8;
/// Rows are padded to a multiple of this. No workgroup of a kernel has more rows.
inline constexpr int kPaddedRows = 64;

/// The packed layout of a block type.
struct Layout {
  const char* file = nullptr;  // format_*.wgsl; null: floats
  int block = 0;               // groups of 32 columns whose activations share a scale; 0: floats
  int n_scales = 0, n_minima = 0;  // per group, for format_int8.wgsl
};
Layout layout_of(BlockType type);

/// Consecutive rows of a matrix, all of one type, as many as fit in a binding.
struct Strip {
  BlockType type{};
  Layout layout;
  int row0 = 0, n_rows = 0, n_groups = 0;
  Memory codes, scales;
  /// Constants for the kernels that read the strip.
  Constants constants() const;
};

class PackedMatrix : public Matrix {
 public:
  std::vector<Strip> strips;
};

/// The bytes of GPU memory that a matrix takes.
size_t packed_bytes(BlockType type, int n_rows, int n_cols);

std::unique_ptr<PackedMatrix> pack_matrix(Device& device, std::span<const MatrixSource> sources);

}  // namespace hearth::kernels::webgpu
