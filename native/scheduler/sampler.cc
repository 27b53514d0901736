// Filters work on indices into the logits, and on weights relative to the greatest probability,
// which need no normalization.
#include "sampler.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace hearth {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// SplitMix64: every seed gives a good sequence, even zero.
uint64_t next_bits(Random& random) {
  uint64_t bits = random.state += 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  return bits ^ (bits >> 31);
}

/// Uniform in [0, 1), with the 53 bits that a double can hold.
double next_unit(Random& random) { return static_cast<double>(next_bits(random) >> 11) * 0x1p-53; }

}  // namespace

size_t greatest(std::span<const float> logits) {
  size_t best = logits.size();
  for (size_t i = 0; i < logits.size(); i++) {
    if (std::isfinite(logits[i]) && (best == logits.size() || logits[i] > logits[best])) best = i;
  }
  return best;
}

double log_sum_exp(std::span<const float> logits) {
  const size_t best = greatest(logits);
  if (best == logits.size()) return kMinusInfinity;
  const double top = logits[best];
  double sum = 0;
  for (const float logit : logits) {
    if (std::isfinite(logit)) sum += std::exp(logit - top);
  }
  return top + std::log(sum);
}

Sampler::Sampler(int n_vocab) : order_(n_vocab), weights_(n_vocab) {}

Sampled Sampler::sample(std::span<const float> logits, const SamplingOptions& options,
                        Random& random) {
  assert(logits.size() <= order_.size());
  const size_t best = greatest(logits);
  if (best == logits.size()) return {0, kMinusInfinity};
  size_t chosen = best;
  if (options.temperature > 0) {
    set_weights(logits, logits[best], options.temperature);
    chosen = draw(candidates(options, logits.size()), random);
  }
  return {static_cast<uint32_t>(chosen), static_cast<float>(logits[chosen] - log_sum_exp(logits))};
}

void Sampler::set_weights(std::span<const float> logits, float top, float temperature) {
  // The greatest weight is exactly 1, however low the temperature.
  for (size_t i = 0; i < logits.size(); i++)
    weights_[i] = std::isfinite(logits[i]) ? std::exp((logits[i] - top) / temperature) : 0;
}

// Top-p applies to the mass of the candidates that top-k keeps.
std::span<const uint32_t> Sampler::candidates(const SamplingOptions& options, size_t n) {
  const std::span<uint32_t> order = std::span(order_).first(n);
  std::iota(order.begin(), order.end(), 0u);
  const float min_p = std::min(options.min_p, 1.0f);  // the most likely token always passes
  const auto is_unlikely = [&](uint32_t i) { return weights_[i] < min_p; };
  const bool has_top_k = options.top_k > 0 && static_cast<size_t>(options.top_k) < n;
  if (!has_top_k && !(options.top_p < 1)) {
    return {order.begin(), std::remove_if(order.begin(), order.end(), is_unlikely)};
  }
  std::span<const uint32_t> kept = has_top_k ? take_greatest(order, options.top_k, INFINITY)
                                             : take_greatest(order, n, options.top_p * mass(order));
  if (has_top_k && options.top_p < 1) {
    const double wanted = options.top_p * mass(kept);
    size_t n_kept = 1;
    for (double sum = weights_[kept[0]]; sum < wanted && n_kept < kept.size(); n_kept++) {
      sum += weights_[kept[n_kept]];
    }
    kept = kept.first(n_kept);
  }
  return {kept.begin(), std::find_if(kept.begin(), kept.end(), is_unlikely)};
}

// A heap sorts only the kept indices, a few of a vocabulary of 152,000.
std::span<const uint32_t> Sampler::take_greatest(std::span<uint32_t> order, size_t n_max,
                                                 double wanted_mass) {
  const auto is_less = [this](uint32_t a, uint32_t b) {
    return weights_[a] != weights_[b] ? weights_[a] < weights_[b] : a > b;
  };
  std::make_heap(order.begin(), order.end(), is_less);
  size_t n_taken = 0;
  for (double sum = 0; n_taken < n_max && (n_taken == 0 || sum < wanted_mass); n_taken++) {
    sum += weights_[order.front()];
    std::pop_heap(order.begin(), order.end() - n_taken, is_less);
  }
  const std::span<uint32_t> taken = order.last(n_taken);
  std::reverse(taken.begin(), taken.end());
  return taken;
}

double Sampler::mass(std::span<const uint32_t> indices) const {
  double sum = 0;
  for (const uint32_t i : indices) sum += weights_[i];
  return sum;
}

uint32_t Sampler::draw(std::span<const uint32_t> indices, Random& random) const {
  const double target = next_unit(random) * mass(indices);
  double sum = 0;
  for (const uint32_t i : indices) {
    sum += weights_[i];
    if (target < sum) return i;
  }
  return indices.back();
}

}  // namespace hearth
