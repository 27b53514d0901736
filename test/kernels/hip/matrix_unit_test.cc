// GEMM kernels use the GPU's matrix instructions. The dot products of a group are exact, so all
// kinds of fragments must give the same bits. This tests their index arithmetic, lane by lane.
#include "../ops_fixture.h"
#include "../random_blocks.h"
#include "emulation.h"
#include "gpu.h"
#include "hip/ops_hip.h"
#include "test.h"

namespace {

namespace hip = hearth::kernels::hip;
using hearth::kernels::BlockType;

constexpr int kMatrixRows = 200, kMatrixCols = 320;  // one and a half blocks of tiles; odd slices

/// The product for n tokens on a GPU with n_processors. With few processors, the matrix has many
/// tiles for each.
std::vector<float> product(BlockType type, int n_cols, int n, emulation::MatrixUnit unit,
                           int n_processors = 1) {
  emulation::use_matrix_unit(unit);
  hip::DeviceChoice choice = test::gpu_choice();
  choice.n_processors = n_processors;
  hip::HipOps ops(test::gpu_api(), choice);
  const std::vector<std::byte> rows = test::random_rows(type, kMatrixRows, n_cols, 61);
  const auto matrix =
      ops.pack(std::vector{hearth::kernels::MatrixSource{type, rows.data(), kMatrixRows, n_cols}});
  const auto in = test::to_buffer(ops, test::random_floats(n * size_t(n_cols), 62));
  const auto out = ops.buffer(n * size_t(kMatrixRows));
  const test::TestBatch step(0, n, 3);
  ops.begin(step.batch());
  ops.matmul_add(*matrix, in->data, out->data);
  std::vector<float> values(out->n_floats);
  ops.read(values, out->data);
  return values;
}

/// All kinds of fragments but the one for today's NVIDIA GPUs.
std::vector<emulation::MatrixUnit> units() {
  using emulation::MatrixUnit;
  return {MatrixUnit::kNone, MatrixUnit::kQuadInRegisters, MatrixUnit::kWmma, MatrixUnit::kWmma12};
}

}  // namespace

TEST("a prompt has the same bits with every GPU's matrix instructions") {
  using emulation::MatrixUnit;
  const MatrixUnit before = emulation::matrix_unit();
  size_t turn = 0;
  for (BlockType type : hearth::kernels::kBlockTypes) {
    if (hearth::kernels::block_traits(type).weights == 1) continue;  // floats are not packed
    const int n_cols = hearth::kernels::block_traits(type).weights == 256 ? 512 : kMatrixCols;
    for (int n : {20, 70}) {  // kernels for 32 tokens at a time, and for 64
      const std::vector<float> expected = product(type, n_cols, n, MatrixUnit::kQuad);
      for (MatrixUnit unit : test::sample(units(), turn++))
        CHECK(product(type, n_cols, n, unit) == expected);
    }
  }
  emulation::use_matrix_unit(before);
}

TEST("a prompt has the same bits however a block's lanes divide the rows") {
  using emulation::MatrixUnit;
  const MatrixUnit before = emulation::matrix_unit();
  constexpr int kTokens = 70, kLongRows = 2048;  // rows with eight quads of slices
  size_t turn = 0;
  for (BlockType type : test::sample(std::vector{BlockType::kQ8_0, BlockType::kQ4_K}, 0)) {
    const auto expected = product(type, kLongRows, kTokens, MatrixUnit::kQuad);
    for (int n_processors : {4, 64}) {  // blocks of 64 and of 32 tokens
      CHECK(product(type, kLongRows, kTokens, MatrixUnit::kQuad, n_processors) == expected);
      for (MatrixUnit unit : test::sample(units(), turn++))
        CHECK(product(type, kLongRows, kTokens, unit, n_processors) == expected);
    }
  }
  emulation::use_matrix_unit(before);
}
