// An adapter's change to one matrix, in the packed layout of all weights, so that its two thin
// products run like any other. One matrix stacks the a of all parts; each part has its own b.
#pragma once

#include <span>
#include <vector>

#include "ops.h"
#include "packed_matrix.h"

namespace hearth::kernels::cpu {

class PackedLowRank final : public LowRank {
 public:
  PackedLowRank(const RowKernels& kernels, ThreadPool& pool, Slabs& slabs, int n_cols,
                std::span<const LowRankSource> sources);

  struct Part {
    int first_row;  // of the matrix that it is added to
    int n_rows;
    int rank;
    int first_rank;  // its first row of a(), a multiple of 16
    float scale;
    PackedMatrix b;  // [n_rows][rank]; as Q8_0, with columns of zeros up to a multiple of 32
    bool has(int row) const { return row >= first_row && row < first_row + n_rows; }
  };
  /// [ranks of all parts][n_cols]. Each part is filled up with rows of zeros to a multiple of 16.
  const PackedMatrix& a() const { return a_; }
  const std::vector<Part>& parts() const { return parts_; }

 private:
  PackedMatrix a_;
  std::vector<Part> parts_;
};

}  // namespace hearth::kernels::cpu
