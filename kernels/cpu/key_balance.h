// Evens out the dimensions of keys before they become int8. qwen2's biases make a few dimensions of
// a key a hundred times larger than the rest, and the largest of a group sets the step for all of
// it. A dimension of k divided by what the same one of q is multiplied with leaves q k as it is; a
// power of two leaves even its bits.
#pragma once

#include <span>
#include <vector>

#include "ops.h"
#include "packed_matrix.h"

namespace hearth::kernels::cpu {

class KeyBalance {
 public:
  KeyBalance() = default;
  explicit KeyBalance(const AttentionShape& shape);

  /// How large the keys of a layer are to be expected, from what makes them; the first time only.
  /// Not while another thread uses the layer. row [qkv.n_cols] is scratch.
  void learn(int layer, const RowKernels& kernels, const PackedMatrix& qkv, const float* norm,
             const float* bias, float* row);

  /// In place, after RoPE, which keeps the two dimensions that it mixes under one factor.
  void divide_key(int layer, int kv_head, float* k) const;
  void multiply_query(int layer, int kv_head, float* q) const;

 private:
  std::span<float> factors(int layer, int kv_head);
  std::span<const float> factors(int layer, int kv_head) const;

  AttentionShape shape_;
  std::vector<bool> is_known_;  // [n_layers]
  std::vector<float> factors_;  // [n_layers][n_kv_heads][head_dim]
};

}  // namespace hearth::kernels::cpu
