// Argmax with log-sum-exp in two steps: kernels reduce each range of a row to a RangeArgmax, and
// argmax_of_row merges these. This header is also compiled for GPUs, so it includes no standard C++
// headers.
#pragma once

#include <stdint.h>

namespace hearth::kernels {

struct Argmax;

/// The result for one range of a row's logits. The lowest id wins a tie.
struct RangeArgmax {
  float best;
  uint32_t id;
  float sum;        // of exp(logit - best)
  uint32_t finite;  // 0 if any logit was NaN or Inf; the other fields are then meaningless
};

/// Merges the ranges of a row, in ascending order of ids. The division of a row into ranges must
/// depend on its length alone, so that the sum has the same bits however many rows a batch has.
Argmax argmax_of_row(const RangeArgmax* ranges, int n_ranges);

}  // namespace hearth::kernels
