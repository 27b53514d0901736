// check_layer() lists a layer's tensors. Some depend on the table in family.h.
#include "contract.h"

#include <set>

#include "common/error.h"

namespace hearth {
namespace {

std::string shape_text(const std::vector<uint64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); i++) {
    if (i) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

/// shape: columns first, as in the file.
const GgufTensor& require(const GgufFile& file, const std::string& name,
                          const std::vector<uint64_t>& shape) {
  const GgufTensor* tensor = file.find(name);
  if (!tensor) refuse_incomplete(file.path(), "its tensor " + name + " is missing");
  if (tensor->shape != shape)
    refuse_incomplete(tensor->file, "its tensor " + name + " has shape " +
                                        shape_text(tensor->shape) + " where " + shape_text(shape) +
                                        " is needed");
  const kernels::BlockTraits traits = kernels::block_traits(tensor->type);
  if (!traits.name)
    refuse_unsupported(tensor->file,
                       "its tensor " + name + " has type id " + std::to_string(tensor->type_id) +
                           ", which Hearth does not run",
                       "Choose a Q4_K_M, Q6_K or Q8_0 file");
  uint64_t n_rows = 1;
  for (size_t i = 1; i < shape.size(); i++) n_rows *= shape[i];
  const size_t row = kernels::row_bytes(tensor->type, static_cast<int>(shape[0]));
  if (shape[0] % traits.weights != 0 || tensor->data.size() != n_rows * row)
    refuse_incomplete(tensor->file, "its tensor " + name + " of type " + traits.name + " holds " +
                                        std::to_string(tensor->data.size()) + " bytes, not " +
                                        std::to_string(n_rows * row));
  return *tensor;
}

/// Collects the names that the family requires, so that all other tensors can be refused.
class Contract {
 public:
  explicit Contract(const GgufFile& file) : file_(file) {}

  void matrix(const std::string& name, int n_rows, int n_cols) {
    matrices(name, 0, n_rows, n_cols);
  }
  /// A tensor that stacks the matrices of n_experts experts; 0: a single matrix.
  void matrices(const std::string& name, int n_experts, int n_rows, int n_cols) {
    constexpr int kColumns = 32;  // the kernels multiply this many columns at a time
    std::vector<uint64_t> shape{static_cast<uint64_t>(n_cols), static_cast<uint64_t>(n_rows)};
    if (n_experts > 0) shape.push_back(static_cast<uint64_t>(n_experts));
    const GgufTensor& tensor = require(file_, name, shape);
    if (n_cols % kColumns != 0)
      refuse_unsupported(tensor.file,
                         "its tensor " + name + " has rows of " + std::to_string(n_cols) +
                             " weights, and Hearth runs multiples of " + std::to_string(kColumns),
                         "Choose another model");
    known_.insert(name);
  }
  void vector(const std::string& name, int n) {
    require_vector(file_, name, n);
    known_.insert(name);
  }
  bool has(const std::string& name) const { return file_.find(name) != nullptr; }

  void refuse_others(std::string_view architecture) const {
    for (const GgufTensor& tensor : file_.tensors())
      if (!known_.contains(tensor.name))
        refuse_unsupported(tensor.file,
                           "its tensor " + in_quotes(tensor.name) + " is not part of the " +
                               std::string(architecture) +
                               " architecture, and answers without it would be wrong",
                           "Choose another model file");
  }

 private:
  const GgufFile& file_;
  std::set<std::string> known_;
};

void check_layer(Contract& contract, const ModelConfig& config, int layer) {
  const auto name = [&](const char* tensor) { return layer_tensor(layer, tensor); };
  contract.vector(name("attn_norm.weight"), config.n_embd);
  // Only families whose RoPE pairs are halves may have a fused tensor. The file does not say how
  // the rows of a fused tensor are ordered, and no converter writes one for neighbours.
  const bool may_be_fused = config.family->rope_pairs == RopePairs::kHalves;
  if (may_be_fused && contract.has(name("attn_qkv.weight"))) {
    contract.matrix(name("attn_qkv.weight"), config.n_q() + 2 * config.n_kv(), config.n_embd);
    if (contract.has(name("attn_qkv.bias")))
      contract.vector(name("attn_qkv.bias"), config.n_q() + 2 * config.n_kv());
  } else {
    contract.matrix(name("attn_q.weight"), config.n_q(), config.n_embd);
    contract.matrix(name("attn_k.weight"), config.n_kv(), config.n_embd);
    contract.matrix(name("attn_v.weight"), config.n_kv(), config.n_embd);
    // Requires all three biases or none: a model that lacks one of them runs but writes nonsense.
    if (contract.has(name("attn_q.bias")) || contract.has(name("attn_k.bias")) ||
        contract.has(name("attn_v.bias"))) {
      contract.vector(name("attn_q.bias"), config.n_q());
      contract.vector(name("attn_k.bias"), config.n_kv());
      contract.vector(name("attn_v.bias"), config.n_kv());
    }
  }
  if (config.family->has_head_norms) {
    contract.vector(name("attn_q_norm.weight"), config.head_dim);
    contract.vector(name("attn_k_norm.weight"), config.head_dim);
  }
  contract.matrix(name("attn_output.weight"), config.n_embd, config.n_q());
  contract.vector(name("ffn_norm.weight"), config.n_embd);
  if (config.n_experts > 0)
    contract.matrix(name("ffn_gate_inp.weight"), config.n_experts, config.n_embd);
  const auto ffn = [&](const char* part) { return layer_tensor(layer, ffn_tensor(config, part)); };
  contract.matrices(ffn("gate"), config.n_experts, config.n_ff, config.n_embd);
  contract.matrices(ffn("up"), config.n_experts, config.n_ff, config.n_embd);
  contract.matrices(ffn("down"), config.n_experts, config.n_embd, config.n_ff);
}

}  // namespace

void refuse_incomplete(const std::string& path, const std::string& what) {
  throw EngineError("model-invalid", "The model file " + path + " is damaged or incomplete: " +
                                         what + ". Download it again, or choose another.");
}

void refuse_unsupported(const std::string& path, const std::string& what,
                        const std::string& advice) {
  throw EngineError("model-unsupported",
                    "The model file " + path + " cannot be used: " + what + ". " + advice + ".");
}

const GgufTensor& require_vector(const GgufFile& file, const std::string& name, int n) {
  return require(file, name, {static_cast<uint64_t>(n)});
}

std::vector<float> read_vector(const GgufFile& file, const GgufTensor& tensor) {
  std::vector<float> values(tensor.shape[0]);
  kernels::dequantize_row(tensor.type, file.data(tensor).data(), values.data(),
                          static_cast<int>(values.size()));
  return values;
}

std::string layer_tensor(int layer, const std::string& name) {
  return "blk." + std::to_string(layer) + "." + name;
}

std::string ffn_tensor(const ModelConfig& config, const std::string& part) {
  return "ffn_" + part + (config.n_experts > 0 ? "_exps" : "") + ".weight";
}

void check_tensors(const GgufFile& file, const ModelConfig& config) {
  Contract contract(file);
  contract.matrix("token_embd.weight", config.n_vocab, config.n_embd);
  for (int layer = 0; layer < config.n_layers; layer++) check_layer(contract, config, layer);
  contract.vector("output_norm.weight", config.n_embd);
  if (contract.has("output.weight"))
    contract.matrix("output.weight", config.n_vocab, config.n_embd);
  if (config.family->may_have_rope_factors && contract.has(kRopeFactors))
    contract.vector(kRopeFactors, config.head_dim / 2);
  contract.refuse_others(config.family->architecture);
}

}  // namespace hearth
