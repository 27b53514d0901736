// LoRA adapters: a file of thin matrices that change a model's matrices, as llama.cpp's converter
// writes it. If a request names an adapter, a product y = W h becomes y + alpha / rank * B (A h).
// The model's own weights do not change, so that requests with and without an adapter share them.
//
//   blk.N.attn_q.weight.lora_a [columns of W, rank]
//   blk.N.attn_q.weight.lora_b [rank, rows of W]
//
// If the rank is 16, rows of B are too short for blocks of 32. Therefore a file may store B by
// columns, as .lora_bt [rows of W, rank]. llama.cpp does not know this form.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ops.h"

namespace hearth {

class GgufFile;
struct ModelConfig;

/// An adapter's changes to a layer's matrices; null for matrices that it does not change.
struct AdapterLayer {
  std::unique_ptr<kernels::LowRank> qkv, attn_out, gate_up, ffn_down;
};

/// Owns its packed matrices. Must not outlive the Ops that packed them.
struct Adapter {
  std::vector<AdapterLayer> layers;
  size_t n_bytes = 0;
};

/// Opens an adapter's file and checks it against the model's file, which must have been checked.
/// Throws EngineError (adapter-not-found, adapter-unreadable, adapter-invalid,
/// adapter-unsupported), which names the file and the tensor and says what to do.
GgufFile open_adapter(const std::string& path, const GgufFile& model, const ModelConfig& config);

/// The shape that load_adapter() packs for one matrix of a layer.
struct LowRankShape {
  int layer = 0;
  int n_parts = 0;
  int rank = 0;    // the greatest rank of the parts
  int n_rows = 0;  // up to the end of the last part
  int n_cols = 0;
  bool is_quantized = true;  // LowRankSource::is_quantized of all parts
};
/// One shape for each matrix that the adapter changes. The file must have been checked.
std::vector<LowRankShape> low_rank_shapes(const GgufFile& file, const GgufFile& model,
                                          const ModelConfig& config);

/// Packs the matrices of a checked file. Throws EngineError "adapter-invalid" if a value is not
/// finite as f16.
Adapter load_adapter(const GgufFile& file, const GgufFile& model, const ModelConfig& config,
                     kernels::Ops& ops);

}  // namespace hearth
