#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "cpu_variants.h"
#include "test.h"

using hearth::kernels::RangeArgmax, hearth::kernels::cpu::RowKernels;
namespace cpu = hearth::kernels::cpu;

namespace {

constexpr double kUnit = 0x1p-24;  // the rounding of a float

/// n floats at an address that is 4 more than a multiple of 8, with guards on both sides.
class Row {
 public:
  explicit Row(int n, float value = 0)
      : floats_(static_cast<size_t>(n) + 34, kGuard), n_(static_cast<size_t>(n)) {
    for (size_t i = 0; i < n_; i++) data()[i] = value;
  }
  float* data() { return floats_.data() + 17; }
  float& operator[](int i) { return data()[i]; }
  bool guards_hold() const {
    for (size_t i = 0; i < 17; i++) {
      if (floats_[i] != kGuard || floats_[17 + n_ + i] != kGuard) return false;
    }
    return true;
  }

 private:
  static constexpr float kGuard = -777.25f;
  std::vector<float> floats_;
  size_t n_;
};

Row random_row(int n, float spread, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, spread);
  Row row(n);
  for (int i = 0; i < n; i++) row[i] = normal(random);
  return row;
}

/// Every length up to 70, so that every number of remaining lanes occurs, and lengths from models.
template <typename Check>
void for_variants_and_lengths(const Check& check) {
  for (const RowKernels* kernels : test::usable_row_kernels()) {
    for (int n = 1; n <= 70; n++) check(*kernels, n);
    for (int n : {896, 1536, 3584, 18944}) check(*kernels, n);
  }
}

}  // namespace

TEST("rmsnorm divides by the root of the mean square, and scales") {
  for_variants_and_lengths([](const RowKernels& kernels, int n) {
    Row x = random_row(n, 3, 1), norm = random_row(n, 1, 2), out(n);
    kernels.rmsnorm(x.data(), norm.data(), 1e-6f, n, out.data());
    double squares = 0;
    for (int i = 0; i < n; i++) squares += double{x[i]} * x[i];
    const double rms = std::sqrt(squares / n + 1e-6f);
    for (int i = 0; i < n; i++) {
      const double expected = x[i] / rms * norm[i];
      // The mean has at most n / 64 + 10 roundings; the root halves their effect.
      CHECK_NEAR(out[i], expected, std::fabs(expected) * (n / 128.0 + 10) * kUnit);
    }
    CHECK(out.guards_hold());
  });
}

TEST("rmsnorm of a row with a NaN is NaN everywhere") {
  for_variants_and_lengths([](const RowKernels& kernels, int n) {
    Row x = random_row(n, 1, 3), norm(n, 1.0f), out(n);
    x[n / 2] = test::kNan;
    kernels.rmsnorm(x.data(), norm.data(), 1e-6f, n, out.data());
    for (int i = 0; i < n; i++) CHECK(std::isnan(out[i]));
  });
}

TEST("rope rotates pairs of values that are half a head apart") {
  for (const RowKernels* kernels : test::usable_row_kernels()) {
    for (int dim = 16; dim <= 256; dim += 16) {
      const int half = dim / 2;
      Row head = random_row(dim, 2, 4), cos_sin(dim);
      for (int i = 0; i < half; i++) {
        cos_sin[i] = std::cos(0.37f * static_cast<float>(i));
        cos_sin[half + i] = std::sin(0.37f * static_cast<float>(i));
      }
      Row turned = head;
      kernels->rope(turned.data(), cos_sin.data(), dim);
      for (int i = 0; i < half; i++) {
        const double a = head[i], b = head[half + i], c = cos_sin[i], s = cos_sin[half + i];
        const double tolerance = 2 * kUnit * (std::fabs(a) + std::fabs(b));
        CHECK_NEAR(turned[i], a * c - b * s, tolerance);
        CHECK_NEAR(turned[half + i], b * c + a * s, tolerance);
      }
      CHECK(turned.guards_hold());
    }
  }
}

