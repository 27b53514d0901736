// GGUF tensor block formats: ids, sizes and byte layouts as stored in the file.
// Source: the GGUF specification and the ggml block definitions (facts of the format,
// little-endian). This header knows nothing of models, files or instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hearth::kernels {

/// Tensor element types, with the ids that GGUF stores.
enum class BlockType : uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ2_K = 10,
  kQ3_K = 11,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kIQ4_NL = 20,
  kIQ4_XS = 23,
  kBF16 = 30,
};

/// Name, weights per block and bytes per block; {nullptr, 0, 0} for a type that Hearth does not
/// run.
struct BlockTraits {
  const char* name;
  int weights;
  int bytes;
};

constexpr BlockTraits block_traits(BlockType type) {
  switch (type) {
    case BlockType::kF32:
      return {"F32", 1, 4};
    case BlockType::kF16:
      return {"F16", 1, 2};
    case BlockType::kBF16:
      return {"BF16", 1, 2};
    case BlockType::kQ4_0:
      return {"Q4_0", 32, 18};
    case BlockType::kQ4_1:
      return {"Q4_1", 32, 20};
    case BlockType::kQ5_0:
      return {"Q5_0", 32, 22};
    case BlockType::kQ5_1:
      return {"Q5_1", 32, 24};
    case BlockType::kQ8_0:
      return {"Q8_0", 32, 34};
    case BlockType::kQ2_K:
      return {"Q2_K", 256, 84};
    case BlockType::kQ3_K:
      return {"Q3_K", 256, 110};
    case BlockType::kQ4_K:
      return {"Q4_K", 256, 144};
    case BlockType::kQ5_K:
      return {"Q5_K", 256, 176};
    case BlockType::kQ6_K:
      return {"Q6_K", 256, 210};
    case BlockType::kIQ4_NL:
      return {"IQ4_NL", 32, 18};
    case BlockType::kIQ4_XS:
      return {"IQ4_XS", 256, 136};
  }
  return {nullptr, 0, 0};
}

/// Bytes of one row of n_cols weights as stored in the file; n_cols is a multiple of the block.
constexpr size_t row_bytes(BlockType type, int n_cols) {
  const BlockTraits traits = block_traits(type);
  return static_cast<size_t>(n_cols / traits.weights) * static_cast<size_t>(traits.bytes);
}

}  // namespace hearth::kernels
