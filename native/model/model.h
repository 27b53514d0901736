// A model in memory: its hyperparameters (ModelConfig), and its weights in the backend's layout
// (Model). read_config() reads the hyperparameters and checks the whole GGUF file before any weight
// is packed; load_model() packs the weights.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapter.h"
#include "family.h"
#include "ops.h"

namespace hearth {

class GgufFile;

/// The shortest context that leaves room for a useful prompt.
inline constexpr int kMinContextTokens = 64;

/// The hyperparameters. Those that attention needs are in AttentionShape; but kv_type and
/// max_positions are chosen when a model is loaded.
struct ModelConfig : kernels::AttentionShape {
  const Family* family = nullptr;
  std::string name;
  std::string quantization;  // llama.cpp's name of the mixture, for example "Q4_K_M"
  int n_embd = 0;
  int n_ff = 0;            // with experts: of each expert
  int n_experts = 0;       // in each layer; 0: one FFN for all tokens
  int n_experts_used = 0;  // by each token
  int n_vocab = 0;
  int n_context = 0;                                          // positions the model was trained for
  float residual_scale = 1;                                   // see Ops
  float logit_multiplier = 1;                                 // multiplied into output_norm
  bool has_mixed_gate_up = false, has_float_experts = false;  // see kernels::ModelShape
  int n_q() const { return n_heads * head_dim; }
  int n_kv() const { return n_kv_heads * head_dim; }
  kernels::AttentionShape attention_shape(kernels::KvType type, int n_positions) const {
    kernels::AttentionShape shape = *this;
    shape.kv_type = type;
    shape.max_positions = n_positions;
    return shape;
  }
  kernels::ModelShape model_shape(kernels::KvType type, int n_positions, int n_adapters) const {
    return {attention_shape(type, n_positions),
            residual_scale,
            has_mixed_gate_up,
            n_experts,
            has_float_experts,
            n_adapters > 0};
  }
};

struct Layer {
  std::unique_ptr<kernels::Buffer> attn_norm;  // [n_embd]
  std::unique_ptr<kernels::Matrix> qkv;        // [n_q + 2 n_kv][n_embd], see RopePairs::kHalves
  std::unique_ptr<kernels::Buffer> qkv_bias;   // [n_q + 2 n_kv], or null
  std::unique_ptr<kernels::Matrix> attn_out;   // [n_embd][n_q]
  std::unique_ptr<kernels::Buffer> ffn_norm;   // [n_embd]
  std::unique_ptr<kernels::Matrix> router;     // [n_experts][n_embd], or null
  std::unique_ptr<kernels::Matrix> gate_up;    // [2 n_ff][n_embd]; of experts: see kernels::Experts
  std::unique_ptr<kernels::Matrix> ffn_down;   // [n_embd][n_ff]
};

/// Owns the packed weights. Must not outlive the Ops that packed them.
struct Model {
  ModelConfig config;
  std::unique_ptr<kernels::Matrix> token_embd;  // [n_vocab][n_embd]
  std::vector<Layer> layers;
  std::unique_ptr<kernels::Buffer> output_norm;  // [n_embd]
  std::unique_ptr<kernels::Matrix> output;       // [n_vocab][n_embd]; null: tied to token_embd
  std::vector<Adapter> adapters;                 // requests can name one by its number, from 1
  size_t n_bytes = 0;                            // of all packed matrices
  const kernels::Matrix& head() const { return output ? *output : *token_embd; }
};

/// Reads and checks the hyperparameters and the presence, type and shape of every tensor.
/// Throws EngineError: model-unsupported (another architecture or tensor type), model-invalid.
ModelConfig read_config(const GgufFile& file);

/// Packs the weights of a file that read_config() has accepted. progress is called with 0..1 and
/// returns false to stop, which throws EngineError "cancelled".
Model load_model(const GgufFile& file, const ModelConfig& config, kernels::Ops& ops,
                 const std::function<bool(double)>& progress);

}  // namespace hearth
