// Scales the dimensions of keys to similar size before they are quantized to int8. Each dimension
// has a factor s; (k / s) . (q * s) = k . q. Without the factors, qwen2's biases make a few
// dimensions of a key a hundred times larger than the rest, and the largest one sets the scale of
// its whole group. The factors are powers of two, so dividing and multiplying by them is exact.
#pragma once

#include <vector>

#include "ops.h"
#include "packed_matrix.h"

namespace hearth::kernels::cpu {

class KeyBalance {
 public:
  KeyBalance() = default;
  explicit KeyBalance(const AttentionShape& shape);

  /// Computes a layer's factors from the expected size of its keys, which follows from the norm,
  /// the weights and the bias. Only the first call for a layer has an effect. During that call, no
  /// other thread may use the layer's factors. row [qkv.n_cols] is scratch memory.
  void compute_factors(int layer, const PackedMatrix& qkv, const float* norm, const float* bias,
                       float* row);

  /// Both work in place, after RoPE. The two dimensions that RoPE mixes share one factor.
  void divide_key(int layer, int kv_head, float* k) const;
  void multiply_query(int layer, int kv_head, float* q) const;

 private:
  size_t first_factor(int layer, int kv_head) const;

  AttentionShape shape_;
  std::vector<bool> is_known_;  // [n_layers]
  std::vector<float> factors_;  // [n_layers][n_kv_heads][head_dim]
};

}  // namespace hearth::kernels::cpu
