// The greatest of some logits, as kernels leave it for parts of a row, and the row put together
// from its parts. Compiled for GPUs, too: no standard headers.
#pragma once

#include <stdint.h>

namespace hearth::kernels {

struct Argmax;

/// Of some logits of a row. The lowest id wins a tie.
struct ArgmaxPart {
  float best;
  uint32_t id;
  float sum;        // of exp(logit - best)
  uint32_t finite;  // 0 if any logit was NaN or Inf; the rest then means nothing
};

/// The whole row, from its parts in rising order of ids. How a row is cut into parts may depend on
/// its length alone: then the sum has the same bits however many rows there are.
Argmax argmax_of_row(const ArgmaxPart* parts, int n_parts);

}  // namespace hearth::kernels
