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
  Added added{};                // all fields but `lowered` are set
};

/// Bytes in GPU memory of what an adapter adds to one matrix: n_parts parts, with ranks of up to
/// greatest_rank, the last of which ends at row n_rows.
size_t low_rank_bytes(int n_parts, int greatest_rank, int n_rows, int n_cols);

/// Throws std::invalid_argument for sizes that are impossible.
std::unique_ptr<HipLowRank> pack_low_rank(Device& device, int n_cols,
                                          std::span<const LowRankSource> sources);

}  // namespace hearth::kernels::hip
