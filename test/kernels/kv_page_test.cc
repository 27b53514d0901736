// Storing a position in a KV page of each type, in every variant.
#include "kv_page.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "cpu_variants.h"
#include "test.h"

using hearth::kernels::kKvGroup;
using hearth::kernels::KvType;
using hearth::kernels::page_head_bytes;
using hearth::kernels::cpu::RowKernels;

namespace {

std::vector<float> normal_floats(int n, float spread, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, spread);
  std::vector<float> floats(static_cast<size_t>(n));
  for (float& value : floats) value = normal(random);
  return floats;
}

/// One KV head's int8 page. Before anything is appended, all its bytes are 0x5a.
class Int8Page {
 public:
  explicit Int8Page(int dim)
      : dim_(static_cast<size_t>(dim)),
        bytes_(page_head_bytes(KvType::kInt8, dim), std::byte{0x5a}) {}
  std::byte* data() { return bytes_.data(); }

  size_t n_groups() const { return (dim_ + kKvGroup - 1) / kKvGroup; }
  int key(size_t d, size_t position) const { return int8_at(d * 32 + position); }
  int value(size_t d, size_t position) const {
    return int8_at(32 * dim_ + 128 * n_groups() + position * dim_ + d);
  }
  uint16_t scale_bits(bool is_value, size_t group, size_t position) const {
    uint16_t half;
    const size_t row = group + (is_value ? n_groups() : 0);
    std::memcpy(&half, bytes_.data() + 32 * dim_ + 2 * (32 * row + position), sizeof half);
    return half;
  }

 private:
  int int8_at(size_t i) const { return static_cast<int8_t>(bytes_[i]); }
  size_t dim_;
  std::vector<std::byte> bytes_;
};

/// Checks that every value is within half a step of the original, and is NaN if its group had a
/// NaN.
void check_group(const float* x, size_t n, double scale, const std::vector<int>& q) {
  double most = 0;
  bool has_nan = false;
  for (size_t i = 0; i < n; i++) {
    has_nan |= std::isnan(x[i]);
    most = std::fmax(most, std::fmin(65504, std::fabs(x[i])));
  }
  CHECK_EQUAL(std::isnan(scale), has_nan);
  if (has_nan) return;
  CHECK_NEAR(scale, most / 127, std::fmax(most / 127 * 0x1p-11, 0x1p-25));
  for (size_t i = 0; i < n; i++) {
    const double clamped = std::fmin(65504, std::fmax(-65504, x[i]));
    // The rounding error of the scale counts 127 times for the greatest value.
    CHECK_NEAR(q[i] * scale, clamped, scale * 0.5001 + most * 0x1p-11 + 127 * 0x1p-25);
    CHECK(std::abs(q[i]) <= 127);
  }
}

}  // namespace

TEST("appending f16 keys and values rounds and clamps them, and writes only one position") {
  for (const RowKernels* kernels : test::usable_row_kernels()) {
    for (int dim : {16, 64, 128, 256}) {
      for (int slot : {0, 1, 17, 31}) {
        std::vector<float> k = normal_floats(dim, 1, 9), v = normal_floats(dim, 0.001f, 10);
        const float special[] = {1e9f, -1e9f, test::kInf, -test::kInf, 65519.0f, 1e-7f, -0.0f};
        for (size_t i = 0; i < 7; i++) k[i] = v[15 - i] = special[i];
        k[8] = v[0] = test::kNan;
        std::vector<uint16_t> page(page_head_bytes(KvType::kF16, dim) / 2, 0x1234);
        const size_t n = static_cast<size_t>(dim);
        kernels->f16.append(reinterpret_cast<std::byte*>(page.data()), slot, k.data(), v.data(),
                            dim);
        const auto check = [](uint16_t stored, float x) {
          const double value = test::half_value(stored);
          CHECK_EQUAL(std::isnan(value), std::isnan(x));
          if (std::isnan(x)) return;
          const double clamped = std::fmin(65504, std::fmax(-65504, x));
          CHECK_NEAR(value, clamped, std::fmax(std::fabs(clamped) * 0x1p-11, 0x1p-25));
        };
        for (size_t d = 0; d < n; d++) {
          for (size_t p = 0; p < 32; p++) {
            const uint16_t key = page[d * 32 + p], value = page[32 * n + p * n + d];
            if (p == static_cast<size_t>(slot)) {
              check(key, k[d]);
              check(value, v[d]);
            } else {
              CHECK(key == 0x1234 && value == 0x1234);
            }
          }
        }
      }
    }
  }
}

TEST("appending int8 keys and values loses at most half a step, and writes only one position") {
  for (const RowKernels* kernels : test::usable_row_kernels()) {
    for (int dim : {16, 48, 64, 128, 256}) {
      for (size_t slot : {0, 1, 17, 31}) {
        const size_t n = static_cast<size_t>(dim);
        std::vector<float> k = normal_floats(dim, 1, 9), v = normal_floats(dim, 1e-6f, 10);
        const float large[] = {1e9f, -1e9f, test::kInf, -test::kInf, 65519.0f, 1e-7f, -0.0f};
        std::copy(std::begin(large), std::end(large), k.begin());
        if (dim > 32) k[40] = test::kNan;
        if (dim > 64) std::fill(v.begin() + 64, v.begin() + 96, 0.0f);
        Int8Page page(dim);
        kernels->int8.append(page.data(), static_cast<int>(slot), k.data(), v.data(), dim);
        for (size_t group = 0; group < page.n_groups(); group++) {
          const size_t first = group * kKvGroup, end = std::min(n, first + kKvGroup);
          for (size_t position = 0; position < 32; position++) {
            std::vector<int> keys, values;
            for (size_t d = first; d < end; d++) {
              keys.push_back(page.key(d, position));
              values.push_back(page.value(d, position));
            }
            const uint16_t k_scale = page.scale_bits(false, group, position);
            const uint16_t v_scale = page.scale_bits(true, group, position);
            if (position == slot) {
              check_group(k.data() + first, end - first, test::half_value(k_scale), keys);
              check_group(v.data() + first, end - first, test::half_value(v_scale), values);
              continue;
            }
            CHECK(k_scale == 0x5a5a && v_scale == 0x5a5a);
            for (int q : keys) CHECK_EQUAL(q, 0x5a);
            for (int q : values) CHECK_EQUAL(q, 0x5a);
          }
        }
      }
    }
  }
}

TEST("an int8 page takes a little more than half the bytes of an f16 page") {
  CHECK_EQUAL(page_head_bytes(KvType::kF16, 64), size_t{8192});
  CHECK_EQUAL(page_head_bytes(KvType::kInt8, 64), size_t{4096 + 256});
  CHECK_EQUAL(page_head_bytes(KvType::kInt8, 48), size_t{3072 + 256});
}
