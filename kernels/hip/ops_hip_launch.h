// HipOps::launch() and what else the sources of HipOps share.
#pragma once

#include "ops_hip.h"

namespace hearth::kernels::hip {

/// Batches up to this size (decode, drafts) repeat the same launches, so these become graphs.
inline constexpr int kDeferredTokens = 8;
inline constexpr unsigned kThreads = 256;

inline unsigned ceil_div(int a, int b) { return static_cast<unsigned>((a + b - 1) / b); }

inline const HipMatrix& packed(const Matrix& matrix) {
  return static_cast<const HipMatrix&>(matrix);
}

template <class Params>
void HipOps::launch(const KernelName& name, std::array<unsigned, 3> grid, unsigned block,
                    unsigned shared_bytes, const Params& params) {
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
