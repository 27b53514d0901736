// The size of a KV page and the types of the KV cache. Each backend defines the layout inside a
// page.
#pragma once

#include <cstddef>

namespace hearth::kernels {

/// Positions per KV page.
inline constexpr int kPageTokens = 32;

/// kInt8 takes about half the memory, at a small loss of precision; only the CPU backend has it.
enum class KvType { kF16, kInt8 };

/// In kInt8, this many dimensions of a position share an f16 scale.
inline constexpr int kKvGroup = 32;

/// Bytes of the keys and values of one KV head in one page.
constexpr size_t page_head_bytes(KvType type, int head_dim) {
  const size_t n_groups = static_cast<size_t>((head_dim + kKvGroup - 1) / kKvGroup);
  const size_t row = type == KvType::kF16 ? 2 * static_cast<size_t>(head_dim)
                                          : static_cast<size_t>(head_dim) + 2 * n_groups;
  return 2 * kPageTokens * row;
}

}  // namespace hearth::kernels
