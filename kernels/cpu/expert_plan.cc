#include "expert_plan.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hearth::kernels::cpu {

void choose_experts(const float* logits, int n_experts, int n_used, float* routes) {
  const auto value = [&](int expert) {
    return std::isnan(logits[expert]) ? -INFINITY : logits[expert];
  };
  const auto precedes = [&](int a, int b) {
    return value(a) > value(b) || (value(a) == value(b) && a < b);
  };
  std::array<int, kMaxExpertsUsed> chosen{};
  for (int i = 0; i < n_used; i++) {
    int best = -1;
    for (int expert = 0; expert < n_experts; expert++) {
      const bool is_left = i == 0 || precedes(chosen[static_cast<size_t>(i - 1)], expert);
      if (is_left && (best < 0 || precedes(expert, best))) best = expert;
    }
    chosen[static_cast<size_t>(i)] = best;
  }
  const float greatest = logits[chosen[0]];
  std::sort(chosen.begin(), chosen.begin() + n_used);
  float* weights = routes + n_used;
  float sum = 0;
  for (int i = 0; i < n_used; i++) {
    const int expert = chosen[static_cast<size_t>(i)];
    routes[i] = static_cast<float>(expert);
    // Computed in double, because the expf of different C libraries round differently.
    weights[i] = static_cast<float>(std::exp(double{logits[expert]} - greatest));
    sum += weights[i];
  }
  for (int i = 0; i < n_used; i++) weights[i] /= sum;
}

void ExpertPlan::reserve(int n_experts, int n_used, int wide_tile) {
  wide_tile_ = wide_tile;
  if (n_experts == n_experts_ && n_used == n_used_) return;
  const size_t n_max = size_t{kMaxBatch} * static_cast<size_t>(n_used);
  groups_.reserve(static_cast<size_t>(n_experts));
  tiles_.reserve(n_max);
  rows_.reserve(n_max);
  ends_.resize(static_cast<size_t>(n_experts));
  logits_.resize(size_t{kMaxBatch} * static_cast<size_t>(n_experts));
  n_experts_ = n_experts;  // last, because the lines above might throw std::bad_alloc
  n_used_ = n_used;
}

// Each group's last tile is padded, and kernels may read one tile beyond the last token.
int ExpertPlan::max_tokens() const {
  return kMaxBatch * n_used_ + kMaxTileTokens * (n_experts_ + 1);
}

void ExpertPlan::make(const float* routes, int n_tokens) {
  routes_ = routes;
  const int n_rows = n_tokens * n_used_;
  const auto expert_of = [&](int row) {
    return static_cast<size_t>(routes[2 * (row / n_used_) * n_used_ + row % n_used_]);
  };
  groups_.clear();
  tiles_.clear();
  std::fill(ends_.begin(), ends_.end(), 0);
  for (int row = 0; row < n_rows; row++) ends_[expert_of(row)]++;
  int first = 0, before = 0;
  for (int expert = 0; expert < n_experts_; expert++) {
    int& end = ends_[static_cast<size_t>(expert)];
    const int n = end;
    end = first;  // grows to first + n below
    if (n == 0) continue;
    const int tile = tile_of(n), group = static_cast<int>(groups_.size());
    groups_.push_back({expert, first, n, before});
    for (int i = 0; i < n; i += tile) tiles_.push_back({group, i, std::min(tile, n - i)});
    first += n;
    before += (n + tile - 1) / tile * tile;
  }
  rows_.resize(static_cast<size_t>(n_rows));
  for (int row = 0; row < n_rows; row++) rows_[static_cast<size_t>(ends_[expert_of(row)]++)] = row;
}

}  // namespace hearth::kernels::cpu
