// Reorders the rows of Wq and Wk, for families whose RoPE pairs are neighbours (family.h).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

namespace hearth {

/// Reorders n_rows rows head by head, from neighbours to halves:
///   in the file: 0 1 2 3 4 5 ...      result: 0 2 4 ... 1 3 5 ...
template <typename T>
std::vector<T> pairs_to_halves(std::span<const T> rows, size_t n_rows, size_t head_dim) {
  const size_t row = rows.size() / n_rows, half = head_dim / 2;
  std::vector<T> result(rows.size());
  for (size_t to = 0; to < n_rows; to++) {
    const size_t i = to % head_dim;
    const size_t from = to - i + (i < half ? 2 * i : 2 * (i - half) + 1);
    std::copy_n(rows.begin() + from * row, row, result.begin() + to * row);
  }
  return result;
}

}  // namespace hearth
