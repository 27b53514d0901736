// Matrices with so many rows that products.cc divides their products differently.
#include <algorithm>
#include <memory>
#include <vector>

#include "../gpu/gpu_fixture.h"

using namespace hearth::kernels;
using namespace test::gpu;
using test::random_floats, test::TestBatch, test::to_buffer;

namespace {

constexpr int kRows = 4160, kCols = 512;

/// Returns the product y [n][kRows], which matmul_add() adds to zeros.
std::vector<float> multiply(Ops& ops, const TestMatrix& w, const std::vector<float>& x, int n) {
  const auto matrix = ops.pack(std::vector{w.source()});
  const auto input = to_buffer(ops, std::vector(x.begin(), x.begin() + n * size_t{kCols}));
  const auto y = to_buffer(ops, std::vector<float>(n * size_t{kRows}));
  const TestBatch batch(0, n, 1);
  ops.begin(batch.batch());
  ops.matmul_add(*matrix, input->data, y->data);
  return from_buffer(ops, *y);
}

}  // namespace

TEST("the product with a matrix of many rows equals the CPU's, with the same bits in any batch") {
  const std::vector<float> x = random_floats(70 * size_t{kCols}, 5);
  for (const BlockType type : {BlockType::kQ4_K, BlockType::kQ6_K, BlockType::kQ8_0}) {
    const TestMatrix w(type, kRows, kCols, 3);
    const auto ops = gpu_ops();
    const std::vector<float> all = multiply(*ops, w, x, 70);
    for (const int n : {1, 3, 8, 40}) {
      const std::vector<float> some = multiply(*ops, w, x, n);
      CHECK(std::equal(some.begin(), some.end(), all.begin()));
    }
    const auto cpu = cpu_ops();
    const std::vector<float> expected = multiply(*cpu, w, x, 2);
    for (size_t i = 0; i < expected.size(); i += 7)
      check_near(all, expected, i, product_bound(w, int(i % kRows), &x[i / kRows * kCols], false),
                 title(type, kRows, kCols, 70));
  }
}
