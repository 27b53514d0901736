#include "kv_pool.h"

#include <cstring>

namespace hearth::kernels::cpu {

KvPool::KvPool(const AttentionShape& shape, int n_pages)
    : n_kv_heads_(shape.n_kv_heads),
      head_bytes_(page_head_bytes(shape.head_dim)),
      page_bytes_(static_cast<size_t>(shape.n_layers * shape.n_kv_heads) * head_bytes_),
      arena_(static_cast<size_t>(n_pages) * page_bytes_) {}

void KvPool::copy_layer(int to, int from, int layer, int n_positions) const {
  const size_t k_bytes = head_bytes_ / 2;
  const size_t v_bytes = head_bytes_ / 2 * static_cast<size_t>(n_positions) / kPageTokens;
  for (int kv_head = 0; kv_head < n_kv_heads_; kv_head++) {
    std::memcpy(page_head(to, layer, kv_head), page_head(from, layer, kv_head), k_bytes + v_bytes);
  }
}

}  // namespace hearth::kernels::cpu