TEST("silu_mul multiplies up by gate times its sigmoid") {
  for_variants_and_lengths([](const RowKernels& kernels, int n) {
    Row gate = random_row(n, 20, 5), up = random_row(n, 3, 6), h(n);
    kernels.silu_mul(gate.data(), up.data(), n, h.data());
    for (int i = 0; i < n; i++) {
      const double expected = gate[i] / (1 + std::exp(-double{gate[i]})) * up[i];
      // e^-g and 1 + e^-g have at most 4 roundings; a division and a product follow. Where e^-g
      // overflows float, silu is below 1e-36 and the result is 0.
      CHECK_NEAR(h[i], expected, std::fabs(expected) * 6 * kUnit + 1e-36 * std::fabs(up[i]));
    }
    CHECK(h.guards_hold());
  });
}

TEST("silu_mul handles very large floats, and NaN gives NaN") {
  for (const RowKernels* kernels : test::usable_row_kernels()) {
    Row gate(5), up(5, 2.0f), h(5);
    const float gates[] = {1e30f, -1e30f, -90.0f, 0.0f, test::kNan};
    for (int i = 0; i < 5; i++) gate[i] = gates[i];
    kernels->silu_mul(gate.data(), up.data(), 5, h.data());
    CHECK_EQUAL(h[0], 2e30f);
    CHECK_EQUAL(h[1], 0.0f);
    CHECK_NEAR(h[2], 0.0f, 1e-35f);
    CHECK_EQUAL(h[3], 0.0f);
    CHECK(std::isnan(h[4]));
  }
}

TEST("add() adds, and writes nothing past the row") {
  for_variants_and_lengths([](const RowKernels& kernels, int n) {
    Row x = random_row(n, 1, 7), y = random_row(n, 1, 8), sum = x;
    kernels.add(sum.data(), y.data(), n);
    for (int i = 0; i < n; i++) CHECK_EQUAL(sum[i], x[i] + y[i]);
    CHECK(sum.guards_hold());
  });
}

TEST("argmax finds the greatest value, and the lowest index among equals") {
  for_variants_and_lengths([](const RowKernels& kernels, int n) {
    const Row x = random_row(n, 5, 11);
    for (int place : {0, n / 3, n - 1}) {
      Row y = x;
      y[place] = y[n - 1] = 100;
      const RangeArgmax part = kernels.argmax(y.data(), n);
      CHECK_EQUAL(part.id, static_cast<uint32_t>(place));
      CHECK_EQUAL(part.best, 100.0f);
      CHECK(part.finite);
    }
    Row equal(n, -3.0f);
    const RangeArgmax part = kernels.argmax(equal.data(), n);
    CHECK_EQUAL(part.id, 0u);
    CHECK_EQUAL(part.sum, static_cast<float>(n));
  });
}

TEST("argmax sums up exp(logit - greatest), in whatever order the logits are") {
  for_variants_and_lengths([](const RowKernels& kernels, int n) {
    Row rising = random_row(n, 8, 14);
    std::sort(rising.data(), rising.data() + n);
    Row falling = rising;
    std::reverse(falling.data(), falling.data() + n);
    for (float shift : {0.0f, 1000.0f, -1e4f}) {
      for (const Row& row : {random_row(n, 8, 14), rising, falling}) {
        Row x = row;
        for (int i = 0; i < n; i++) x[i] += shift;
        const double best = *std::max_element(x.data(), x.data() + n);
        double sum = 0;
        for (int i = 0; i < n; i++) sum += std::exp(x[i] - best);
        // Each exp has an error of at most 2 roundings. A lane adds up n / 16 of them, and its sum
        // is rescaled n / 1024 times.
        CHECK_NEAR(kernels.argmax(x.data(), n).sum, sum, sum * (n / 16.0 + n / 256.0 + 16) * kUnit);
      }
    }
  });
}

TEST("argmax reports NaN and Inf at any index, and its id is always inside the row") {
  for_variants_and_lengths([](const RowKernels& kernels, int n) {
    if (n > 70) return;
    for (float bad : {test::kNan, test::kInf, -test::kInf}) {
      for (int place = 0; place < n; place++) {
        Row x = random_row(n, 1, 12);
        x[place] = bad;
        const RangeArgmax part = kernels.argmax(x.data(), n);
        CHECK(!part.finite);
        CHECK(part.id < static_cast<uint32_t>(n));
      }
      Row all(n, bad);
      const RangeArgmax part = kernels.argmax(all.data(), n);
      CHECK(!part.finite);
      CHECK(part.id < static_cast<uint32_t>(n));
    }
  });
}
