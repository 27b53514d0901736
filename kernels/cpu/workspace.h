// The scratch memory of the CPU Ops, allocated at load. All threads share the activations of one
// matmul; each thread has room for the results of a chunk (tiles) and for normalized inputs (rows).
#pragma once

#include <vector>

#include "arena.h"
#include "ops.h"
#include "row_kernels.h"

namespace hearth::kernels::cpu {

/// The most rows of a matmul's chunk: K and V of a head with the largest head_dim.
inline constexpr int kChunkRows = 512;
/// The most floats of one token's results in a chunk of one or two matrices, with padding
/// (chunk_stride).
inline constexpr int kChunkStride = kChunkRows + 2 * kTileRows;

/// Memory for the inputs of matmuls.
class ActivationMemory {
 public:
  /// Makes room for inputs of this width, with padding. The contents are lost.
  void allocate(int n_tokens, int n_cols);
  /// The room for n inputs that comes after `before` others, which include their padding.
  Activations view(int before, int n, int n_cols) const;

 private:
  Arena arena_;
  Activations begin_;     // of the first token
  size_t n_columns_ = 0;  // of a token
};

class Workspace {
 public:
  explicit Workspace(int n_threads) : n_threads_(n_threads) {}

  /// Makes room for n_tokens inputs of this width. If it grows, the contents are lost. Throws
  /// std::bad_alloc; then the room is as large as before and can still be used.
  void reserve(int n_cols, int n_tokens = kMaxBatch);

  Activations& activations(int n, int n_cols);
  /// See ActivationMemory.
  Activations view(int before, int n, int n_cols) const { return memory_.view(before, n, n_cols); }
  /// kMaxBatch * kChunkStride floats.
  float* tiles(int thread) const { return tiles_ + thread * tiles_floats(); }
  /// Room for one token tile of inputs, as wide as the widest.
  float* rows(int thread) const { return rows_ + thread * rows_floats(n_cols_); }

 private:
  static constexpr size_t tiles_floats() { return size_t{kMaxBatch} * kChunkStride; }
  static constexpr size_t rows_floats(int n_cols) {
    return kMostTileTokens * static_cast<size_t>(n_cols);
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
