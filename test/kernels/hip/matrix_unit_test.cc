// Kernels for many tokens multiply with what a GPU has for it. Dots of a group are exact, so all
// ways must give the same bits; this shows their index arithmetic, lane by lane.
#include "../ops_fixture.h"
#include "../random_blocks.h"
#include "emulation.h"
#include "gpu.h"
#include "hip/ops_hip.h"
#include "test.h"

namespace {

namespace hip = hearth::kernels::hip;
using hearth::kernels::BlockType;

constexpr int kRows = 200, kCols = 320;  // a block of tiles and a half; odd slices

std::vector<float> product(BlockType type, int n, emulation::MatrixUnit unit) {
  emulation::use_matrix_unit(unit);
  hip::DeviceChoice narrow = test::gpu_choice();
  narrow.n_processors = 1;  // few, so that this matrix has many tiles
  hip::HipOps ops(test::gpu_api(), narrow);
  const int n_cols = hearth::kernels::block_traits(type).weights == 256 ? 512 : kCols;
  const std::vector<std::byte> rows = test::random_rows(type, kRows, n_cols, 61);
  const auto matrix =
      ops.pack(std::vector{hearth::kernels::MatrixSource{type, rows.data(), kRows, n_cols}});
  const auto in = test::to_buffer(ops, test::random_floats(n * size_t(n_cols), 62));
  const auto out = ops.buffer(n * size_t(kRows));
  const test::TestBatch step(0, n, 3);
  ops.begin(step.batch());
  ops.matmul_add(*matrix, in->data, out->data);
  std::vector<float> values(out->n_floats);
  ops.read(values, out->data);
  return values;
}

}  // namespace

TEST("a prompt gets the same bits by every GPU's way to multiply matrices") {
  using emulation::MatrixUnit;
  const MatrixUnit before = emulation::matrix_unit();
  const std::vector<MatrixUnit> units =
      emulation::wave_width() == 64
          ? std::vector{MatrixUnit::kNone, MatrixUnit::kMfma}
          : std::vector{MatrixUnit::kNone, MatrixUnit::kWmma, MatrixUnit::kWmma12};
  for (BlockType type : test::kAllTypes) {
    if (hearth::kernels::block_traits(type).weights == 1) continue;  // floats are not packed
    for (int n : {20, 70}) {  // kernels for 32 tokens at a time, and for 64
      const std::vector<float> expected = product(type, n, MatrixUnit::kQuad);
      for (MatrixUnit unit : units) CHECK(product(type, n, unit) == expected);
    }
  }
  emulation::use_matrix_unit(before);
}
