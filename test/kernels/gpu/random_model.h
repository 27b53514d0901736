// Models in the real shapes of qwen2.5-coder and of qwen3-coder (30b-a3b), with random weights made
// in memory: the same weights on every backend. Norms are small, so that attention does not
// saturate and logits stay near 1.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "../random_blocks.h"
#include "ops.h"

namespace test {

struct Shape {
  int n_layers, n_embd, n_heads, n_kv_heads, n_ff, n_vocab;
  int n_experts = 0, n_used = 0;  // for a mixture of experts, whose heads have 128 dimensions
  int head_dim() const { return n_experts ? 128 : n_embd / n_heads; }
  int n_q() const { return n_heads * head_dim(); }
  int n_kv() const { return n_kv_heads * head_dim(); }
};
inline const std::map<std::string, Shape> kShapes = {
    {"tiny", {2, 256, 4, 2, 512, 512}},  // for the emulation
    {"0.5b", {24, 896, 14, 2, 4864, 151936}},
    {"1.5b", {28, 1536, 12, 2, 8960, 151936}},
    {"3b", {36, 2048, 16, 2, 11008, 151936}},
    {"7b", {28, 3584, 28, 4, 18944, 152064}},
    {"30b-a3b", {48, 2048, 32, 4, 768, 151936, 128, 8}},
};

/// Random bytes with plausible scales. Models are large, so for speed the rows repeat after
/// n_different.
inline std::vector<std::byte> fast_rows(BlockType type, int n_rows, int n_cols, uint32_t seed = 1,
                                        int n_different = 64) {
  const std::vector<std::byte> some = random_rows(type, n_different, n_cols, seed);
  std::vector<std::byte> rows(n_rows * hearth::kernels::row_bytes(type, n_cols));
  for (size_t i = 0; i < rows.size(); i += some.size())
    std::memcpy(&rows[i], some.data(), std::min(some.size(), rows.size() - i));
  return rows;
}

}  // namespace test
