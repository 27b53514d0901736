// What an adapter adds to a matrix, in GPU memory, in the layout of low_rank.hip.h.
#pragma once

#include <memory>
#include <span>

#include "device.h"
#include "ops.h"
#include "params.h"

namespace hearth::kernels::hip {

class HipLowRank : public LowRank {
 public:
  Memory memory;
  const uint16_t* a = nullptr;  // f16 [n_ranks][n_cols]
  Added added{};                // but for `lowered`
};

/// Bytes in GPU memory of parts of one matrix with so many columns, whose greatest rank and last
/// row are these.
size_t low_rank_bytes(int n_parts, int greatest_rank, int n_rows, int n_cols);

/// Throws std::invalid_argument for sizes that are impossible.
std::unique_ptr<HipLowRank> pack_low_rank(Device& device, int n_cols,
                                          std::span<const LowRankSource> sources);

}  // namespace hearth::kernels::hip
