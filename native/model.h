// A model: its hyperparameters, and its weights in the backend's layout.
// load_model() checks the GGUF against the whole tensor contract before anything is packed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "family.h"
#include "ops.h"

namespace hearth {

class GgufFile;

/// A prompt with less is too short to say anything.
inline constexpr int kFewestContextTokens = 64;

/// Source: the keys of the GGUF that begin with the architecture's name.
struct ModelConfig {
  const Family* family = nullptr;
  std::string name;
  std::string quantization;  // as the file names it, e.g. "Q4_K_M"
  int n_layers = 0;
  int n_embd = 0;
  int n_heads = 0;
  int n_kv_heads = 0;
  int head_dim = 0;
  int n_ff = 0;
  int n_vocab = 0;
  int n_context = 0;  // positions the model was trained for
  float rope_base = 0;
  std::vector<float> rope_factors;      // see AttentionShape, as the next three
  std::vector<float> q_norms, k_norms;  // [n_layers][head_dim]
  float attention_scale = 0;
  float residual_scale = 1;  // see Ops
  float logit_scale = 1;     // in output_norm
  float norm_eps = 0;
  int n_q() const { return n_heads * head_dim; }
  int n_kv() const { return n_kv_heads * head_dim; }
  kernels::AttentionShape attention_shape(kernels::KvType kv_type, int max_positions) const;
};

struct Layer {
  std::unique_ptr<kernels::Buffer> attn_norm;  // [n_embd]
  std::unique_ptr<kernels::Matrix> qkv;        // [n_q + 2 n_kv][n_embd], rows in RoPE's halves
  std::unique_ptr<kernels::Buffer> qkv_bias;   // [n_q + 2 n_kv], or null
  std::unique_ptr<kernels::Matrix> attn_out;   // [n_embd][n_q]
  std::unique_ptr<kernels::Buffer> ffn_norm;   // [n_embd]
  std::unique_ptr<kernels::Matrix> gate_up;    // [2 n_ff][n_embd]
  std::unique_ptr<kernels::Matrix> ffn_down;   // [n_embd][n_ff]
};

/// Owns the packed weights; must not outlive the Ops that packed them.
struct Model {
  ModelConfig config;
  std::unique_ptr<kernels::Matrix> token_embd;  // [n_vocab][n_embd]
  std::vector<Layer> layers;
  std::unique_ptr<kernels::Buffer> output_norm;  // [n_embd]
  std::unique_ptr<kernels::Matrix> output;       // [n_vocab][n_embd]; null when tied
  size_t n_bytes = 0;                            // of all matrices, as packed
  const kernels::Matrix& head() const { return output ? *output : *token_embd; }
};

/// Reads and checks the hyperparameters and the presence, type and shape of every tensor.
/// Throws EngineError: model-unsupported (another architecture or tensor type), model-invalid.
ModelConfig check_model(const GgufFile& file);

/// Packs a checked file's weights, letting go of each tensor's mapped pages once packed. progress
/// gets 0..1 and returns false to stop, which throws EngineError("cancelled").
Model load_model(const GgufFile& file, const ModelConfig& config, kernels::Ops& ops,
                 const std::function<bool(double)>& progress);

}  // namespace hearth
