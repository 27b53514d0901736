// What an adapter adds to a matrix, in the layout for the CPU kernels (low_rank.inl): f16, in tiles
// of 16 ranks (a) and of 16 rows (b). All parts of the matrix share one numbering of ranks. Each
// part begins at a multiple of 16, and its last tile of ranks is padded with zeros.
#pragma once

#include <span>
#include <vector>

#include "arena.h"
#include "ops.h"
#include "row_kernels.h"

namespace hearth::kernels::cpu {

/// How many columns a slice has. Each slice is summed up on its own, so that several threads can
/// work on a single token, whose sums are nevertheless computed in the same order as in a batch.
inline constexpr int kLowRankSlice = 512;

class PackedLowRank final : public LowRank {
 public:
  PackedLowRank(Slabs& slabs, int n_cols, std::span<const LowRankSource> sources);

  struct Part {
    int first_row = 0;
    int n_rows = 0;
    int rank = 0;
    int first_rank = 0;           // a multiple of 16
    const uint16_t* b = nullptr;  // [n_rows / 16][rank][16]
    float scale = 1;
    /// The part of b for the tile that begins with this row of the matrix.
    const uint16_t* b_of(int row) const {
      return b + static_cast<size_t>(row - first_row) * static_cast<size_t>(rank);
    }
  };
  /// The part that has the row, or null if the adapter leaves the row as it is.
  const Part* part_of(int row) const;
  int n_cols() const { return n_cols_; }
  /// The number of ranks in all parts, padding included.
  int n_ranks() const { return n_ranks_; }
  int n_slices() const { return (n_cols_ + kLowRankSlice - 1) / kLowRankSlice; }
  int slice_columns(int slice) const {
    return slice + 1 < n_slices() ? kLowRankSlice : n_cols_ - slice * kLowRankSlice;
  }
  /// A tile of ranks of a, from this column on: [n_cols - column][16].
  const uint16_t* a(int rank_tile, int column) const {
    return a_ + (static_cast<size_t>(rank_tile) * static_cast<size_t>(n_cols_) +
                 static_cast<size_t>(column)) *
                    kTileRows;
  }

 private:
  int n_cols_;
  int n_ranks_ = 0;
  std::vector<Part> parts_;
  const uint16_t* a_ = nullptr;
  Slabs::Piece memory_;
};

}  // namespace hearth::kernels::cpu
