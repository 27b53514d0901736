// What an adapter adds to a matrix, in GPU memory: a as packed weights of Q8_0, like any matrix,
// and b as the epilogues read it (RankTile in params.h).
#pragma once

#include <memory>
#include <span>

#include "device.h"
#include "hip_matrix.h"
#include "ops.h"
#include "params.h"

namespace hearth::kernels::hip {

class HipLowRank : public LowRank {
 public:
  std::unique_ptr<HipMatrix> matrix;  // [n_ranks][n_cols]; its memory also has b
  Added added{};                      // what depends on the adapter alone
  const HipStrip& a() const { return matrix->strips.front(); }
};

/// Bytes in GPU memory of what an adapter adds to one matrix: n_parts parts, with ranks of up to
/// greatest_rank, the last of which ends at row n_rows. is_quantized: LowRankSource::is_quantized
/// of all parts.
size_t low_rank_bytes(int n_parts, int greatest_rank, int n_rows, int n_cols, bool is_quantized);

/// Throws std::invalid_argument for sizes that are impossible.
std::unique_ptr<HipLowRank> pack_low_rank(Device& device, int n_cols,
                                          std::span<const LowRankSource> sources);

}  // namespace hearth::kernels::hip
