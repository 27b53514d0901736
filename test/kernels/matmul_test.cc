// Tests packing and matmul for every block type in every variant that this machine runs. Compares
// the results with sums in double precision over the same quantized activations, with other
// variants bit for bit, and with other ways to batch and split the work, also bit for bit.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cpu/packed_layout.h"
#include "cpu/row_kernels.h"
#include "file_blocks.h"
#include "matmul_fixture.h"
#include "random_blocks.h"
#include "test.h"

namespace {

using hearth::kernels::block_traits;
using hearth::kernels::dequantize_row;
using hearth::kernels::row_bytes;
using hearth::kernels::cpu::kBlock;
using test::BlockType, test::Packed, test::random_tokens, test::run, test::same_bits;
namespace cpu = hearth::kernels::cpu;

// --- the reference ---

/// A token's values after quantization: q * scale. n_together columns share a scale: 32 or 256.
std::vector<double> quantized(const float* x, int n_cols, int n_together) {
  std::vector<double> out;
  for (int first = 0; first < n_cols; first += n_together) {
    float amax = 0;
    for (int i = first; i < first + n_together; i++) amax = std::max(amax, std::fabs(x[i]));
    const double scale = amax / 127.0f;
    for (int i = first; i < first + n_together; i++) {
      const double q = amax > 0 ? std::nearbyint(x[i] * (127.0f / amax)) : 0;
      out.push_back(q * scale);
    }
  }
  return out;
}

struct Sum {
  double value = 0;
  double magnitude =
      0;  // of all terms and, separately, of minima; rounding errors are relative to it
};

int columns_of_a_scale(BlockType type) {
  return cpu::layout_of(type).has_block_scale ? kBlock : cpu::kGroup;
}

Sum reference(BlockType type, const std::byte* row, const float* x, int n_cols) {
  std::vector<float> w(static_cast<size_t>(n_cols));
  dequantize_row(type, row, w.data(), n_cols);
  const bool is_float = hearth::kernels::is_float(type);
  const std::vector<double> a = is_float ? std::vector<double>(x, x + n_cols)
                                         : quantized(x, n_cols, columns_of_a_scale(type));
  Sum sum;
  hearth::kernels::FileGroup group;
  for (size_t i = 0; i < a.size(); i++) {
    sum.value += w[i] * a[i];
    double minimum = 0;
    if (!is_float && cpu::layout_of(type).has_min) {
      if (i % 32 == 0) hearth::kernels::read_group(type, row, static_cast<int>(i / 32), group);
      minimum = std::fabs(cpu::f16_to_f32(group.dmin) * group.minima[i % 32 / 16]);
    }
    sum.magnitude += (std::fabs(w[i]) + 2 * minimum) * std::fabs(a[i]);
  }
  return sum;
}

/// The maximum number of relative rounding errors in a term of the sum, each 2^-24. With a scale
/// every 32 columns, these are: the group's scale, the product, the fma and the minimum's fma, then
/// two fma per group. With a scale every 256 columns: the sum's conversion, its product with d, the
/// minimum's fma, and two in dequantize_row, with which we compare, then one fma per block. With
/// float weights: 32 in a chain of fma, one when it is added, then one addition per 32 columns.
double tolerance(BlockType type, int n_cols) {
  const double roundings = hearth::kernels::is_float(type)      ? 33 + n_cols / 32
                           : columns_of_a_scale(type) == kBlock ? 5 + n_cols / kBlock
                                                                : 4 + n_cols / 16;
  return roundings * 0x1p-24;
}

/// The product of a matrix and tokens [n][n_cols], which every variant must compute.
class Expected {
 public:
  Expected(BlockType type, const std::vector<std::byte>& rows, int n_rows, int n_cols,
           const std::vector<float>& x)
      : n_rows_(static_cast<size_t>(n_rows)), tolerance_(tolerance(type, n_cols)) {
    const size_t columns = static_cast<size_t>(n_cols);
    for (size_t token = 0; token < x.size() / columns; token++) {
      for (size_t row = 0; row < n_rows_; row++) {
        sums_.push_back(reference(type, rows.data() + row * row_bytes(type, n_cols),
                                  x.data() + token * columns, n_cols));
      }
    }
  }

