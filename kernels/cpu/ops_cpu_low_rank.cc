// Adapters. What a matrix is multiplied by is first lowered to the adapter's ranks, in one parallel
// loop; then each chunk of products gets what these give for its rows.
#include <algorithm>

#include "cpu_ops.h"

namespace hearth::kernels::cpu {
namespace {

/// Tokens of a chunk of the first loop: of a slice of columns, they fit the L2 cache.
constexpr int kTokens = 32;

}  // namespace

std::unique_ptr<LowRank> CpuOps::pack_low_rank(int n_cols, std::span<const LowRankSource> sources) {
  auto packed = std::make_unique<PackedLowRank>(slabs_, n_cols, sources);
  const size_t n_lowered = size_t{kMaxBatch} * packed->n_slices() * packed->n_ranks();
  if (!normed_ || normed_->n_floats < size_t{kMaxBatch} * n_cols)
    normed_ = buffer(size_t{kMaxBatch} * n_cols);
  if (!lowered_ || lowered_->n_floats < n_lowered) lowered_ = buffer(n_lowered);
  return packed;
}

/// lowered_[slice][token][n_ranks] = a in, in [n][n_cols].
void CpuOps::lower(const LowRank* added, int n, const float* in) {
  if (!added) return;
  const PackedLowRank& w = packed(*added);
  const int n_groups = (n + kTokens - 1) / kTokens, n_tiles = w.n_ranks() / kTileRows;
  const size_t n_cols = w.n_cols(), n_ranks = w.n_ranks();
  for_chunks(w.n_slices() * n_tiles * n_groups, [&](int chunk, int) {
    const int slice = chunk / (n_tiles * n_groups), tile = chunk / n_groups % n_tiles;
    const int token = chunk % n_groups * kTokens, column = slice * kLowRankSlice;
    const size_t row = static_cast<size_t>(slice) * n + token;
    kernels_.lower(w.a(tile) + static_cast<size_t>(column) * kTileRows,
                   std::min(kLowRankSlice, w.n_cols() - column), in + token * n_cols + column,
                   n_cols, std::min(kTokens, n - token),
                   lowered_->data + row * n_ranks + tile * kTileRows, n_ranks);
  });
}

/// Adds to n tokens' products with rows [row, row + n_rows) of the matrix. The rows are of one
/// part, or of none.
void CpuOps::raise(const LowRank* added, int n, int row, int n_rows, float* products,
                   size_t stride) {
  if (!added) return;
  const PackedLowRank& w = packed(*added);
  const PackedLowRank::Part* part = w.part_of(row);
  if (!part) return;
  constexpr int kAtOnce = 8;
  float sums[kAtOnce * kMaxRank];
  const size_t rank = static_cast<size_t>(part->rank), n_ranks = static_cast<size_t>(w.n_ranks());
  const uint16_t* b = part->b + static_cast<size_t>(row - part->first_row) * rank;
  for (int first = 0; first < n; first += kAtOnce) {
    const int n_tokens = std::min(kAtOnce, n - first);
    for (int k = 0; k < n_tokens; k++) {
      const float* from =
          lowered_->data + static_cast<size_t>(first + k) * n_ranks + part->first_rank;
      float* to = sums + static_cast<size_t>(k) * rank;
      std::fill_n(to, rank, 0.0f);
      for (int slice = 0; slice < w.n_slices(); slice++, from += static_cast<size_t>(n) * n_ranks)
        for (size_t i = 0; i < rank; i++) to[i] += from[i];
      for (size_t i = 0; i < rank; i++) to[i] *= part->scale;
    }
    kernels_.raise(b, part->rank, n_rows / kTileRows, sums, rank, n_tokens,
                   products + static_cast<size_t>(first) * stride, stride);
  }
}

}  // namespace hearth::kernels::cpu
