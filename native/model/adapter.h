// LoRA adapters: a file of thin matrices beside those of a model, as llama.cpp's converter writes
// them. Where a request names an adapter, a product y = W h becomes y + alpha / rank * B (A h). The
// model's own weights stay as they are, so that requests with and without it share them.
//
//   blk.N.attn_q.weight.lora_a [columns of W, rank]
//   blk.N.attn_q.weight.lora_b [rank, rows of W]
//
// Rows of B are too short for blocks of 32 if the rank is 16. A file may therefore have B by
// columns, as .lora_bt [rows of W, rank], which llama.cpp does not know.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ops.h"

namespace hearth {

class GgufFile;
struct ModelConfig;

/// What an adapter adds to a layer's matrices; null where it adds nothing.
struct AdapterLayer {
  std::unique_ptr<kernels::LowRank> qkv, attn_out, gate_up, ffn_down;
};

/// Owns its packed matrices. Must not outlive the Ops that packed them.
struct Adapter {
  std::vector<AdapterLayer> layers;
  size_t n_bytes = 0;
};

/// Opens an adapter's file and checks it against the model's, whose tensors are checked already.
/// Throws EngineError (adapter-not-found, adapter-unreadable, adapter-invalid,
/// adapter-unsupported), naming the file, the tensor, and what to do.
GgufFile open_adapter(const std::string& path, const GgufFile& model, const ModelConfig& config);

/// What load_adapter() will pack beside a matrix of a layer.
struct LowRankShape {
  int layer = 0;
  int n_parts = 0;
  int rank = 0;    // the greatest one of the parts
  int n_rows = 0;  // up to the end of the last part
  int n_cols = 0;
};
/// Of a checked file.
std::vector<LowRankShape> low_rank_shapes(const GgufFile& file, const GgufFile& model,
                                          const ModelConfig& config);

/// Packs the matrices of a checked file. Throws EngineError "adapter-invalid" for a value that is
/// not finite as f16.
Adapter load_adapter(const GgufFile& file, const GgufFile& model, const ModelConfig& config,
                     kernels::Ops& ops);

}  // namespace hearth
