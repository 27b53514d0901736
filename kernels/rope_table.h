// The angles of RoPE as a table, for backends that read them from memory.
#pragma once

#include <cmath>
#include <vector>

#include "ops.h"

namespace hearth::kernels {

/// RoPE table: cos and sin of position * frequency, computed in double; [position][i][2].
inline std::vector<float> rope_table(const AttentionShape& shape, bool slides) {
  const int half = shape.head_dim / 2;
  std::vector<float> table;
  table.reserve(static_cast<size_t>(shape.max_positions) * half * 2);
  std::vector<double> frequencies;
  for (int i = 0; i < half; i++) frequencies.push_back(shape.rope_frequency(i, slides));
  const float magnitude = slides ? 1 : shape.rope_magnitude;
  for (int position = 0; position < shape.max_positions; position++) {
    for (const double frequency : frequencies) {
      table.push_back(static_cast<float>(std::cos(position * frequency)) * magnitude);
      table.push_back(static_cast<float>(std::sin(position * frequency)) * magnitude);
    }
  }
  return table;
}

}  // namespace hearth::kernels
