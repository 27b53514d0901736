#include "scheduler/sampler.h"

#include <cmath>

#include "test.h"

using hearth::log_sum_exp;
using hearth::Random;
using hearth::Sampled;
using hearth::Sampler;
using hearth::SamplingOptions;

namespace {

using Logits = std::vector<float>;

/// The fraction of n draws in which each index is chosen.
std::vector<double> frequencies(const Logits& logits, const SamplingOptions& options,
                                int n = 40000) {
  Sampler sampler(static_cast<int>(logits.size()));
  Random random(options.seed);
  std::vector<double> counts(logits.size());
  for (int i = 0; i < n; i++) counts[sampler.sample(logits, options, random).index] += 1.0 / n;
  return counts;
}

void check_frequencies(const SamplingOptions& options, const std::vector<double>& expected) {
  Logits logits;  // the probabilities 0.4, 0.3, 0.2 and 0.1 in a different order
  for (const double p : {0.2, 0.4, 0.1, 0.3}) logits.push_back(static_cast<float>(std::log(p)) + 5);
  const std::vector<double> actual = frequencies(logits, options);
  // Four standard deviations for 40000 draws.
  for (size_t i = 0; i < 4; i++) CHECK_NEAR(actual[i], expected[i], 0.01);
  for (size_t i = 0; i < 4; i++) CHECK((expected[i] == 0) == (actual[i] == 0));
}

}  // namespace

TEST("greedy sampling chooses the greatest logit, and the lowest index among equals") {
  Sampler sampler(4);
  Random random(1);
  const Sampled sampled = sampler.sample(Logits{1, 3, 3, 2}, {}, random);
  CHECK_EQUAL(sampled.index, 1u);
  const double total = std::exp(1.0) + 2 * std::exp(3.0) + std::exp(2.0);
  CHECK_NEAR(sampled.log_probability, 3 - std::log(total), 1e-6);
}

TEST("sampling follows the probabilities") {
  check_frequencies({.temperature = 1, .top_k = 0, .seed = 3}, {0.2, 0.4, 0.1, 0.3});
}

TEST("temperature sharpens the distribution before the other options") {
  check_frequencies({.temperature = 0.5, .top_k = 0, .seed = 4},
                    {0.04 / 0.3, 0.16 / 0.3, 0.01 / 0.3, 0.09 / 0.3});
}

TEST("top-k keeps the k most likely tokens") {
  check_frequencies({.temperature = 1, .top_k = 2, .seed = 5}, {0, 0.4 / 0.7, 0, 0.3 / 0.7});
  check_frequencies({.temperature = 1, .top_k = 1, .seed = 5}, {0, 1, 0, 0});
  check_frequencies({.temperature = 1, .top_k = 9, .seed = 5}, {0.2, 0.4, 0.1, 0.3});
}

TEST("top-p keeps the fewest tokens whose probabilities add up to at least p") {
  check_frequencies({.temperature = 1, .top_k = 0, .top_p = 0.6f, .seed = 6},
                    {0, 0.4 / 0.7, 0, 0.3 / 0.7});
  check_frequencies({.temperature = 1, .top_k = 0, .top_p = 0, .seed = 6}, {0, 1, 0, 0});
}

TEST("top-p counts only the probability of the tokens that top-k has kept") {
  // Of the 0.7 that top-k keeps, 0.4 are 0.571.
  check_frequencies({.temperature = 1, .top_k = 2, .top_p = 0.57f, .seed = 7}, {0, 1, 0, 0});
  check_frequencies({.temperature = 1, .top_k = 2, .top_p = 0.58f, .seed = 7},
                    {0, 0.4 / 0.7, 0, 0.3 / 0.7});
}

TEST("min-p drops tokens that are unlikely compared with the most likely one") {
  const std::vector<double> expected{0.2 / 0.9, 0.4 / 0.9, 0, 0.3 / 0.9};
  check_frequencies({.temperature = 1, .top_k = 0, .min_p = 0.4f, .seed = 8}, expected);
  check_frequencies({.temperature = 1, .top_k = 3, .min_p = 0.4f, .seed = 8}, expected);
  check_frequencies({.temperature = 1, .top_k = 0, .min_p = 2, .seed = 8}, {0, 1, 0, 0});
}

TEST("the same seed gives the same tokens, and a different seed gives others") {
  const Logits logits(1000, 1.0f);
  Sampler sampler(1000);
  const auto run = [&](uint64_t seed) {
    Random random(seed);
    std::vector<uint32_t> tokens;
    for (int i = 0; i < 20; i++) {
      tokens.push_back(sampler.sample(logits, {.temperature = 1, .top_k = 0}, random).index);
    }
    return tokens;
  };
  CHECK(run(0) == run(0));
  CHECK(run(0) != run(1));
}

TEST("sampling options do not affect the log-probability") {
  Sampler sampler(3);
  Random random(1);
  const Logits logits{0, 2, 1};
  const Sampled sampled = sampler.sample(logits, {.temperature = 0.01f, .top_k = 1}, random);
  CHECK_EQUAL(sampled.index, 1u);
  CHECK_NEAR(sampled.log_probability, 2 - log_sum_exp(logits), 1e-6);
}

TEST("a logit that is not finite is never chosen") {
  const Logits logits{test::kNan, 1, test::kInf, 2, -test::kInf, test::kNan};
  for (const float temperature : {0.0f, 1e-30f, 1.0f, 1e30f, test::kNan}) {
    for (const int top_k : {0, 1, 3}) {
      for (const float top_p : {1.0f, 0.5f, test::kNan}) {
        const std::vector<double> actual = frequencies(
            logits,
            {.temperature = temperature, .top_k = top_k, .top_p = top_p, .min_p = test::kNan}, 100);
        CHECK_NEAR(actual[1] + actual[3], 1, 1e-9);
      }
    }
  }
}

TEST("if no logit is finite, index 0 is chosen, with log-probability minus infinity") {
  Sampler sampler(3);
  Random random(1);
  const Sampled sampled =
      sampler.sample(Logits{test::kNan, -test::kInf, test::kInf}, {.temperature = 1}, random);
  CHECK_EQUAL(sampled.index, 0u);
  CHECK_EQUAL(sampled.log_probability, -test::kInf);
}

TEST("log_sum_exp does not overflow, and does not lose small terms") {
  CHECK_NEAR(log_sum_exp(Logits{1000, 1000}), 1000 + std::log(2.0), 1e-9);
  CHECK_NEAR(log_sum_exp(Logits(152064, -50.0f)), -50 + std::log(152064.0), 1e-9);
  CHECK_EQUAL(log_sum_exp({}), -test::kInf);
}
