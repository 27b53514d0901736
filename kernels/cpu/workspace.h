// All scratch memory of the CPU Ops, allocated at load: the activations of one matmul, shared by
// the threads, and each thread's own tiles and rows.
#pragma once

#include <vector>

#include "arena.h"
#include "ops.h"
#include "row_kernels.h"

namespace hearth::kernels::cpu {

/// Most rows that one chunk of a matmul makes: K and V of a head of the largest dimension.
inline constexpr int kChunkRows = 512;
/// What a token's results take of a chunk of one or two matrices, with what spaces them.
inline constexpr int kChunkStride = kChunkRows + 2 * kTileRows;

class Workspace {
 public:
  explicit Workspace(int n_threads) : n_threads_(n_threads) {}

  /// Makes room for kMaxBatch inputs of this width. Contents are lost if it grows.
  void reserve(int n_cols);

  Activations& activations(int n, int n_cols);
  /// kMaxBatch * kChunkStride floats.
  float* tiles(int thread) const { return tiles_ + thread * tiles_floats(); }
  /// A token tile's rows, as wide as the widest input.
  float* rows(int thread) const { return rows_ + thread * rows_floats(); }

 private:
  static constexpr size_t tiles_floats() { return size_t{kMaxBatch} * kChunkStride; }
  size_t rows_floats() const { return kMostTileTokens * static_cast<size_t>(n_cols_); }

  int n_threads_;
  int n_cols_ = 0;
  Arena arena_;
  Activations activations_;
  float* tiles_ = nullptr;
  float* rows_ = nullptr;
};

}  // namespace hearth::kernels::cpu
