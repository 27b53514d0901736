// Tests a mixture of experts on the CPU, in every variant: compares routes and sums with double
// precision, and results in different batches bit for bit.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "cpu/expert_plan.h"
#include "cpu_variants.h"
#include "ops_fixture.h"
#include "test.h"

using namespace hearth::kernels;
using test::pack, test::random_floats, test::random_matrix, test::TestBatch, test::TestMatrix,
    test::to_buffer;

namespace {

constexpr int kExperts = 10, kUsed = 3, kWidth = 96, kExpertFf = 160;

struct ExpertWeights {
  explicit ExpertWeights(BlockType type)
      : router(random_matrix(BlockType::kF32, kExperts, kWidth, 1)) {
    for (float& weight : router.weights) weight *= 4;
    std::memcpy(router.bytes.data(), router.weights.data(), router.bytes.size());
    for (unsigned i = 0; i < kExperts; i++) {
      gate.push_back(random_matrix(type, kExpertFf, kWidth, 100 + i));
      up.push_back(random_matrix(BlockType::kF32, kExpertFf, kWidth, 200 + i));
      down.push_back(random_matrix(type, kWidth, kExpertFf, 300 + i));
    }
  }
  TestMatrix router;
  std::vector<TestMatrix> gate, up, down;
};

/// Runs the ops of one layer's experts for a batch of n tokens, x [n][kWidth].
class Layer {
 public:
  Layer(Ops& ops, const ExpertWeights& weights) : ops_(ops), router_(pack(ops, {&weights.router})) {
    std::vector<MatrixSource> gate_up, down;
    for (size_t i = 0; i < kExperts; i++) {
      gate_up.push_back(weights.gate[i].source());
      gate_up.push_back(weights.up[i].source());
      down.push_back(weights.down[i].source());
    }
    gate_up_ = ops.pack(gate_up);
    down_ = ops.pack(down);
  }

  struct Result {
    std::vector<float> routes;  // [n][2 * kUsed]
    std::vector<float> x;       // [n][kWidth]
  };
  Result run(const std::vector<float>& norm, const std::vector<float>& in) {
    const int n = static_cast<int>(in.size()) / kWidth;
    const Experts experts{*router_, *gate_up_, *down_, kExperts, kUsed};
    const auto x = to_buffer(ops_, in), norm_buffer = to_buffer(ops_, norm);
    const auto routes = ops_.buffer(ops_.n_route_floats(experts));
    const auto h = ops_.buffer(static_cast<size_t>(n) * kUsed * kExpertFf);
    const TestBatch batch(0, n, n / kPageTokens + 1);
    ops_.begin(batch.batch());
    ops_.norm_route(norm_buffer->data, 1e-6f, experts, x->data, routes->data);
    ops_.norm_gate_up_experts(norm_buffer->data, 1e-6f, experts, routes->data, x->data, h->data);
    ops_.add_experts(experts, routes->data, h->data, x->data);
    return {{routes->data, routes->data + n * 2 * kUsed}, {x->data, x->data + n * kWidth}};
  }

 private:
  Ops& ops_;
  std::unique_ptr<Matrix> router_, gate_up_, down_;
};

using Doubles = std::vector<double>;

Doubles product(const TestMatrix& w, const Doubles& in) {
  Doubles out(static_cast<size_t>(w.n_rows));
  for (size_t row = 0; row < out.size(); row++)
    for (size_t k = 0; k < in.size(); k++)
      out[row] += double{w.weights[row * in.size() + k]} * in[k];
  return out;
}

struct Exact {
  std::vector<int> ids;  // ascending
  Doubles weights, x;
};

Exact exact(const ExpertWeights& weights, const std::vector<float>& norm, const float* in) {
  const Doubles h = test::normed(in, norm), logits = product(weights.router, h);
  Exact result{std::vector<int>(kExperts), {}, Doubles(in, in + kWidth)};
  std::iota(result.ids.begin(), result.ids.end(), 0);
  std::sort(result.ids.begin(), result.ids.end(), [&](int a, int b) {
    return logits[static_cast<size_t>(a)] > logits[static_cast<size_t>(b)];
  });
  result.ids.resize(kUsed);
  std::sort(result.ids.begin(), result.ids.end());
  double sum = 0;
  for (int id : result.ids) sum += std::exp(logits[static_cast<size_t>(id)]);
  for (int id : result.ids) {
    const size_t i = static_cast<size_t>(id);
    result.weights.push_back(std::exp(logits[i]) / sum);
    Doubles gate = product(weights.gate[i], h);
    const Doubles up = product(weights.up[i], h);
    for (size_t k = 0; k < gate.size(); k++) gate[k] = gate[k] / (1 + std::exp(-gate[k])) * up[k];
    const Doubles down = product(weights.down[i], gate);
    for (size_t k = 0; k < down.size(); k++) result.x[k] += result.weights.back() * down[k];
  }
  return result;
}

}  // namespace

