#include "workspace.h"

namespace hearth::kernels::cpu {

void Workspace::reserve(int n_cols) {
  n_cols = (n_cols + 63) / 64 * 64;  // keeps every piece below on a cache line
  if (n_cols <= n_cols_) return;
  n_cols_ = n_cols;
  const size_t columns = static_cast<size_t>(n_cols);
  const size_t threads = static_cast<size_t>(n_threads_);
  constexpr size_t kTokens = kMaxBatch;
  const size_t n_floats =
      kTokens * (columns + columns / 16 + columns / 32) + threads * (tiles_floats() + row_floats());
  arena_ = Arena(n_floats * sizeof(float) + kTokens * columns);
  float* next = reinterpret_cast<float*>(arena_.data());
  const auto take = [&next](size_t n) {
    next += n;
    return next - n;
  };
  activations_.f32 = take(kTokens * columns);
  activations_.sums = take(kTokens * columns / 16);
  activations_.scales = take(kTokens * columns / 32);
  tiles_ = take(threads * tiles_floats());
  rows_ = take(threads * row_floats());
  activations_.q = reinterpret_cast<int8_t*>(next);
}

Activations& Workspace::activations(int n, int n_cols) {
  activations_.n = n;
  activations_.n_cols = n_cols;
  return activations_;
}

}  // namespace hearth::kernels::cpu
