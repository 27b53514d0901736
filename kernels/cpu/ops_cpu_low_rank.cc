// Adapters. The input of a product is first lowered to the adapter's ranks; then each chunk of
// products raises the lowered input for its rows. For a few tokens, one loop both lowers and
// quantizes the input, so that the threads need not wait for each other once more. In this loop, a
// chunk lowers one slice of columns, and raise() adds up the sums of all slices. For more tokens, a
// chunk lowers some of the tokens.
#include <algorithm>

#include "cpu_ops.h"

namespace hearth::kernels::cpu {
namespace {

/// How many tokens a chunk of lower_many() has. Their inputs in one slice of columns fit the L2
/// cache.
constexpr int kTokens = 32;
constexpr size_t kLine = 64;

}  // namespace

std::unique_ptr<LowRank> CpuOps::pack_low_rank(int n_cols, std::span<const LowRankSource> sources) {
  auto packed = std::make_unique<PackedLowRank>(slabs_, n_cols, sources);
  const size_t n_ranks = static_cast<size_t>(packed->n_ranks());
  const size_t n_lowered = n_ranks * std::max(kMaxBatch, kTileTokens * packed->n_slices());
  const size_t n_normed = size_t{kMaxBatch} * static_cast<size_t>(n_cols);
  if (!normed_ || normed_->n_floats < n_normed) normed_ = buffer(n_normed);
  if (!lowered_ || lowered_->n_floats < n_lowered) lowered_ = buffer(n_lowered);
  return packed;
}

/// Quantizes `in` [n][w.n_cols] and, if there is an adapter, lowers it.
const Activations& CpuOps::quantize(const Weights& w, const float* in) {
  const PackedMatrix& matrix = packed(w.matrix);
  const int n = batch_.size();
  if (!w.added || n > kTileTokens) {
    const Activations& activations = quantize(matrix, n, in);
    if (w.added) lower_many(packed(*w.added), in);
    return activations;
  }
  Activations& activations = workspace_.activations(n, matrix.n_cols);
  for_chunks(1 + lower_chunks(packed(*w.added)), [&](int chunk, int) {
    if (chunk > 0) return lower_chunk(packed(*w.added), in, chunk - 1);
    kernels_.quantize_tokens(in, 0, n, matrix.input_formats(), activations);
  });
  return activations;
}

/// The same for x [n][w.n_cols], after normalizing it. For a few tokens, each chunk normalizes all
/// of them for itself.
const Activations& CpuOps::norm_and_quantize(const float* norm, float eps, const Weights& w,
                                             const float* x) {
  const PackedMatrix& matrix = packed(w.matrix);
  const int n = batch_.size();
  if (!w.added) return norm_and_quantize(norm, eps, matrix, n, x);
  if (n > kTileTokens) {
    float* kept = normed_->data;
    const Activations& activations = norm_and_quantize(norm, eps, matrix, n, x, nullptr, kept);
    lower_many(packed(*w.added), kept);
    return activations;
  }
  Activations& activations = workspace_.activations(n, matrix.n_cols);
  for_chunks(1 + lower_chunks(packed(*w.added)), [&](int chunk, int thread) {
    float* rows = workspace_.rows(thread);
    for (int token = 0; token < n; token++) {
      const size_t at = static_cast<size_t>(token) * static_cast<size_t>(matrix.n_cols);
      kernels_.rmsnorm(x + at, norm, eps, matrix.n_cols, rows + at);
    }
    if (chunk > 0) return lower_chunk(packed(*w.added), rows, chunk - 1);
    kernels_.quantize_tokens(rows, 0, n, matrix.input_formats(), activations);
  });
  return activations;
}

int CpuOps::lower_chunks(const PackedLowRank& w) { return w.n_slices() * w.n_ranks() / kTileRows; }

/// Computes lowered_[slice][token][n_ranks] = a * in for one slice of columns and one tile of
/// ranks.
void CpuOps::lower_chunk(const PackedLowRank& w, const float* in, int chunk) {
  const int n = batch_.size(), n_tiles = w.n_ranks() / kTileRows;
  const int slice = chunk / n_tiles, tile = chunk % n_tiles, column = slice * kLowRankSlice;
  const size_t n_ranks = static_cast<size_t>(w.n_ranks()), row = static_cast<size_t>(slice) * n;
  kernels_.lower(w.a(tile, column), w.slice_columns(slice), in + column, w.n_cols(), n,
                 lowered_->data + row * n_ranks + tile * kTileRows, n_ranks);
}

/// Computes lowered_[token][n_ranks] = a * in for all tokens, from the same sums as lower_chunk(),
/// added up slice by slice, as raise() does.
void CpuOps::lower_many(const PackedLowRank& w, const float* in) {
  const int n = batch_.size(), n_tiles = w.n_ranks() / kTileRows;
  const size_t n_cols = static_cast<size_t>(w.n_cols()), n_ranks = static_cast<size_t>(w.n_ranks());
  const int n_groups = (n + kTokens - 1) / kTokens;
  for_chunks(n_groups * n_tiles, [&](int chunk, int) {
    const int first = chunk / n_tiles * kTokens, tile = chunk % n_tiles;
    const int n_tokens = std::min(kTokens, n - first);
    const float* rows = in + static_cast<size_t>(first) * n_cols;
    float* out = lowered_->data + static_cast<size_t>(first) * n_ranks + tile * kTileRows;
    kernels_.lower(w.a(tile, 0), w.slice_columns(0), rows, n_cols, n_tokens, out, n_ranks);
    for (int slice = 1; slice < w.n_slices(); slice++) {
      const int column = slice * kLowRankSlice;
      float sums[kTokens * kTileRows];
      kernels_.lower(w.a(tile, column), w.slice_columns(slice), rows + column, n_cols, n_tokens,
                     sums, kTileRows);
      for (int token = 0; token < n_tokens; token++)
        kernels_.add(out + token * n_ranks, sums + token * kTileRows, kTileRows);
    }
  });
}

/// Starts loading what raise() will read for these rows. Otherwise each of its small reads would
/// wait for the full latency of memory.
void CpuOps::prefetch(const LowRank* added, int row, int n_rows) {
  if (!added) return;
  const PackedLowRank::Part* part = packed(*added).part_of(row);
  if (!part) return;
  const auto* begin = reinterpret_cast<const std::byte*>(part->b_of(row));
  const size_t n_bytes = sizeof(uint16_t) * static_cast<size_t>(n_rows) * part->rank;
  for (size_t at = 0; at < n_bytes; at += kLine) __builtin_prefetch(begin + at, 0, 2);
}

/// Adds the adapter's part to all tokens' products with rows [row, row + n_rows) of the matrix. The
/// rows all belong to one part, or to none.
void CpuOps::raise(const LowRank* added, int row, int n_rows, float* products, size_t stride) {
  if (!added) return;
  const PackedLowRank& w = packed(*added);
  const PackedLowRank::Part* part = w.part_of(row);
  if (!part) return;
  constexpr int kAtOnce = 8;
  float sums[kAtOnce * kMaxRank];
  const int n = batch_.size(), n_slices = n > kTileTokens ? 1 : w.n_slices();
  const size_t rank = static_cast<size_t>(part->rank), n_ranks = static_cast<size_t>(w.n_ranks());
  for (int first = 0; first < n; first += kAtOnce) {
    const int n_tokens = std::min(kAtOnce, n - first);
    for (int k = 0; k < n_tokens; k++) {
      const float* from =
          lowered_->data + static_cast<size_t>(first + k) * n_ranks + part->first_rank;
      float* to = sums + static_cast<size_t>(k) * rank;
      std::copy_n(from, rank, to);
      for (int slice = 1; slice < n_slices; slice++) {
        from += static_cast<size_t>(n) * n_ranks;
        for (size_t i = 0; i < rank; i++) to[i] += from[i];
      }
      for (size_t i = 0; i < rank; i++) to[i] *= part->scale;
    }
    kernels_.raise(part->b_of(row), part->rank, n_rows / kTileRows, sums, rank, n_tokens,
                   products + static_cast<size_t>(first) * stride, stride);
  }
}

}  // namespace hearth::kernels::cpu
