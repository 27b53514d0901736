// Products after a norm on the GPU. The product's kernel computes 1 / rms, differently for one
// token, a few and many; or a separate launch that quantizes does.
#include <cmath>
#include <numeric>
#include <vector>

#include "gpu_fixture.h"

using namespace hearth::kernels;
using namespace test::gpu;
using test::random_floats, test::TestBatch, test::to_buffer;

namespace {

constexpr int kNormRows = 96;
constexpr BlockType kSomeTypes[] = {BlockType::kQ8_0, BlockType::kQ4_K, BlockType::kQ6_K,
                                    BlockType::kF16};

/// The logits of the first n tokens of x.
std::vector<float> logits_of(Ops& ops, const Matrix& head, const std::vector<float>& norm,
                             const std::vector<float>& x, int n) {
  std::vector<int32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  const auto x_buffer = to_buffer(ops, x), norm_buffer = to_buffer(ops, norm);
  const auto out = ops.buffer(n * size_t{kNormRows});
  const TestBatch step(0, n, 3);
  ops.begin(step.batch());
  ops.norm_head(norm_buffer->data, 1e-6f, head, x_buffer->data, rows, out->data);
  return from_buffer(ops, *out);
}

}  // namespace

TEST("on a GPU, a token's product after a norm has the same bits in any batch") {
  // Few columns, which each thread block normalizes for itself, and more columns; not a whole
  // number of thread blocks.
  size_t turn = 0;
  for (BlockType type : kSomeTypes) {
    const bool has_blocks = block_traits(type).weights == 256;
    for (int n_cols : {has_blocks ? 512 : 544, has_blocks ? 2560 : 2144}) {
      const TestMatrix head(type, kNormRows, n_cols, 3);
      const auto x = random_floats(70 * size_t(n_cols), 1), norm = random_floats(n_cols, 2, 1);
      std::vector<float> all;
      for (int max_processors : test::sample(std::vector{INT_MAX, 1}, turn++)) {
        const auto ops = gpu_ops(max_processors);
        const auto matrix = ops->pack(std::vector{head.source()});
        for (int n : {70, 20, 7, 2, 1}) {
          const auto got = logits_of(*ops, *matrix, norm, x, n);
          if (all.empty()) all = got;
          CHECK(std::equal(got.begin(), got.end(), all.begin()));
        }
      }
    }
  }
}

TEST("a NaN or an infinity before a GPU norm reaches its token's logits, and no other's") {
  for (BlockType type : kSomeTypes) {
    const int n_cols = 512;
    const TestMatrix head(type, kNormRows, n_cols, 3);
    const auto norm = random_floats(n_cols, 2, 1);
    const auto ops = gpu_ops();
    const auto matrix = ops->pack(std::vector{head.source()});
    for (float bad : {NAN, INFINITY, -INFINITY}) {
      for (int n : {2, 5, 20}) {
        auto x = random_floats(n * size_t(n_cols), 1);
        x[n_cols + 300] = bad;
        const auto got = logits_of(*ops, *matrix, norm, x, n);
        for (int i = 0; i < n * kNormRows; i++)
          CHECK_EQUAL(std::isfinite(got[i]), i / kNormRows != 1);
      }
    }
  }
}
