#include "kv_pool.h"

#include <cstring>

namespace hearth::kernels::cpu {

KvPool::KvPool(const AttentionShape& shape, int n_pages)
    : n_kv_heads_(shape.n_kv_heads),
      value_row_bytes_(static_cast<size_t>(shape.head_dim) *
                       (shape.kv_type == KvType::kF16 ? sizeof(uint16_t) : sizeof(int8_t))),
      head_bytes_(page_head_bytes(shape.kv_type, shape.head_dim)),
      page_bytes_(shape.page_bytes()),
      arena_(static_cast<size_t>(n_pages) * page_bytes_) {}

void KvPool::copy_layer(int to, int from, int layer, int n_positions) const {
  const size_t n_left_out = static_cast<size_t>(kPageTokens - n_positions);
  const size_t n_bytes = head_bytes_ - n_left_out * value_row_bytes_;
  for (int kv_head = 0; kv_head < n_kv_heads_; kv_head++) {
    std::memcpy(page_head(to, layer, kv_head), page_head(from, layer, kv_head), n_bytes);
  }
}

}  // namespace hearth::kernels::cpu
