// HipOps::launch() and what else the sources of HipOps share.
#pragma once

#include <bit>

#include "ops_hip.h"

namespace hearth::kernels::hip {

/// Batches up to this size (decode, drafts) repeat the same launches, so these become graphs.
inline constexpr int kDeferredTokens = 8;

/// Of a power of two.
inline int log2_of(int power) { return std::countr_zero(static_cast<unsigned>(power)); }

inline const HipMatrix& packed(const Matrix& matrix) {
  return static_cast<const HipMatrix&>(matrix);
}

template <class Params>
void HipOps::launch(const KernelName& name, std::array<int, 3> grid, int block, int shared_bytes,
                    const Params& params) {
  if (is_in_mail_) launch({"take_batch_512"}, {1, 1, 1}, kMailThreads, 0, take_mail());
  Launch launch;
  launch.function = function(name);
  launch.grid = grid;
  launch.block = block;
  launch.shared_bytes = shared_bytes;
  launch.set(params);
  queue_.add(launch, n_ <= kDeferredTokens);
}

}  // namespace hearth::kernels::hip
