// In types with blocks of 256 columns, the sum over a block is an integer, as on the CPU. So the
// GPU must give the same bits.
#include <vector>

#include "hip_fixture.h"

using namespace hearth::kernels;
using namespace test::gpu;
using test::random_floats, test::TestBatch, test::to_buffer;

TEST("a block of 256 columns has the CPU's bits on the GPU") {
  for (BlockType type : hearth::kernels::kBlockTypes) {
    if (block_traits(type).weights != 256) continue;
    const TestMatrix w(type, 50, 256, 3);
    for (int n : {1, 3, 20, 40}) {
      const auto in = random_floats(n * size_t{256}, n);
      std::vector<float> results[2];
      for (int k = 0; k < 2; k++) {
        const std::unique_ptr<Ops> ops = k ? cpu_ops() : gpu_ops();
        const auto matrix = ops->pack(std::vector{w.source()});
        const auto in_buffer = to_buffer(*ops, in);
        const auto x = to_buffer(*ops, std::vector<float>(n * size_t{50}));
        const TestBatch step(0, n, 2);
        ops->begin(step.batch());
        ops->matmul_add(*matrix, in_buffer->data, x->data);
        results[k] = from_buffer(*ops, *x);
      }
      CHECK(results[0] == results[1]);
    }
  }
}
