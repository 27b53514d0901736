// tile-instructions.mjs counts the instructions of this program: `tile_instructions VARIANT TYPE
// TOKENS TIMES` multiplies one row tile with 1024 columns by TOKENS tokens, TIMES times.
#include <cstdlib>

#include "../../test/kernels/matmul_fixture.h"
#include "../../test/kernels/random_blocks.h"

int main(int argc, char** argv) {
  constexpr int kColumns = 1024;
  if (argc != 5) return 2;
  const int n = std::atoi(argv[3]), times = std::atoi(argv[4]);
  for (const test::cpu::RowKernels* kernels : test::usable_row_kernels()) {
    for (const test::BlockType type : hearth::kernels::kBlockTypes) {
      if (kernels->name != std::string(argv[1]) ||
          hearth::kernels::block_traits(type).name != std::string(argv[2]))
        continue;
      const std::vector<std::byte> rows =
          test::random_rows(type, test::cpu::kTileRows, kColumns, 1);
      const test::Packed w(type, rows, test::cpu::kTileRows, kColumns);
      test::ActivationBuffers buffers(type, n, kColumns);
      const std::vector<float> x = test::random_tokens(1, kColumns, 2);
      for (int token = 0; token < n; token++)
        kernels->quantize_tokens(x.data(), token, 1, buffers.formats, buffers.activations);
      test::Bytes out(sizeof(float) * static_cast<size_t>(n * test::cpu::kTileRows));
      for (int i = 0; i < times; i++)
        kernels->matmul(w.part, buffers.activations, 0, 1, out.as<float>(), test::cpu::kTileRows);
      return 0;
    }
  }
  return 2;
}
