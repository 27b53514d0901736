// An adapter's part of a product on the CPU, compared with its definition in double precision.
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "cpu_variants.h"
#include "ops.h"
#include "ops_fixture.h"
#include "test.h"
#include "test_adapter.h"

using namespace hearth::kernels;
using test::pack, test::random_floats, test::random_matrix, test::TestAdapter, test::TestBatch,
    test::TestMatrix, test::to_buffer;

namespace {

constexpr int kRows = 112, kCols = 1056;

std::vector<float> inputs(int n) { return random_floats(static_cast<size_t>(n * kCols), 7); }

/// x + w in, plus the adapter's part, if there is one.
std::vector<float> added(Ops& ops, const TestMatrix& w, const TestAdapter* adapter, int n) {
  const auto matrix = pack(ops, {&w});
  const auto low_rank = adapter ? adapter->pack(ops) : nullptr;
  const auto in = to_buffer(ops, inputs(n));
  const auto x = to_buffer(ops, random_floats(static_cast<size_t>(n * kRows), 5));
  const TestBatch step(0, n, 8);
  ops.begin(step.batch());
  ops.matmul_add({*matrix, low_rank.get()}, in->data, x->data);
  std::vector<float> sums(x->n_floats);
  ops.read(sums, x->data);
  return sums;
}

double squared(std::span<const float> values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

/// [n][kRows]: scale * b (a in).
std::vector<double> exact_part(const LowRankSource& source, int n) {
  const std::vector<float> in = inputs(n);
  std::vector<double> part(static_cast<size_t>(n * kRows));
  for (int token = 0; token < n; token++) {
    for (int i = 0; i < source.rank; i++) {
      double lowered = 0;
      for (int k = 0; k < kCols; k++)
        lowered += double{source.a[static_cast<size_t>(i * kCols + k)]} *
                   in[static_cast<size_t>(token * kCols + k)];
      for (int row = 0; row < source.n_rows; row++)
        part[static_cast<size_t>(token * kRows + source.first_row + row)] +=
            double{source.scale} * source.b[static_cast<size_t>(row * source.rank + i)] * lowered;
    }
  }
  return part;
}

/// The average energy of scale * b (a in), for inputs as large as this one and unrelated to a: each
/// a . in is 1 / kCols of |a|^2 |in|^2. With few ranks and tokens, this input's energy may happen
/// to be much smaller, but its rounding errors are not.
double usual_energy(const LowRankSource& source, int n) {
  const double in = squared(inputs(n));
  double energy = 0;
  for (int i = 0; i < source.rank; i++) {
    double b = 0;
    for (int row = 0; row < source.n_rows; row++)
      b += std::pow(source.b[static_cast<size_t>(row * source.rank + i)], 2);
    energy += b * squared(source.a.subspan(static_cast<size_t>(i * kCols), kCols));
  }
  return std::pow(source.scale, 2) * energy * in / kCols;
}

/// The energy of the error in the adapter's part, as a fraction of the usual energy.
double error(Ops& ops, const TestMatrix& w, const TestAdapter& adapter, int n) {
  const std::vector<float> with = added(ops, w, &adapter, n), without = added(ops, w, nullptr, n);
  const std::vector<double> part = exact_part(adapter.sources().front(), n);
  double wrong = 0;
  for (size_t i = 0; i < part.size(); i++)
    wrong += std::pow(double{with[i]} - without[i] - part[i], 2);
  return wrong / usual_energy(adapter.sources().front(), n);
}

// The average energy of rounding errors. For float weights, a and b are rounded to halves, with
// errors of up to 2^-12. For int8 weights, in, a, a in and b are rounded to steps of 1/127 of the
// greatest of 32 values, which is at most three times their deviation; the error's energy is 1/12
// of the step's square.
constexpr double kHalves = 2 * 0x1p-24, kBytes = 4 * (3.0 / 127) * (3.0 / 127) / 12;
/// For one rank and one token, all errors are multiples of a single normally distributed number,
/// which may be as large as three standard deviations.
constexpr double kOutlier = 3 * 3;

}  // namespace

TEST("an adapter adds scale * b (a h), for any rank, batch and variant") {
  const TestMatrix floats = random_matrix(BlockType::kF32, kRows, kCols, 3),
                   bytes = random_matrix(BlockType::kQ8_0, kRows, kCols, 3);
  for (const std::string& variant : test::tested_variants()) {
    for (const int rank : {1, 16, 40, 256}) {
      for (const int n : {1, 5, 13, 40}) {
        if (test::is_slow() && rank * n > 208) continue;
        const auto ops = make_cpu_ops({variant, 2});
        const TestAdapter halves({{0, kRows, rank}}, kCols),
            rounded({{0, kRows, rank, true}}, kCols);
        CHECK(error(*ops, floats, halves, n) < kOutlier * kHalves);
        CHECK(error(*ops, bytes, rounded, n) < kOutlier * kBytes);
      }
    }
  }
}

TEST("an adapter's matrix with an impossible size is not packed") {
  const auto ops = make_cpu_ops({"", 1});
  const std::vector<float> values(8 * 64);
  const auto pack_source = [&](const LowRankSource& source) {
    ops->pack_low_rank(64, std::vector{source});
  };
  const LowRankSource sources[] = {
      {8, 16, 1, 1, std::span(values).first(64), std::span(values).first(16)},
      {0, 24, 1, 1, std::span(values).first(64), std::span(values).first(24)},
      {0, 16, 0, 1, {}, {}},
      {0, 16, 1, 1, std::span(values).first(32), std::span(values).first(16)},
      {0, 16, 1, 1, std::span(values).first(64), std::span(values).first(15)},
  };
  for (const LowRankSource& source : sources)
    CHECK_THROWS(pack_source(source), "a size that is impossible");
}
