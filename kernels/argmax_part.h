// Argmax with log-sum-exp in two steps: kernels reduce parts of a row to an ArgmaxPart each, and
// argmax_of_row merges these. GPUs compile this header, too, so it includes no standard C++
// headers.
#pragma once

#include <stdint.h>

namespace hearth::kernels {

struct Argmax;

/// The result for some logits of a row. The lowest id wins a tie.
struct ArgmaxPart {
  float best;
  uint32_t id;
  float sum;        // of exp(logit - best)
  uint32_t finite;  // 0 if any logit was NaN or Inf; the rest then means nothing
};

/// Merges the parts of a row, which are in rising order of ids. How a row is cut into parts must
/// depend on its length alone, so that the sum has the same bits however many rows a batch has.
Argmax argmax_of_row(const ArgmaxPart* parts, int n_parts);

}  // namespace hearth::kernels