TEST("experts are chosen by their logits, and ties go to the lower id") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = INFINITY;
  const auto chosen = [](std::vector<float> logits, int n_used) {
    std::vector<float> routes(2 * static_cast<size_t>(n_used));
    cpu::choose_experts(logits.data(), static_cast<int>(logits.size()), n_used, routes.data());
    return routes;
  };
  const std::vector<float> routes = chosen({1, 4, 2, 4}, 2);
  CHECK(routes == (std::vector<float>{1, 3, 0.5f, 0.5f}));
  const std::vector<float> tied = chosen({5, 5, 5, 5}, 2);
  CHECK(tied == (std::vector<float>{0, 1, 0.5f, 0.5f}));
  const std::vector<float> all = chosen({0, std::log(3.0f)}, 2);
  CHECK_NEAR(all[2], 0.25, 1e-6);
  CHECK_NEAR(all[3], 0.75, 1e-6);
  // NaN must not choose an expert twice, or one that does not exist.
  for (const std::vector<float>& logits :
       {std::vector<float>{nan, nan, nan}, {nan, 1, nan}, {-inf, -inf, nan}, {inf, inf, inf}}) {
    const std::vector<float> bad = chosen(logits, 2);
    CHECK(bad[0] >= 0 && bad[0] < bad[1] && bad[1] < 3);
  }
  CHECK(std::isnan(chosen({nan, nan, nan}, 2)[2]));
}

TEST("a token's result is the weighted sum of its experts' results") {
  for (BlockType type : {BlockType::kF32, BlockType::kQ8_0}) {
    const ExpertWeights weights(type);
    const std::vector<float> norm = random_floats(kWidth, 2, 1);
    // The error from rounding the inputs to int8; the sums are about 1.
    const double tolerance = type == BlockType::kF32 ? 2e-5 : 0.05;
    constexpr int kTokens = 40;
    const std::vector<float> all = random_floats(size_t{kTokens} * kWidth, 3);
    std::vector<Exact> expected;
    for (size_t token = 0; token < kTokens; token++)
      expected.push_back(exact(weights, norm, &all[token * kWidth]));
    for (const std::string& variant : test::tested_variants()) {
      const std::unique_ptr<Ops> ops = make_cpu_ops({variant, 2});
      Layer layer(*ops, weights);
      for (size_t n : {1, 2, kTokens}) {
        const Layer::Result result =
            layer.run(norm, {all.begin(), all.begin() + static_cast<ptrdiff_t>(n * kWidth)});
        for (size_t token = 0; token < n; token++) {
          for (size_t i = 0; i < kUsed; i++) {
            const size_t at = token * 2 * kUsed + i;
            CHECK_EQUAL(static_cast<int>(result.routes[at]), expected[token].ids[i]);
            CHECK_NEAR(result.routes[at + kUsed], expected[token].weights[i], 1e-4);
          }
          for (size_t i = 0; i < kWidth; i++)
            CHECK_NEAR(result.x[token * kWidth + i], expected[token].x[i], tolerance);
        }
      }
    }
  }
}

TEST("the experts' sum is multiplied by residual_scale") {
  const ExpertWeights weights(BlockType::kF32);
  const std::vector<float> norm = random_floats(kWidth, 2, 1), in = random_floats(kWidth, 3);
  const std::unique_ptr<Ops> ops = make_cpu_ops({"", 1});
  Layer layer(*ops, weights);
  const Layer::Result whole = layer.run(norm, in);
  ops->residual_scale = 0.25f;
  const Layer::Result quarter = layer.run(norm, in);
  for (size_t i = 0; i < kWidth; i++)
    CHECK_NEAR(quarter.x[i] - in[i], (whole.x[i] - in[i]) / 4, 1e-5);
}

TEST("a token's experts give the same bits in any batch, thread count and variant") {
  const size_t n_tokens = test::is_emulated() ? 80 : kMaxBatch;
  for (BlockType type : {BlockType::kQ8_0, BlockType::kF32}) {
    const ExpertWeights weights(type);
    const std::vector<float> norm = random_floats(kWidth, 2, 1);
    const std::vector<float> in = random_floats(n_tokens * kWidth, 3);
    std::vector<float> expected;
    for (const std::string& variant : test::tested_variants()) {
      for (int n_threads : {1, 3}) {
        const std::unique_ptr<Ops> ops = make_cpu_ops({variant, n_threads});
        Layer layer(*ops, weights);
        std::vector<size_t> batches{1, 5, 64, n_tokens};
        if (test::is_slow() && n_threads == 1) batches = {1, 64};
        if (test::is_slow() && n_threads == 3) batches = {5, n_tokens};
        if (test::is_tested_elsewhere(variant)) batches = {n_tokens};
        for (size_t batch : batches) {
          std::vector<float> results;
          for (size_t first = 0; first < n_tokens; first += batch) {
            const size_t last = std::min(n_tokens, first + batch);
            const std::vector<float> part(in.begin() + static_cast<ptrdiff_t>(first * kWidth),
                                          in.begin() + static_cast<ptrdiff_t>(last * kWidth));
            const std::vector<float> x = layer.run(norm, part).x;
            results.insert(results.end(), x.begin(), x.end());
          }
          if (expected.empty()) expected = results;
          CHECK(results.size() == expected.size() &&
                std::memcmp(results.data(), expected.data(), results.size() * sizeof(float)) == 0);
        }
      }
    }
  }
}
