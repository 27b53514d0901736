#include "self_test.h"

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace hearth::hip {
namespace {

using kernels::BlockType;

constexpr BlockType kTypes[] = {
    BlockType::kF32,  BlockType::kF16,  BlockType::kBF16, BlockType::kQ4_0,   BlockType::kQ4_1,
    BlockType::kQ5_0, BlockType::kQ5_1, BlockType::kQ8_0, BlockType::kQ2_K,   BlockType::kQ3_K,
    BlockType::kQ4_K, BlockType::kQ5_K, BlockType::kQ6_K, BlockType::kIQ4_NL, BlockType::kIQ4_XS};
constexpr int kRows = 48, kCols = 512;
constexpr int kBatches[] = {1, 3, 40};  // one kernel each

/// Bytes below 0x40: every f16 or float in them is a small positive number, in whatever field.
std::vector<std::byte> random_rows(BlockType type) {
  std::mt19937 random(1);
  std::vector<std::byte> bytes(kRows * kernels::row_bytes(type, kCols));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 0x3f);
  return bytes;
}

std::vector<float> product(kernels::Ops& ops, BlockType type, int n, std::vector<float> x) {
  const std::vector<std::byte> rows = random_rows(type);
  const kernels::MatrixSource source{type, rows.data(), kRows, kCols};
  const auto matrix = ops.pack({&source, 1});
  const auto in = ops.buffer(x.size());
  const auto out = ops.buffer(static_cast<size_t>(n) * kRows);
  ops.write(in->data, x);
  const std::vector<uint32_t> tokens(n, 0);
  std::vector<int32_t> positions, sequences(n, 0);
  for (int i = 0; i < n; i++) positions.push_back(i);
  const std::vector<int32_t> pages{0, 1};
  const std::span<const int32_t> tables[] = {pages};
  ops.begin({tokens, positions, sequences, tables});
  ops.matmul_add(*matrix, in->data, out->data);
  std::vector<float> result(static_cast<size_t>(n) * kRows);
  ops.read(result, out->data);
  return result;
}

}  // namespace

void self_test(kernels::Ops& gpu) {
  const auto cpu = kernels::make_cpu_ops({"scalar", 1});
  for (const BlockType type : kTypes) {
    for (const int n : kBatches) {
      std::vector<float> x(static_cast<size_t>(n) * kCols);
      for (size_t i = 0; i < x.size(); i++) x[i] = std::sin(static_cast<float>(i));
      const auto expected = product(*cpu, type, n, x), got = product(gpu, type, n, x);
      float greatest = 0;
      for (const float value : expected) greatest = std::max(greatest, std::fabs(value));
      // Only the order of float sums differs: far below a thousandth of the greatest value.
      for (size_t i = 0; i < got.size(); i++)
        if (!(std::fabs(got[i] - expected[i]) <= 1e-3f * greatest))
          throw std::runtime_error("the GPU computes " +
                                   std::string(kernels::block_traits(type).name) +
                                   " wrongly; run on the CPU, and update the GPU driver");
    }
  }
}

}  // namespace hearth::hip
