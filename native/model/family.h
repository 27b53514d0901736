// The model families (architectures) that Hearth runs, as one table. A row says how the GGUF files
// and the forward pass of a family differ from the others. model_config.cc, contract.cc and
// model.cc read the table. It has no column for biases of q, k and v, since the file shows them,
// and none for tokenizers: see pretokenizer.cc and vocabulary.cc.
#pragma once

#include <string_view>

namespace hearth {

/// Which two dimensions of a head form a RoPE pair in the file's Wq and Wk. The kernels rotate
/// halves; the rows of kNeighbours files are permuted when they are packed.
enum class RopePairs {
  kHalves,      // (i, i + head_dim / 2); llama.cpp calls it NEOX
  kNeighbours,  // (2i, 2i + 1); llama.cpp calls it NORM
};

struct Family {
  std::string_view architecture;  // general.architecture, also the prefix of the file's keys
  RopePairs rope_pairs;
  bool may_have_rope_factors = false;  // rope_freqs.weight: Llama 3's scaling of RoPE
  bool has_head_norms = false;         // an RMS norm of each head of q and k before RoPE
  bool has_multipliers = false;        // multipliers of embedding, attention, residual and logits
  bool has_experts = false;            // a mixture of experts in each layer
  bool may_slide = false;              // some layers have a sliding window
};

inline constexpr Family kFamilies[] = {
    {.architecture = "qwen2", .rope_pairs = RopePairs::kHalves},
    {.architecture = "llama", .rope_pairs = RopePairs::kNeighbours, .may_have_rope_factors = true},
    {.architecture = "qwen3", .rope_pairs = RopePairs::kHalves, .has_head_norms = true},
    {.architecture = "qwen3moe",
     .rope_pairs = RopePairs::kHalves,
     .has_head_norms = true,
     .has_experts = true},
    {.architecture = "mellum",
     .rope_pairs = RopePairs::kHalves,
     .has_head_norms = true,
     .has_experts = true,
     .may_slide = true},
    {.architecture = "granite", .rope_pairs = RopePairs::kNeighbours, .has_multipliers = true},
};

/// The family's row; null if the table has no such architecture.
constexpr const Family* find_family(std::string_view architecture) {
  for (const Family& family : kFamilies)
    if (family.architecture == architecture) return &family;
  return nullptr;
}

}  // namespace hearth
