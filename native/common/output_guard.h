// Detects output that a sound model cannot produce: logits that are not numbers or are all equal,
// or one token again and again. Causes are a damaged file, faulty memory or a failing GPU. The
// checks throw BadOutput. The scheduler then restarts the request once, without cached pages; the
// second time, it reports an error.
#pragma once

#include <cmath>
#include <span>

#include "ops.h"

namespace hearth {

struct BadOutput {
  const char* what;
};

/// An answer that began with cached pages is bad output if it repeats one token this many times.
inline constexpr int kMaxRepeats = 64;

/// Checks all logits of a row without another pass over them: the log-probability of the argmax
/// depends on the sum over the whole row.
inline void require_sound(const kernels::Argmax& best, int n_vocab) {
  if (!best.finite) throw BadOutput{"logits that are not numbers"};
  // If all logits are equal, the probability is 1 / n_vocab.
  const bool are_equal = best.log_probability < 1e-3f - std::log(static_cast<float>(n_vocab));
  if (are_equal && n_vocab > 1) throw BadOutput{"the same logit for every token"};
}

inline void require_finite(std::span<const float> logits) {
  for (const float logit : logits)
    if (!std::isfinite(logit)) throw BadOutput{"logits that are not numbers"};
}

}  // namespace hearth
