// Converts rows of any block type to float. This defines the values of each format; tests compare
// every packed kernel with it.
#include <cstring>

#include "file_blocks.h"
#include "half.h"
#include "ops.h"
#include "packed_layout.h"

namespace hearth::kernels {
namespace {

void dequantize_float_row(BlockType type, const std::byte* row, float* out, int n_cols) {
  const size_t n = static_cast<size_t>(n_cols);
  if (type == BlockType::kF32) {
    std::memcpy(out, row, n * sizeof(float));
    return;
  }
  for (size_t i = 0; i < n; i++) {
    const uint16_t half = cpu::load_u16(row + 2 * i);
    out[i] = type == BlockType::kF16 ? cpu::f16_to_f32(half) : cpu::bf16_to_f32(half);
  }
}

}  // namespace

void dequantize_row(BlockType type, const std::byte* row, float* out, int n_cols) {
  if (is_float(type)) return dequantize_float_row(type, row, out, n_cols);
  const cpu::Layout layout = cpu::layout_of(type);
  FileGroup group;
  for (int column = 0; column < n_cols; column++) {
    const int i = column % 32;
    if (i == 0) read_group(type, row, column / 32, group);
    const float scale = cpu::f16_to_f32(group.d) * static_cast<float>(group.scales[i / 16]);
    const float minimum = cpu::f16_to_f32(group.dmin) * static_cast<float>(group.minima[i / 16]);
    const float product = scale * static_cast<float>(layout.weight(group.w[i]));
    out[column] = layout.has_min ? product - minimum : product;
  }
}

}  // namespace hearth::kernels