  /// Checks out, which has the results for the first n tokens.
  void check(const std::vector<float>& out, int n) const {
    const size_t stride = (n_rows_ + 15) / 16 * 16;
    for (size_t token = 0; token < static_cast<size_t>(n); token++) {
      for (size_t row = 0; row < stride; row++) {
        const float actual = out[token * stride + row];
        if (row >= n_rows_) {
          CHECK_EQUAL(actual, 0.0f);
          continue;
        }
        const Sum& sum = sums_[token * n_rows_ + row];
        CHECK_NEAR(actual, sum.value, tolerance_ * sum.magnitude + 1e-30);
      }
    }
  }

 private:
  size_t n_rows_;
  double tolerance_;
  std::vector<Sum> sums_;
};

/// The widths to test for a type: odd numbers of groups or blocks, and more columns than a panel
/// has.
std::vector<int> widths(BlockType type) {
  if (block_traits(type).weights == 256) return {256, 1280};
  return {96, 448, 1056};
}

// --- tests ---

TEST("a packed row is unpacked to the bits of dequantize_row") {
  for (const BlockType type : hearth::kernels::kBlockTypes) {
    for (const int n_cols : widths(type)) {
      constexpr int kRows = 21;
      const std::vector<std::byte> rows = test::random_rows(type, kRows, n_cols, 3);
      const Packed w(type, rows, kRows, n_cols);
      const size_t n = static_cast<size_t>(n_cols);
      std::vector<float> expected(n), actual(n);
      for (int row = 0; row < kRows; row++) {
        dequantize_row(type, rows.data() + static_cast<size_t>(row) * row_bytes(type, n_cols),
                       expected.data(), n_cols);
        cpu::unpack_row(type, w.part.data + static_cast<size_t>(row / 16) * w.part.tile_bytes,
                        row % 16, n_cols, actual.data());
        CHECK(same_bits(expected.data(), actual.data(), n));
      }
    }
  }
}

TEST("packed weights fill whole cache lines and are at most 15 percent larger than in the file") {
  for (const BlockType type : hearth::kernels::kBlockTypes) {
    const size_t packed = cpu::tile_bytes(type, 1536);
    CHECK_EQUAL(packed % 64, size_t{0});
    CHECK(static_cast<double>(packed) <= 1.15 * 16 * static_cast<double>(row_bytes(type, 1536)));
  }
}

TEST("the product of every type in every variant agrees with double precision") {
  constexpr int kRows = 37;
  for (const BlockType type : hearth::kernels::kBlockTypes) {
    for (const int n_cols : widths(type)) {
      const std::vector<std::byte> rows = test::random_rows(type, kRows, n_cols, 11);
      const std::vector<float> x = random_tokens(25, n_cols, 5);
      const Expected expected(type, rows, kRows, n_cols, x);
      const Packed w(type, rows, kRows, n_cols);
      for (const cpu::RowKernels* kernels : test::tested_row_kernels()) {
        for (const int n : {1, 12, 25}) expected.check(run(*kernels, w, x, n), n);
      }
    }
  }
}

TEST("the product has the same bits in every variant") {
  constexpr int kRows = 19;
  for (const BlockType type : hearth::kernels::kBlockTypes) {
    const int n_cols = widths(type).back();
    const std::vector<std::byte> rows = test::random_rows(type, kRows, n_cols, 13);
    const std::vector<float> x = random_tokens(13, n_cols, 17);
    const Packed w(type, rows, kRows, n_cols);
    for (const int n : {1, 13}) {
      const std::vector<float> expected = run(*cpu::scalar_kernels(), w, x, n);
      for (const cpu::RowKernels* kernels : test::tested_row_kernels()) {
        CHECK(same_bits(expected.data(), run(*kernels, w, x, n).data(), expected.size()));
      }
    }
  }
}

TEST("a token's product has the same bits in any batch, at any index, with any split of the rows") {
  constexpr int kRows = 37, kTokens = 25;
  for (const BlockType type : hearth::kernels::kBlockTypes) {
    const int n_cols = widths(type).back();
    const size_t columns = static_cast<size_t>(n_cols);
    const std::vector<std::byte> rows = test::random_rows(type, kRows, n_cols, 19);
    const std::vector<float> x = random_tokens(kTokens, n_cols, 23);
    for (const cpu::RowKernels* kernels : test::tested_row_kernels()) {
      if (test::is_tested_elsewhere(kernels->name)) continue;
      const Packed w(type, rows, kRows, n_cols);
      constexpr size_t kStride = 48;
      std::vector<float> alone;
      for (size_t token = 0; token < kTokens; token++) {
        const std::vector<float> out = run(*kernels, w, x.data() + token * columns, 1, 0, 3);
        alone.insert(alone.end(), out.begin(), out.end());
      }
      for (int n = 2; n <= kTokens; n++) {
        const size_t first = static_cast<size_t>(kTokens - n);
        const std::vector<float> out = run(*kernels, w, x.data() + first * columns, n, 0, 3);
        CHECK(same_bits(out.data(), alone.data() + first * kStride, out.size()));
      }
      for (const int n : {1, 7, 25}) {
        for (int tile = 0; tile < 3; tile++) {
          const std::vector<float> out = run(*kernels, w, x.data(), n, tile, tile + 1);
          for (size_t token = 0; token < static_cast<size_t>(n); token++) {
            CHECK(same_bits(out.data() + token * 16,
                            alone.data() + token * kStride + static_cast<size_t>(tile) * 16, 16));
          }
        }
      }
    }
  }
}

TEST("products do not saturate at the extremes of weights and activations") {
  constexpr int kRows = 16, kColumns = 256;
  for (const BlockType type : hearth::kernels::kBlockTypes) {
    if (hearth::kernels::is_float(type)) continue;
    for (const uint8_t fill : {0x00, 0xff, 0x80, 0x7f}) {
      std::vector<std::byte> rows = test::random_rows(type, kRows, kColumns, 29);
      const std::vector<std::byte> scales = rows;
      std::fill(rows.begin(), rows.end(), static_cast<std::byte>(fill));
      const auto block_bytes = static_cast<size_t>(block_traits(type).bytes);
      for (size_t i = 0; i < rows.size(); i++) {
        const int at = static_cast<int>(i % block_bytes);
        const hearth::kernels::BlockTraits fields = block_traits(type);
        const bool is_d = at == fields.d || at == fields.d + 1;
        const bool is_dmin = fields.dmin >= 0 && (at == fields.dmin || at == fields.dmin + 1);
        if (is_d || is_dmin) rows[i] = scales[i];
      }
      std::vector<float> x(2 * kColumns);
      for (size_t i = 0; i < x.size(); i++) x[i] = i < kColumns || i % 8 < 4 ? 1.0f : -1.0f;
      const Expected expected(type, rows, kRows, kColumns, x);
      const Packed w(type, rows, kRows, kColumns);
      for (const cpu::RowKernels* kernels : test::tested_row_kernels())
        expected.check(run(*kernels, w, x, 2), 2);
    }
  }
}

TEST("float matrices of any width are multiplied") {
  for (const BlockType type : {BlockType::kF32, BlockType::kF16, BlockType::kBF16}) {
    for (const int n_cols : {1, 4, 31, 33, 530}) {
      const std::vector<std::byte> rows = test::random_rows(type, 5, n_cols, 31);
      const std::vector<float> x = random_tokens(14, n_cols, 37);
      const Expected expected(type, rows, 5, n_cols, x);
      const Packed w(type, rows, 5, n_cols);
      for (const cpu::RowKernels* kernels : test::tested_row_kernels()) {
        for (const int n : {1, 14}) expected.check(run(*kernels, w, x, n), n);
      }
    }
  }
}

TEST("NaN and infinity in a token reach that token's product, and no other") {
  constexpr int kColumns = 256;
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    for (const BlockType type : {BlockType::kQ4_K, BlockType::kQ8_0, BlockType::kF16}) {
      const std::vector<std::byte> rows = test::random_rows(type, 16, kColumns, 41);
      std::vector<float> x = random_tokens(3, kColumns, 43);
      x[kColumns + 100] = bad;
      for (const cpu::RowKernels* kernels : test::tested_row_kernels()) {
        const std::vector<float> out = run(*kernels, Packed(type, rows, 16, kColumns), x, 3);
        for (size_t i = 0; i < out.size(); i++) CHECK_EQUAL(std::isfinite(out[i]), i / 16 != 1);
      }
    }
  }
}

TEST("zeros and tiny activations give zero") {
  constexpr int kColumns = 96;
  const std::vector<std::byte> rows = test::random_rows(BlockType::kQ8_0, 16, kColumns, 47);
  std::vector<float> x(2 * kColumns);
  std::fill(x.begin() + kColumns, x.end(), std::numeric_limits<float>::denorm_min());
  for (const cpu::RowKernels* kernels : test::tested_row_kernels()) {
    const std::vector<float> out =
        run(*kernels, Packed(BlockType::kQ8_0, rows, 16, kColumns), x, 2);
    for (const float value : out) CHECK_EQUAL(value, 0.0f);
  }
}

}  // namespace
