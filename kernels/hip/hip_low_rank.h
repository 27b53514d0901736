// An adapter's change to one matrix, in GPU memory: a as packed weights of Q8_0, like any matrix,
// and b in the layout that the epilogues read (RankTile in adapter_params.h).
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
  Added added{};                      // the fields that depend only on the adapter
  const HipStrip& a() const { return matrix->strips.front(); }
};

/// Bytes of an adapter's change to one matrix in GPU memory: n_parts parts with ranks of up to
/// greatest_rank; the last part ends at row n_rows. is_quantized: LowRankSource::is_quantized of
/// all parts.
size_t low_rank_bytes(int n_parts, int greatest_rank, int n_rows, int n_cols, bool is_quantized);

/// Throws std::invalid_argument for impossible sizes.
std::unique_ptr<HipLowRank> pack_low_rank(Device& device, int n_cols,
                                          std::span<const LowRankSource> sources);

}  // namespace hearth::kernels::hip
