// The CPU backend with faults: the test can modify the output of any op.
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
};

}  // namespace test
