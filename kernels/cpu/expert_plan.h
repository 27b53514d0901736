// Mixture of experts on the CPU: chooses the experts of each token, and groups a batch's tokens by
// expert.
//
// In these files, a row is a pair of a token and one of its experts: row = token * n_used + i for
// the token's i-th expert. Rows are grouped by expert, so that an expert's weights are read once
// for all its tokens. Every group has its own activations; groups follow one another in memory.
#pragma once

#include <span>
#include <vector>

#include "ops.h"
#include "row_kernels.h"

namespace hearth::kernels::cpu {

/// Computes one token's routes (Ops::norm_route) from its logits [n_experts]. A NaN counts as minus
/// infinity; if it is chosen anyway, the weights become NaN.
void choose_experts(const float* logits, int n_experts, int n_used, float* routes);

class ExpertPlan {
 public:
  /// The rows of one expert.
  struct Group {
    int expert = 0;
    int first = 0;   // where its rows begin in the order of groups
    int n = 0;       // its number of rows, at least 1
    int before = 0;  // tokens of activations before the group's own, padding included
  };
  /// The rows of a group whose activations are in one token tile.
  struct Tile {
    int group = 0;
    int first = 0;  // its first row, counted from the group's first
    int n = 0;
  };

  /// Makes room for kMaxBatch tokens. wide_tile: see RowKernels.
  void reserve(int n_experts, int n_used, int wide_tile);
  /// The maximum number of tokens of activations, padding included, that a plan can need.
  int max_tokens() const;

  /// Makes the plan for a batch. weight() reads routes [n_tokens][2 * n_used] later.
  void make(const float* routes, int n_tokens);

  std::span<const Group> groups() const { return groups_; }  // sorted by expert
  std::span<const Tile> tiles() const { return tiles_; }
  int n_rows() const { return static_cast<int>(rows_.size()); }
  /// The i-th row in the order of groups.
  int row(int i) const { return rows_[static_cast<size_t>(i)]; }
  int token_of(int row) const { return row / n_used_; }
  float weight(int row) const {
    const int token = row / n_used_, rank = row % n_used_;
    return routes_[2 * token * n_used_ + n_used_ + rank];
  }
  /// Room for the router's logits, [kMaxBatch][n_experts].
  float* logits() { return logits_.data(); }

 private:
  int tile_of(int n_tokens) const { return n_tokens > kTileTokens ? wide_tile_ : kTileTokens; }

  int n_experts_ = 0;
  int n_used_ = 0;
  int wide_tile_ = kTileTokens;
  const float* routes_ = nullptr;
  std::vector<Group> groups_;
  std::vector<Tile> tiles_;
  std::vector<int> rows_;
  std::vector<int> ends_;  // [n_experts], for make()
  std::vector<float> logits_;
};

}  // namespace hearth::kernels::cpu
