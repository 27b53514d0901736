// Sampling: chooses the next token from logits, greedily or by temperature with top-k, top-p and
// min-p in this order. Nothing is allocated after construction. The random state belongs to the
// request, so that a seed gives the same text whatever other requests run in between.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hearth {

struct SamplingOptions {
  float temperature = 0;  // 0: greedy
  int top_k = 40;         // 0: off
  float top_p = 1;        // 1: off
  float min_p = 0;        // the lowest probability allowed, relative to the highest; 0: off
  uint64_t seed = 0;
};

/// The random state of a request.
struct Random {
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t state;
};

struct Sampled {
  uint32_t index = 0;         // into the logits
  float log_probability = 0;  // by the softmax of the logits, without temperature or filters
};

class Sampler {
 public:
  explicit Sampler(int n_vocab);
  /// Takes at most n_vocab logits. A logit that is not finite is never chosen; if none is finite,
  /// the result is index 0 with log-probability -inf. Greedy sampling chooses the lowest index of
  /// equal logits.
  Sampled sample(std::span<const float> logits, const SamplingOptions& options, Random& random);

 private:
  void set_weights(std::span<const float> logits, float top, float temperature);
  /// The indices that pass the filters, never empty.
  std::span<const uint32_t> candidates(const SamplingOptions& options, size_t n);
  /// The indices with the greatest weights, sorted. There are at most n_max, and no more than
  /// needed for their sum of weights to reach wanted_mass.
  std::span<const uint32_t> take_greatest(std::span<uint32_t> order, size_t n_max,
                                          double wanted_mass);
  /// The sum of weights.
  double mass(std::span<const uint32_t> indices) const;
  uint32_t draw(std::span<const uint32_t> indices, Random& random) const;

  std::vector<uint32_t> order_;  // scratch: indices
  std::vector<float> weights_;   // by index: probability relative to the greatest one
};

/// The index of the greatest finite logit; of equal logits, the lowest index. logits.size() if none
/// is finite.
size_t greatest(std::span<const float> logits);

/// log(sum(exp(logit))) over the finite logits, in double precision.
double log_sum_exp(std::span<const float> logits);

}  // namespace hearth
