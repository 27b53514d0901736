// Choosing the next token from logits: greedy, temperature, top-k, top-p, min-p. No allocation after
// construction. The random state belongs to the request, so that a request gives the same text whatever runs between.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hearth {

struct SamplingOptions {
  float temperature = 0;  // 0: greedy
  int top_k = 40;         // 0: off
  float top_p = 1;        // 1: off
  float min_p = 0;        // 0: off; relative to the greatest probability
  uint64_t seed = 0;
};

/// A request's own random state.
struct Random {
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t state;
};

struct Sampled {
  uint32_t index = 0;         // into the logits
  float log_probability = 0;  // under the unmodified softmax of the logits
};

class Sampler {
 public:
  explicit Sampler(int n_vocab);
  /// NaN counts as -inf; all NaN gives index 0. The lowest index wins a tie.
  Sampled sample(std::span<const float> logits, const SamplingOptions& options, Random& random);

 private:
  std::vector<uint32_t> order_;
  std::vector<float> weights_;
};

/// Natural logarithm of sum(exp(logits)), in double precision.
double log_sum_exp(std::span<const float> logits);

}  // namespace hearth
