// What the ops of HipOps launch their kernels with.
#pragma once

#include <stdexcept>
#include <string>

#include "ops_hip.h"

namespace hearth::kernels::hip {

/// Batches up to this size repeat while decoding, so they become graphs.
inline constexpr int kDeferredTokens = 8;
inline constexpr unsigned kThreads = 256;

inline unsigned ceil_div(int a, int b) { return static_cast<unsigned>((a + b - 1) / b); }

inline const HipMatrix& packed(const Matrix& matrix) {
  return static_cast<const HipMatrix&>(matrix);
}

template <class Params>
void HipOps::launch(const std::string& kernel, std::array<unsigned, 3> grid, unsigned block,
                    unsigned shared_bytes, const Params& params) {
  if (is_in_mail_) launch("take_batch_512", {1, 1, 1}, kMailThreads, 0, take_mail());
  auto found = functions_.find(kernel);
  if (found == functions_.end()) {
    found = functions_.emplace(kernel, device_.function(kernel)).first;
    if (!found->second) throw std::runtime_error("the GPU kernels lack " + kernel);
  }
  Launch launch;
  launch.function = found->second;
  launch.grid = grid;
  launch.block = block;
  launch.shared_bytes = shared_bytes;
  launch.set(params);
  queue_.add(launch, n_ <= kDeferredTokens);
}

}  // namespace hearth::kernels::hip
