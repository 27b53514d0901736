// The scratch memory of CpuOps, allocated at load. All threads share the activations of one matmul;
// each thread has memory for a chunk's results (tiles) and for normalized inputs (rows).
#pragma once

#include <vector>

#include "arena.h"
#include "ops.h"
#include "row_kernels.h"

namespace hearth::kernels::cpu {

/// The maximum number of rows in a matmul's chunk, enough for K and V of one head with the largest
/// head_dim.
inline constexpr int kChunkRows = 512;
/// The maximum number of floats that one token's results take in a chunk of one or two matrices,
/// padding (chunk_stride) included.
inline constexpr int kChunkStride = kChunkRows + 2 * kTileRows;

/// Memory for the inputs of matmuls.
class ActivationMemory {
 public:
  /// Makes room for inputs of this width, with padding. The contents are lost.
  void allocate(int n_tokens, int n_cols);
  /// The memory for n inputs, which begins after `before` inputs, padding included.
  Activations view(int before, int n, int n_cols) const;

 private:
  Arena arena_;
  Activations begin_;     // the inputs of the first token
  size_t n_columns_ = 0;  // columns that each token has room for
};

class Workspace {
 public:
  explicit Workspace(int n_threads) : n_threads_(n_threads) {}

  /// Makes room for n_tokens inputs of this width. If the memory grows, its contents are lost.
  /// Throws std::bad_alloc; then the memory is unchanged and still usable.
  void reserve(int n_cols, int n_tokens = kMaxBatch);

  Activations& activations(int n, int n_cols);
  /// See ActivationMemory.
  Activations view(int before, int n, int n_cols) const { return memory_.view(before, n, n_cols); }
  /// The thread's memory for a chunk's results: kMaxBatch * kChunkStride floats.
  float* tiles(int thread) const { return tiles_ + thread * tiles_floats(); }
  /// The thread's memory for the inputs of one token tile, as wide as the widest input.
  float* rows(int thread) const { return rows_ + thread * rows_floats(n_cols_); }

 private:
  static constexpr size_t tiles_floats() { return size_t{kMaxBatch} * kChunkStride; }
  static constexpr size_t rows_floats(int n_cols) {
    return kMaxTileTokens * static_cast<size_t>(n_cols);
  }

  int n_threads_;
  int n_cols_ = 0;
  int n_tokens_ = kMaxBatch;
  ActivationMemory memory_;
  Arena arena_;
  Activations activations_;
  float* tiles_ = nullptr;
  float* rows_ = nullptr;
};

}  // namespace hearth::kernels::cpu
