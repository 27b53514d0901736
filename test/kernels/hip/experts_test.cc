// Mixtures of experts on the GPU: routes and sums equal the CPU's, and have the same bits in any
// batch.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "hip/plain.h"
#include "hip_fixture.h"

using namespace hearth::kernels;
using namespace test::gpu;
using test::random_floats, test::TestBatch, test::to_buffer;

namespace {

constexpr int kExperts = 10, kUsed = 3, kExpertCols = 256;

struct ExpertWeights {
  explicit ExpertWeights(BlockType type, int n_experts = kExperts, int cols = kExpertCols)
      : n_cols(cols),
        n_ff(block_traits(type).weights == 256 ? 256 : 96),
        router(random_floats(size_t(n_experts) * cols, 1)) {
    for (int i = 0; i < n_experts; i++) {
      matrices.emplace_back(type, n_ff, cols, 100 + i);
      matrices.emplace_back(type, n_ff, cols, 200 + i);
      matrices.emplace_back(type, cols, n_ff, 300 + i);
    }
  }
  int n_cols, n_ff;
  std::vector<float> router;
  std::vector<TestMatrix> matrices;  // gate, up and down of each expert
};

struct Result {
  std::vector<float> routes, x;
};

/// A layer's experts, run on batches of the given sizes.
Result run_experts(Ops& ops, const ExpertWeights& weights, const std::vector<int>& batches,
                   const std::vector<float>& x_all, float x_scale = 1) {
  const int n_cols = weights.n_cols;
  const int n_experts = static_cast<int>(weights.matrices.size()) / 3;
  std::vector<MatrixSource> gate_up, down;
  for (size_t i = 0; i < weights.matrices.size(); i++)
    (i % 3 < 2 ? gate_up : down).push_back(weights.matrices[i].source());
  const auto* bytes = reinterpret_cast<const std::byte*>(weights.router.data());
  const auto router =
      ops.pack(std::vector<MatrixSource>{{BlockType::kF32, bytes, n_experts, n_cols}});
  const auto packed_gate_up = ops.pack(gate_up), packed_down = ops.pack(down);
  const Experts experts{*router, *packed_gate_up, *packed_down, n_experts, kUsed};
  const auto norm = to_buffer(ops, random_floats(n_cols, 2, 1));
  Result result;
  int first = 0;
  for (const int n : batches) {
    std::vector<float> in(x_all.begin() + first * n_cols, x_all.begin() + (first + n) * n_cols);
    for (float& value : in) value *= x_scale;
    const auto x = to_buffer(ops, in);
    const auto routes = ops.buffer(ops.n_route_floats(experts));
    const auto h = ops.buffer(size_t(n) * kUsed * weights.n_ff);
    const TestBatch step(0, n, n / kPageTokens + 1);
    ops.begin(step.batch());
    ops.norm_route(norm->data, 1e-6f, experts, x->data, routes->data);
    ops.norm_gate_up_experts(norm->data, 1e-6f, experts, routes->data, x->data, h->data);
    ops.add_experts(experts, routes->data, h->data, x->data);
    const auto append = [](std::vector<float>& to, const std::vector<float>& more) {
      to.insert(to.end(), more.begin(), more.end());
    };
    std::vector<float> chosen(size_t(n) * experts.route_stride());
    ops.read(chosen, routes->data);
    append(result.routes, chosen);
    append(result.x, from_buffer(ops, *x));
    first += n;
  }
  return result;
}

}  // namespace

