// Garbage that looks like output: what a wrong copy, a failing memory cell or a damaged file make
// of an answer. The scheduler tries once more without cached pages, then says what it saw.
#pragma once

#include <cmath>
#include <span>

#include "ops.h"

namespace hearth {

struct BadOutput {
  const char* what;
};

/// One token so many times in a row: an answer that began with cached pages is tried again.
inline constexpr int kMostRepeats = 64;

/// The sum behind the probability would show anything, so it costs nothing to look.
inline void require_sound(const kernels::Argmax& best, int n_vocab) {
  if (!best.finite) throw BadOutput{"logits that are not numbers"};
  // Of equal logits the probability is that of a throw of dice.
  const bool are_equal = best.log_probability < 1e-3f - std::log(static_cast<float>(n_vocab));
  if (are_equal && n_vocab > 1) throw BadOutput{"the same logit for every token"};
}

inline void require_finite(std::span<const float> logits) {
  for (const float logit : logits)
    if (!std::isfinite(logit)) throw BadOutput{"logits that are not numbers"};
}

}  // namespace hearth
