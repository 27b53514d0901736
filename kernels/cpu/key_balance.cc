#include "key_balance.h"

#include <algorithm>
#include <cmath>

namespace hearth::kernels::cpu {
namespace {

/// The expected square of a row's product with its input. After RMSNorm, the mean square of input i
/// is norm[i]^2.
double expected_square(const float* row, const float* norm, int n_cols) {
  double sum = 0;
  for (int i = 0; i < n_cols; i++) {
    const double weight = double{row[i]} * norm[i];
    sum += weight * weight;
  }
  return sum;
}

}  // namespace

KeyBalance::KeyBalance(const AttentionShape& shape)
    : shape_(shape),
      is_known_(static_cast<size_t>(shape.n_layers)),
      factors_(static_cast<size_t>(shape.n_layers * shape.n_kv_heads * shape.head_dim), 1.0f) {}

size_t KeyBalance::first_factor(int layer, int kv_head) const {
  return static_cast<size_t>((layer * shape_.n_kv_heads + kv_head) * shape_.head_dim);
}

void KeyBalance::compute_factors(int layer, const PackedMatrix& qkv, const float* norm,
                                 const float* bias, float* row) {
  if (is_known_.empty() || is_known_[static_cast<size_t>(layer)]) return;
  is_known_[static_cast<size_t>(layer)] = true;
  const int half = shape_.head_dim / 2;
  for (int kv_head = 0; kv_head < shape_.n_kv_heads; kv_head++) {
    float* head_factors = &factors_[first_factor(layer, kv_head)];
    // RoPE mixes dimensions in pairs. A pair's factor is its expected size divided by the geometric
    // mean over all pairs, rounded to a power of two. head_factors first holds the pair's expected
    // square, then log2 of its root, then the factor.
    double max_square = 0, mean = 0;
    for (int i = 0; i < 2 * half; i++) {
      const int key_row = (shape_.n_heads + kv_head) * shape_.head_dim + i;
      qkv.unpack_row(key_row, row);
      const double offset = bias != nullptr ? bias[key_row] : 0;
      double square = expected_square(row, norm, qkv.n_cols) + offset * offset;
      // If heads are normalized, the norm determines the size of each dimension.
      if (!shape_.k_norms.empty()) {
        const float norm_size = shape_.k_norms[layer * shape_.head_dim + i];
        square = double{norm_size} * norm_size;
      }
      float& pair = head_factors[i % half];
      pair = static_cast<float>(square) + (i < half ? 0 : pair);
      max_square = std::max(max_square, double{pair});
    }
    // A dimension that is almost zero counts as 2^-10 of the largest one.
    const double min_square = std::max(max_square * 0x1p-20, 1e-30);
    for (int i = 0; i < half; i++) {
      float& pair = head_factors[i];
      pair = static_cast<float>(std::log2(std::max(double{pair}, min_square)) / 2);
      mean += pair / half;
    }
    for (int i = 0; i < half; i++) {
      float& pair = head_factors[i];
      pair = std::exp2(std::round(pair - static_cast<float>(mean)));
      head_factors[i + half] = pair;
    }
  }
}

void KeyBalance::divide_key(int layer, int kv_head, float* k) const {
  if (is_known_.empty()) return;
  const float* head_factors = &factors_[first_factor(layer, kv_head)];
  for (int i = 0; i < shape_.head_dim; i++) k[i] /= head_factors[i];
}

void KeyBalance::multiply_query(int layer, int kv_head, float* q) const {
  if (is_known_.empty()) return;
  const float* head_factors = &factors_[first_factor(layer, kv_head)];
  for (int i = 0; i < shape_.head_dim; i++) q[i] *= head_factors[i];
}

}  // namespace hearth::kernels::cpu
