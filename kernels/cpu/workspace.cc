#include "workspace.h"

namespace hearth::kernels::cpu {

void Workspace::reserve(int n_cols) {
  // Rounding up also aligns every piece below to a cache line.
  n_cols = (n_cols + kRowColumns - 1) / kRowColumns * kRowColumns;
  if (n_cols <= n_cols_) return;
  n_cols_ = n_cols;
  const size_t columns = static_cast<size_t>(n_cols);
  const size_t threads = static_cast<size_t>(n_threads_);
  constexpr size_t kTokens = kMaxBatch;
  const size_t n_blocks = columns / kBlock;
  const size_t n_floats =
      kTokens * (columns + 2 * columns / 32 + n_blocks + n_blocks * kBlockSums / 2) +
      threads * (tiles_floats() + rows_floats());
  arena_ = Arena(n_floats * sizeof(float) + 2 * kTokens * columns);
  float* next = reinterpret_cast<float*>(arena_.data());
  const auto take = [&next](size_t n) {
    next += n;
    return next - n;
  };
  activations_.f32 = take(kTokens * columns);
  activations_.groups.sums = take(kTokens * columns / 32);
  activations_.groups.scales = take(kTokens * columns / 32);
  activations_.blocks.sums = reinterpret_cast<int16_t*>(take(kTokens * n_blocks * kBlockSums / 2));
  activations_.blocks.scales = take(kTokens * n_blocks);
  tiles_ = take(threads * tiles_floats());
  rows_ = take(threads * rows_floats());
  activations_.groups.q = reinterpret_cast<int8_t*>(next);
  activations_.blocks.q = activations_.groups.q + kTokens * columns;
}

Activations& Workspace::activations(int n, int n_cols) {
  activations_.n = n;
  activations_.n_cols = n_cols;
  return activations_;
}

}  // namespace hearth::kernels::cpu
