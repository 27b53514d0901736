#include "workspace.h"

#include <algorithm>

namespace hearth::kernels::cpu {

void ActivationMemory::allocate(int n_tokens, int n_cols) {
  const size_t n = static_cast<size_t>(n_tokens), n_columns = static_cast<size_t>(n_cols);
  const size_t n_blocks = n_columns / kBlock;
  const size_t n_floats = n * (n_columns + kFloatPadding + 2 * n_columns / kGroup + n_blocks +
                               n_blocks * kBlockSums / 2);
  arena_ = Arena(n_floats * sizeof(float) + 2 * n * n_columns);
  n_columns_ = n_columns;
  float* next = reinterpret_cast<float*>(arena_.data());
  const auto take = [&next](size_t n_taken) {
    next += n_taken;
    return next - n_taken;
  };
  begin_.f32 = take(n * (n_columns_ + kFloatPadding));
  begin_.groups.sums = take(n * n_columns_ / kGroup);
  begin_.groups.scales = take(n * n_columns_ / kGroup);
  begin_.blocks.sums = reinterpret_cast<int16_t*>(take(n * n_blocks * kBlockSums / 2));
  begin_.blocks.scales = take(n * n_blocks);
  begin_.groups.q = reinterpret_cast<int8_t*>(next);
  begin_.blocks.q = begin_.groups.q + n * n_columns_;
}

Activations ActivationMemory::view(int before, int n, int n_cols) const {
  const size_t tokens = static_cast<size_t>(before), columns = tokens * n_columns_;
  Activations view;
  view.n = n;
  view.n_cols = n_cols;
  view.f32 = begin_.f32 + columns + tokens * kFloatPadding;
  view.groups = {begin_.groups.q + columns, begin_.groups.scales + columns / kGroup,
                 begin_.groups.sums + columns / kGroup};
  view.blocks = {begin_.blocks.q + columns, begin_.blocks.scales + columns / kBlock,
                 begin_.blocks.sums + columns / kBlock * kBlockSums};
  return view;
}

void Workspace::reserve(int n_cols, int n_tokens) {
  // Rounding up also aligns every token's and every thread's memory to a cache line.
  n_cols = std::max(n_cols_, (n_cols + kRowColumns - 1) / kRowColumns * kRowColumns);
  n_tokens = std::max(n_tokens_, n_tokens);
  if (n_cols == n_cols_ && n_tokens == n_tokens_) return;
  memory_.allocate(n_tokens, n_cols);
  const size_t threads = static_cast<size_t>(n_threads_);
  arena_ = Arena(threads * (tiles_floats() + rows_floats(n_cols)) * sizeof(float));
  n_cols_ = n_cols;
  n_tokens_ = n_tokens;
  tiles_ = reinterpret_cast<float*>(arena_.data());
  rows_ = tiles_ + threads * tiles_floats();
}

Activations& Workspace::activations(int n, int n_cols) {
  activations_ = memory_.view(0, n, n_cols);
  return activations_;
}

}  // namespace hearth::kernels::cpu
