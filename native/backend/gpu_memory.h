// Computes the GPU memory that a model will take, before anything is allocated.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/model.h"

namespace hearth {

class GgufFile;

/// The GPU memory that the parts of a model need.
struct GpuNeeds {
  uint64_t common_bytes = 0;  // needed however many layers are on the GPU: workspace, vectors, head
  uint64_t embedding_bytes = 0;
  std::vector<uint64_t> layer_bytes;  // each with its KV pages

  uint64_t total_bytes() const;
  /// The number of last layers that, together with the head, fit into this much free memory: all
  /// layers if the whole model fits.
  int layers_that_fit(uint64_t free_bytes) const;
};

/// adapters: the checked files of the adapters that will be loaded with the model. kv_bytes: the
/// size of the KV pool. backend: as in LoadOptions.
GpuNeeds gpu_needs(const GgufFile& file, std::span<const GgufFile> adapters,
                   const ModelConfig& config, uint64_t kv_bytes, const std::string& backend);

/// An upper bound for what a GPU's part of a model takes besides matrices, vectors and KV pages:
/// activations as floats and quantized, logits, RoPE tables, attention's parts, and rows of the
/// file while they are packed.
uint64_t gpu_workspace_bytes(const ModelConfig& config, uint64_t n_positions,
                             const std::string& backend);

/// Drivers allocate memory in units of 2 MiB. Small allocations share a unit.
constexpr uint64_t allocated_bytes(uint64_t n_bytes) {
  constexpr uint64_t kPiece = uint64_t{2} << 20;
  return n_bytes < kPiece / 2 ? n_bytes : (n_bytes + kPiece - 1) / kPiece * kPiece;
}

}  // namespace hearth