TEST("GPU experts give the CPU's results, for every quantized format") {
  for (BlockType type : kBlockTypes) {
    if (block_traits(type).is_float()) continue;
    const ExpertWeights weights(type);
    for (int n : {1, 3, 40}) {
      if (test::kIsSanitized && n == 40 && type != BlockType::kQ4_K) continue;
      const auto in = random_floats(size_t(n) * kExpertCols, 3);
      const auto ops = gpu_ops();
      ops->residual_scale = 0.5f;
      const auto cpu = cpu_ops();
      cpu->residual_scale = 0.5f;
      const Result expected = run_experts(*cpu, weights, {n}, in);
      const Result got = run_experts(*ops, weights, {n}, in);
      const std::string what = title(type, weights.n_ff, kExpertCols, n);
      for (size_t i = 0; i < got.routes.size(); i++)
        check_near(got.routes, expected.routes, i, i % (2 * kUsed) < kUsed ? 0 : 1e-4, what);
      double greatest = 0;
      for (size_t i = 0; i < in.size(); i++)
        greatest = std::max(greatest, std::fabs(double{expected.x[i]} - in[i]));
      for (size_t i = 0; i < got.x.size(); i++)
        check_near(got.x, expected.x, i, greatest * 0.005, what);
    }
  }
}

TEST("GPU experts add the plain sum of the chosen experts") {
  const ExpertWeights weights(BlockType::kQ8_0);
  std::vector<hip::plain::Expert> experts;
  for (size_t i = 0; i < weights.matrices.size(); i += 3)
    experts.push_back({weights.matrices[i].weights, weights.matrices[i + 1].weights,
                       weights.matrices[i + 2].weights});
  const auto in = random_floats(20 * kExpertCols, 3), norm = random_floats(kExpertCols, 2, 1);
  const Result got = run_experts(*gpu_ops(), weights, {20}, in);
  for (size_t token = 0; token < 20; token++) {
    const auto x = std::span(in).subspan(token * kExpertCols, kExpertCols);
    const auto expected =
        hip::plain::mixture(weights.router, experts, kUsed, hip::plain::normed(x, norm, 1e-6));
    double greatest = 0;
    for (const double value : expected) greatest = std::max(greatest, std::fabs(value));
    // int8 inputs: the error is about a hundredth of the greatest value.
    for (size_t i = 0; i < kExpertCols; i++)
      check_near(got.x[token * kExpertCols + i], x[i] + expected[i], greatest * 0.02, "x" + at(i));
  }
}

TEST("on a GPU, a token's experts give the same bits in any batch") {
  // Wide enough that each portion of a sum has columns; in one format, their numbers differ.
  const std::vector widths{std::pair{BlockType::kQ4_K, 1280}, {BlockType::kQ5_0, 1344}};
  for (const auto& [type, n_cols] : test::sample(widths, 1)) {
    const ExpertWeights weights(type, kExperts, n_cols);
    const auto in = random_floats(size_t(70) * n_cols, 3);
    const Result whole = run_experts(*gpu_ops(), weights, {70}, in);
    const Result cut = run_experts(*gpu_ops(), weights, {1, 2, 9, 33, 8, 17}, in);
    CHECK(whole.routes == cut.routes);
    CHECK(whole.x == cut.x);
  }
}

TEST("on a GPU, a token whose router gives NaN still gets experts that exist") {
  for (const float scale : {std::numeric_limits<float>::quiet_NaN(), 0.0f}) {
    const ExpertWeights weights(BlockType::kQ8_0);
    const auto in = random_floats(2 * kExpertCols, 3);
    const Result got = run_experts(*gpu_ops(), weights, {2}, in, scale);
    for (int token = 0; token < 2; token++) {
      const float* ids = &got.routes[size_t(token) * 2 * kUsed];
      for (int i = 0; i < kUsed; i++) CHECK_EQUAL(ids[i], static_cast<float>(i));
      CHECK(std::isnan(scale) == std::isnan(ids[kUsed]));
    }
  }
}

TEST("on a GPU, a layer may have many more experts than a token uses, or just as many") {
  for (const int n_experts : {kUsed, 40}) {
    const ExpertWeights weights(BlockType::kQ8_0, n_experts);
    const auto in = random_floats(size_t(20) * kExpertCols, 3);
    const Result expected = run_experts(*cpu_ops(), weights, {20}, in);
    const Result got = run_experts(*gpu_ops(), weights, {20}, in);
    double greatest = 0;
    for (const float value : expected.x) greatest = std::max(greatest, std::fabs(double{value}));
    for (size_t i = 0; i < got.x.size(); i++)
      check_near(got.x, expected.x, i, greatest * 0.005, "x");
  }
}
