// Choosing the next token from logits: greedy, temperature, top-k, top-p, min-p. No allocation
// after construction. The random state belongs to the request, so that a request gives the same
// text whatever runs between.
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
  uint64_t seed = 0;      // of the request's Random
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
  /// A logit that is not finite is never chosen; with no finite one, index 0 at log-probability
  /// -inf. Greedy, the lowest index wins a tie. At most n_vocab logits.
  Sampled sample(std::span<const float> logits, const SamplingOptions& options, Random& random);

 private:
  void weigh(std::span<const float> logits, float top, float temperature);
  /// The indices to draw from, never empty.
  std::span<const uint32_t> candidates(const SamplingOptions& options, size_t n);
  /// The greatest of order, sorted, until there are n_most or their weights reach the mass.
  std::span<const uint32_t> take_greatest(std::span<uint32_t> order, size_t n_most,
                                          double wanted_mass);
  double mass(std::span<const uint32_t> indices) const;
  uint32_t draw(std::span<const uint32_t> indices, Random& random) const;

  std::vector<uint32_t> order_;
  std::vector<float> weights_;  // by index: probability relative to the greatest
};

/// The index of the greatest finite logit, the lowest of equals; logits.size() if there is none.
size_t greatest(std::span<const float> logits);

/// Natural logarithm of the sum of exp(logit) over finite logits, in double precision.
double log_sum_exp(std::span<const float> logits);

}  // namespace hearth
