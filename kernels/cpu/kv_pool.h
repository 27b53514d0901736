// The memory of all KV pages: [n_pages][n_layers][n_kv_heads] parts of page_head_bytes() bytes,
// whose layout is in kv_page.inl. The caller assigns the pages.
#pragma once

#include <cstddef>
#include <span>

#include "arena.h"
#include "ops.h"
#include "row_kernels.h"

namespace hearth::kernels::cpu {

class KvPool {
 public:
  KvPool(const AttentionShape& shape, int n_pages);

  size_t page_bytes() const { return page_bytes_; }
  std::byte* page(int page) const {
    return arena_.data() + static_cast<size_t>(page) * page_bytes_;
  }
  std::byte* page_head(int page, int layer, int kv_head) const {
    return this->page(page) + static_cast<size_t>(layer * n_kv_heads_ + kv_head) * head_bytes_;
  }
  /// Copies the first n_positions positions of one layer from page `from` to page `to`. V is at the
  /// end of a head's part, so one copy takes everything up to V of the last of these positions,
  /// including K of later positions. V of later positions is not copied.
  void copy_layer(int to, int from, int layer, int n_positions) const;

 private:
  int n_kv_heads_ = 0;
  size_t value_row_bytes_ = 0;
  size_t head_bytes_ = 0;
  size_t page_bytes_ = 0;
  Arena arena_;
};

}  // namespace hearth::kernels::cpu
