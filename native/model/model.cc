// Packs the weights of a checked GGUF file into the backend's layout, tensor by tensor. Matrices
// that are multiplied by the same input are stacked by rows into one (Wq, Wk and Wv; gate and up).
// The rows of Wq and Wk are permuted for families whose RoPE rotates neighbours. Once a tensor is
// packed, its pages of the mapped file are released.
#include "model.h"

#include <cstring>

#include "common/error.h"
#include "contract.h"
#include "gguf/gguf.h"
#include "rope_pairs.h"

namespace hearth {
namespace {

class Loader {
 public:
  Loader(const GgufFile& file, const ModelConfig& config, kernels::Ops& ops,
         const std::function<bool(double)>& progress)
      : file_(file), config_(config), ops_(ops), progress_(progress) {}

  Model load() {
    Model model;
    model.config = config_;
    model.token_embd = matrix(model, {"token_embd.weight"});
    for (int i = 0; i < config_.n_layers; i++) {
      ops_.begin_layer(i);
      model.layers.push_back(layer(model, i));
    }
    ops_.begin_layer(config_.n_layers);
    ops_.residual_scale = config_.residual_scale;
    model.output_norm = vector({"output_norm.weight"}, 0, config_.logit_multiplier);
    if (has_own_output()) model.output = matrix(model, {"output.weight"});
    return model;
  }

 private:
  Layer layer(Model& model, int i) {
    const auto name = [&](const char* tensor) { return layer_tensor(i, tensor); };
    const bool is_fused = file_.find(name("attn_qkv.weight")) != nullptr;
    // Wq and Wk, the first two tensors of QKV, are permuted, and so are their biases; Wv is not.
    const size_t n_permuted = config_.family->rope_pairs == RopePairs::kNeighbours ? 2 : 0;
    Layer out;
    out.attn_norm = vector({name("attn_norm.weight")});
    if (is_fused) {
      out.qkv = matrix(model, {name("attn_qkv.weight")});
      if (file_.find(name("attn_qkv.bias"))) out.qkv_bias = vector({name("attn_qkv.bias")});
    } else {
      out.qkv = matrix(model, {name("attn_q.weight"), name("attn_k.weight"), name("attn_v.weight")},
                       n_permuted);
      if (file_.find(name("attn_q.bias")))
        out.qkv_bias =
            vector({name("attn_q.bias"), name("attn_k.bias"), name("attn_v.bias")}, n_permuted);
    }
    out.attn_out = matrix(model, {name("attn_output.weight")});
    out.ffn_norm = vector({name("ffn_norm.weight")});
    if (config_.n_experts > 0) out.router = matrix(model, {name("ffn_gate_inp.weight")});
    const auto ffn = [&](const char* part) { return layer_tensor(i, ffn_tensor(config_, part)); };
    out.gate_up = matrix_of_each_expert(model, {ffn("gate"), ffn("up")});
    out.ffn_down = matrix_of_each_expert(model, {ffn("down")});
    return out;
  }

  /// Packs matrices stacked by rows. Permutes the rows of the first n_permuted.
  std::unique_ptr<kernels::Matrix> matrix(Model& model, const std::vector<std::string>& names,
                                          size_t n_permuted = 0) {
    std::vector<kernels::MatrixSource> sources;
    std::vector<std::vector<std::byte>> copies;
    for (const std::string& name : names) {
      const GgufTensor& tensor = *file_.find(name);
      const std::span<const std::byte> rows = file_.data(tensor);
      const std::byte* data = rows.data();
      if (sources.size() < n_permuted)
        data = copies.emplace_back(pairs_to_halves(rows, tensor.shape[1], config_.head_dim)).data();
      sources.push_back({tensor.type, data, static_cast<int>(tensor.shape[1]),
                         static_cast<int>(tensor.shape[0])});
    }
    return pack(model, sources, names);
  }

  /// Packs tensors that hold one matrix per expert. The result stacks all matrices of expert 0,
  /// then all of expert 1, and so on.
  std::unique_ptr<kernels::Matrix> matrix_of_each_expert(Model& model,
                                                         const std::vector<std::string>& names) {
    const int n_experts = std::max(1, config_.n_experts);
    std::vector<kernels::MatrixSource> sources;
    for (int expert = 0; expert < n_experts; expert++) {
      for (const std::string& name : names) {
        const GgufTensor& tensor = *file_.find(name);
        const std::span<const std::byte> all = file_.data(tensor);
        sources.push_back({tensor.type, all.data() + all.size() / n_experts * expert,
                           static_cast<int>(tensor.shape[1]), static_cast<int>(tensor.shape[0])});
      }
    }
    return pack(model, sources, names);
  }

  std::unique_ptr<kernels::Matrix> pack(Model& model,
                                        const std::vector<kernels::MatrixSource>& sources,
                                        const std::vector<std::string>& names) {
    std::unique_ptr<kernels::Matrix> packed = ops_.pack(sources);
    model.n_bytes += packed->n_bytes;
    for (const std::string& name : names) release(*file_.find(name));
    return packed;
  }

  /// Concatenates vectors as float and multiplies them by scale. Permutes the first n_permuted.
  std::unique_ptr<kernels::Buffer> vector(const std::vector<std::string>& names,
                                          size_t n_permuted = 0, float scale = 1) {
    std::vector<float> all;
    for (size_t i = 0; i < names.size(); i++) {
      const GgufTensor& tensor = *file_.find(names[i]);
      std::vector<float> values = read_vector(file_, tensor);
      if (i < n_permuted)
        values = pairs_to_halves(std::span<const float>(values), values.size(), config_.head_dim);
      for (const float value : values) all.push_back(value * scale);
      release(tensor);
    }
    std::unique_ptr<kernels::Buffer> buffer = ops_.buffer(all.size());
    ops_.write(buffer->data, all);
    return buffer;
  }

  /// False if the head is tied to the embedding. Some files of tied models (Qwen's own) repeat the
  /// embedding as output.weight, which is not packed.
  bool has_own_output() const {
    const GgufTensor* output = file_.find("output.weight");
    if (!output) return false;
    const GgufTensor& embedding = *file_.find("token_embd.weight");
    return output->type != embedding.type || output->data.size() != embedding.data.size() ||
           std::memcmp(file_.data(*output).data(), file_.data(embedding).data(),
                       output->data.size()) != 0;
  }

  /// Called when a tensor is packed: releases its mapped pages and reports progress in bytes.
  void release(const GgufTensor& tensor) {
    file_.data(tensor);  // throws if the file was changed while the tensor was read
    file_.release(tensor);
    bytes_done_ += tensor.data.size();
    const double fraction = static_cast<double>(bytes_done_) / static_cast<double>(file_.n_bytes());
    if (progress_ && !progress_(fraction))
      throw EngineError("cancelled", "loading " + file_.path() + " was cancelled");
  }

  const GgufFile& file_;
  const ModelConfig& config_;
  kernels::Ops& ops_;
  const std::function<bool(double)>& progress_;
  uint64_t bytes_done_ = 0;
};

}  // namespace

Model load_model(const GgufFile& file, const ModelConfig& config, kernels::Ops& ops,
                 const std::function<bool(double)>& progress) {
  return Loader(file, config, ops, progress).load();
}

}  // namespace hearth
