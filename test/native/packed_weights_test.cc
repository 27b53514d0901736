// Packs the weights of a real file, quantized by another program, and unpacks them again.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <set>

#include "cpu/pack.h"
#include "cpu/row_kernels.h"
#include "gguf/gguf.h"
#include "ops.h"
#include "test.h"

namespace {

namespace cpu = hearth::kernels::cpu;
using hearth::kernels::BlockType;

struct Free {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};

void check_first_tile(const hearth::GgufTensor& tensor) {
  const int n_cols = static_cast<int>(tensor.shape[0]);
  const int n_rows = static_cast<int>(std::min<uint64_t>(tensor.shape[1], cpu::kTileRows));
  const std::unique_ptr<std::byte[], Free> tile(
      new (std::align_val_t{64}) std::byte[cpu::tile_bytes(tensor.type, n_cols)]);
  cpu::pack_tile(tensor.type, tensor.data.data(), n_rows, n_cols, tile.get());
  const size_t n = static_cast<size_t>(n_cols);
  std::vector<float> expected(n), actual(n);
  for (int row = 0; row < n_rows; row++) {
    hearth::kernels::dequantize_row(
        tensor.type,
        tensor.data.data() +
            static_cast<size_t>(row) * hearth::kernels::row_bytes(tensor.type, n_cols),
        expected.data(), n_cols);
    cpu::unpack_row(tensor.type, tile.get(), row, n_cols, actual.data());
    CHECK(std::memcmp(expected.data(), actual.data(), n * sizeof(float)) == 0);
    CHECK(std::any_of(actual.begin(), actual.end(), [](float w) { return w != 0; }));
  }
}

TEST("packing and unpacking every tensor type of a real file changes no bit") {
  const auto file = hearth::GgufFile::open(HEARTH_FIXTURES "/reference/tiny-mixed.gguf");
  std::set<BlockType> seen;
  for (const hearth::GgufTensor& tensor : file.tensors()) {
    if (tensor.shape.size() != 2) continue;
    check_first_tile(tensor);
    seen.insert(tensor.type);
  }
  CHECK_EQUAL(seen.size(), size_t{15});
}

}  // namespace
