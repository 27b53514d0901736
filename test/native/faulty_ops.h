// The CPU backend with faults: a test can modify the output of ops, and watch or disturb reads.
#pragma once

#include <functional>

#include "cpu/cpu_ops.h"
#include "kernels/cpu_variants.h"

namespace test {

class FaultyOps final : public hearth::kernels::cpu::CpuOps {
 public:
  FaultyOps() : CpuOps(*usable_row_kernels().front(), 1) {}

  std::function<void(int layer, float* out)> after_attention = [](int, float*) {};
  std::function<void(std::span<float> logits)> after_head = [](std::span<float>) {};
  std::function<void()> before_read = [] {};       // before the host reads logits
  std::function<void()> before_read_page = [] {};  // before the disk cache reads a page

  hearth::kernels::ProductInput attention(int layer, const float* q, float* out,
                                          const hearth::kernels::Matrix* next) override {
    const auto result = CpuOps::attention(layer, q, out, next);
    after_attention(layer, out);
    return result;
  }
  void norm_head(const float* norm, float eps, const hearth::kernels::Matrix& head, const float* x,
                 std::span<const int32_t> rows, float* logits) override {
    CpuOps::norm_head(norm, eps, head, x, rows, logits);
    after_head({logits, rows.size() * static_cast<size_t>(head.n_rows)});
  }
  void read(std::span<float> destination, const float* source) override {
    before_read();
    CpuOps::read(destination, source);
  }
  void read_page(std::span<std::byte> destination, int page) override {
    before_read_page();
    CpuOps::read_page(destination, page);
  }
};

}  // namespace test
