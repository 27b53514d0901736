#include "argmax_part.h"

#include <cmath>

#include "ops.h"

namespace hearth::kernels {

Argmax argmax_of_row(const ArgmaxPart* parts, int n_parts) {
  ArgmaxPart best = parts[0];
  bool finite = true;
  for (int i = 0; i < n_parts; i++) {
    finite = finite && parts[i].finite;
    if (parts[i].best > best.best) best = parts[i];
  }
  double sum = 0;
  for (int i = 0; i < n_parts; i++)
    sum += parts[i].sum * std::exp(static_cast<double>(parts[i].best) - best.best);
  // From 0, as the logarithm of 1 would otherwise become a negative zero.
  return {best.id, best.best, static_cast<float>(0 - std::log(sum)), finite};
}

}  // namespace hearth::kernels
