// The common part of all GPU backends' tests: matrices with random weights, and bounds for the
// difference between a GPU's and the CPU's results. Both quantize in the same way, so results
// differ only by the order of float sums and, after a norm, by int8 steps at rounding ties. The
// bounds follow from that; none is tuned.
#pragma once

#include <algorithm>
#include <climits>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "../ops_fixture.h"
#include "../random_blocks.h"
#include "ops.h"
#include "test.h"

namespace test::gpu {

namespace kernels = hearth::kernels;

struct TestMatrix {
  TestMatrix(kernels::BlockType type, int n_rows, int n_cols, uint32_t seed)
      : type(type),
        n_rows(n_rows),
        n_cols(n_cols),
        bytes(random_rows(type, n_rows, n_cols, seed)),
        weights(static_cast<size_t>(n_rows) * n_cols) {
    for (int row = 0; row < n_rows; row++)
      kernels::dequantize_row(type, &bytes[row * kernels::row_bytes(type, n_cols)],
                              &weights[row * size_t(n_cols)], n_cols);
  }
  kernels::MatrixSource source() const { return {type, bytes.data(), n_rows, n_cols}; }
  bool is_float() const { return kernels::block_traits(type).weights == 1; }
  kernels::BlockType type;
  int n_rows, n_cols;
  std::vector<std::byte> bytes;
  std::vector<float> weights;
};

/// The ops on the program's GPU. With max_processors, the GPU pretends to have fewer processors,
/// and backends that ask for their number divide work into larger thread blocks.
std::unique_ptr<kernels::Ops> gpu_ops(int max_processors = INT_MAX);
inline std::unique_ptr<kernels::Ops> cpu_ops() { return kernels::make_cpu_ops({"scalar", 1}); }

/// The greatest difference between two correct products of row w and x. has_steps: whether x went
/// through a norm first.
inline double product_bound(const TestMatrix& w, int row, const float* x, bool has_steps) {
  const bool has_blocks = kernels::block_traits(w.type).weights == 256;
  const int n_scale = has_blocks ? 256 : 32;  // columns that share a scale
  double sum = 0, steps = 0;
  for (int group = 0; group < w.n_cols; group += n_scale) {
    double greatest = 0;
    for (int k = group; k < group + n_scale; k++)
      greatest = std::max(greatest, std::fabs(double{x[k]}));
    for (int k = group; k < group + n_scale; k++) {
      const double weight = std::fabs(w.weights[row * size_t(w.n_cols) + k]);
      sum += weight * greatest;
      const double quotient = greatest > 0 ? std::fabs(x[k]) / greatest * 127 : 0;
      const double to_tie = std::fabs(quotient - std::floor(quotient) - 0.5);
      if (has_steps && to_tie < 1e-3) steps += weight * greatest / 127;
    }
  }
  if (w.is_float()) steps = 0;
  // The sum of a block of 256 is equal on both, unless a norm has moved its scale by a few
  // roundings. Results differ by the order in which blocks, and then slices, are added.
  if (has_blocks) return steps + sum * (w.n_cols / 256 + 8 + 8 * has_steps) * 0x1p-23 + 1e-30;
  // Minima and offsets cancel within a group: sixteen times the group's sum bounds their part.
  return steps + 16 * sum * (w.n_cols / 32 + 32) * 0x1p-24 + 1e-30;
}

inline std::vector<float> normed(const float* x, const std::vector<float>& norm) {
  double squares = 0;
  for (size_t i = 0; i < norm.size(); i++) squares += double{x[i]} * x[i];
  const double rms = std::sqrt(squares / norm.size() + 1e-6);
  std::vector<float> out;
  for (size_t i = 0; i < norm.size(); i++) out.push_back(float(x[i] / rms * norm[i]));
  return out;
}

inline std::vector<float> from_buffer(kernels::Ops& ops, const kernels::Buffer& buffer) {
  std::vector<float> values(buffer.n_floats);
  ops.read(values, buffer.data);
  return values;
}

inline void check_near(double got, double expected, double bound, const std::string& what) {
  if (std::fabs(got - expected) <= bound) return;
  fail(__FILE__, __LINE__,
       what + ": " + std::to_string(got) + ", CPU " + std::to_string(expected) + ", bound " +
           std::to_string(bound));
}

inline std::string at(size_t i) { return " [" + std::to_string(i) + "]"; }

inline void check_near(const std::vector<float>& got, const std::vector<float>& expected, size_t i,
                       double bound, const std::string& what) {
  if (std::fabs(double{got.at(i)} - expected.at(i)) <= bound) return;
  check_near(got[i], expected[i], bound, what + at(i));
}

inline void check_all_near(const std::vector<float>& got, const std::vector<float>& expected,
                           double bound, const std::string& what) {
  for (size_t i = 0; i < got.size(); i++) check_near(got, expected, i, bound, what);
}

inline double greatest_of(const std::vector<float>& values) {
  double greatest = 0;
  for (const float value : values) greatest = std::max(greatest, std::fabs(double{value}));
  return greatest;
}

inline std::string title(kernels::BlockType type, int n_rows, int n_cols, int n) {
  return std::string(kernels::block_traits(type).name) + " " + std::to_string(n_rows) + "x" +
         std::to_string(n_cols) + " n=" + std::to_string(n);
}

}  // namespace test::gpu
