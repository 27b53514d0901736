#include "range_argmax.h"

#include <cmath>

#include "ops.h"

namespace hearth::kernels {

Argmax argmax_of_row(const RangeArgmax* ranges, int n_ranges) {
  RangeArgmax best = ranges[0];
  bool finite = true;
  for (int i = 0; i < n_ranges; i++) {
    finite = finite && ranges[i].finite;
    if (ranges[i].best > best.best) best = ranges[i];
  }
  double sum = 0;
  for (int i = 0; i < n_ranges; i++)
    sum += ranges[i].sum * std::exp(static_cast<double>(ranges[i].best) - best.best);
  // 0 - log(1) is 0, whereas -log(1) would be negative zero.
  return {best.id, best.best, static_cast<float>(0 - std::log(sum)), finite};
}

}  // namespace hearth::kernels
