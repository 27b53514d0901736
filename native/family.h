// The model families that Hearth runs, one row each: what differs between their GGUF files and
// their forward passes. check_model(), contract.cc and load_model() read it. What a tokenizer does
// is its own file's business: see the tables in pretokenizer.cc and vocabulary.cc.
#pragma once

#include <string_view>

namespace hearth {

/// Which dimensions of a head RoPE turns together, by the order of the rows of Wq and Wk in the
/// file. The kernels turn halves; other rows are put into that order when they are packed.
enum class RopePairs {
  kHalves,      // (i, i + head_dim / 2); llama.cpp calls it NEOX
  kNeighbours,  // (2i, 2i + 1); llama.cpp calls it NORM
};

struct Family {
  std::string_view architecture;  // general.architecture, with which the file's keys begin
  RopePairs rope_pairs;
  bool may_have_rope_factors = false;  // rope_freqs.weight: Llama 3's scaling
  bool has_head_norms = false;         // RMS norms of each head of q and k before RoPE
  bool has_scalars = false;            // of the embedding, attention, what a layer adds, the logits
};

inline constexpr Family kFamilies[] = {
    {.architecture = "qwen2", .rope_pairs = RopePairs::kHalves},
    {.architecture = "llama", .rope_pairs = RopePairs::kNeighbours, .may_have_rope_factors = true},
    {.architecture = "qwen3", .rope_pairs = RopePairs::kHalves, .has_head_norms = true},
    {.architecture = "granite", .rope_pairs = RopePairs::kNeighbours, .has_scalars = true},
};

/// Null for an architecture that is none of them.
constexpr const Family* find_family(std::string_view architecture) {
  for (const Family& family : kFamilies)
    if (family.architecture == architecture) return &family;
  return nullptr;
}

}  // namespace hearth
