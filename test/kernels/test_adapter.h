// A random adapter for tests.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "cpu/half.h"
#include "ops.h"
#include "ops_fixture.h"

namespace test {

/// The rows and ranks of a part of an adapter, as in LowRankSource.
struct AdapterPart {
  int first_row, n_rows, rank;
  bool is_quantized = false;
};

inline float as_f16(float value) {
  return hearth::kernels::cpu::f16_to_f32(hearth::kernels::cpu::f32_to_f16(value));
}

/// An adapter that adds about half as much as the matrix. Each of its parts covers a whole source
/// of the matrix. Its a has values of F16, because CPU and GPU round other values differently.
class TestAdapter {
 public:
  TestAdapter(const std::vector<AdapterPart>& parts, int n_cols, float scale = 8)
      : n_cols_(n_cols) {
    for (const AdapterPart& part : parts) {
      const auto seed = static_cast<unsigned>(part.first_row);
      a_.push_back(random_floats(static_cast<size_t>(part.rank) * n_cols, seed + 1));
      b_.push_back(random_floats(static_cast<size_t>(part.rank) * part.n_rows, seed + 2));
      for (float& value : a_.back()) value = as_f16(value / std::sqrt(static_cast<float>(n_cols)));
      for (float& value : b_.back()) value /= std::sqrt(static_cast<float>(part.rank));
    }
    for (size_t i = 0; i < parts.size(); i++)
      sources_.push_back({parts[i].first_row, parts[i].n_rows, parts[i].rank, scale, a_[i], b_[i],
                          parts[i].is_quantized});
  }
  std::unique_ptr<hearth::kernels::LowRank> pack(Ops& ops) const {
    return ops.pack_low_rank(n_cols_, sources_);
  }
  const std::vector<hearth::kernels::LowRankSource>& sources() const { return sources_; }

 private:
  int n_cols_;
  std::vector<std::vector<float>> a_, b_;
  std::vector<hearth::kernels::LowRankSource> sources_;
};

}  // namespace test
