#include "model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "contract.h"
#include "error.h"
#include "gguf.h"

namespace hearth {
namespace {

/// More than any qwen2 has; keeps products of sizes far from overflow when a file lies.
constexpr uint64_t kMaxDimension = 1 << 24;

int dimension(const GgufFile& file, const std::string& key) {
  const std::optional<uint64_t> value = file.unsigned_value(key);
  if (!value) refuse_incomplete(file.path(), "its metadata lack " + key);
  if (*value == 0 || *value > kMaxDimension)
    refuse_incomplete(file.path(), "its " + key + " is " + std::to_string(*value));
  return static_cast<int>(*value);
}

void require_that(bool condition, const GgufFile& file, const std::string& what) {
  if (!condition) refuse_incomplete(file.path(), "its " + what);
}

const Family& family_of(const GgufFile& file) {
  const std::string architecture = file.string("general.architecture").value_or("unknown");
  if (const Family* family = find_family(architecture)) return *family;
  std::string names;
  for (const Family& family : kFamilies)
    names += (names.empty() ? "" : ", ") + std::string(family.architecture);
  refuse_unsupported(
      file.path(),
      "it is a model of architecture " + quoted(architecture) + ", and Hearth runs " + names,
      "Choose a qwen2.5-coder model");
}

/// Llama 3's scaling is a tensor of factors; the linear one has the same factor for all.
std::vector<float> rope_factors_of(const GgufFile& file, const ModelConfig& config) {
  const std::string prefix = std::string(config.family->architecture) + ".rope.";
  const std::string scaling = file.string(prefix + "scaling.type").value_or("none");
  std::vector<float> factors;
  if (scaling == "linear") {
    const double factor = file.number(prefix + "scaling.factor").value_or(1);
    factors.assign(config.head_dim / 2, static_cast<float>(factor));
  } else if (scaling != "none") {
    refuse_unsupported(file.path(),
                       "it wants RoPE scaling " + quoted(scaling) + ", which Hearth does not have",
                       "Choose a file without it");
  }
  if (config.family->may_have_rope_factors && file.find(kRopeFactors)) {
    const GgufTensor& tensor = require_vector(file, kRopeFactors, config.head_dim / 2);
    factors.resize(config.head_dim / 2);
    kernels::dequantize_row(tensor.type, file.data(tensor).data(), factors.data(),
                            config.head_dim / 2);
  }
  for (const float factor : factors)
    require_that(factor > 0 && std::isfinite(factor), file,
                 "RoPE factor " + std::to_string(factor) + " is not a number greater than 0");
  return factors;
}

/// general.file_type by number, as llama.cpp's quantize writes it.
constexpr std::pair<uint64_t, const char*> kFileTypes[] = {
    {0, "F32"},     {1, "F16"},     {2, "Q4_0"},    {3, "Q4_1"},    {7, "Q8_0"},
    {8, "Q5_0"},    {9, "Q5_1"},    {10, "Q2_K"},   {11, "Q3_K_S"}, {12, "Q3_K_M"},
    {13, "Q3_K_L"}, {14, "Q4_K_S"}, {15, "Q4_K_M"}, {16, "Q5_K_S"}, {17, "Q5_K_M"},
    {18, "Q6_K"},   {25, "IQ4_NL"}, {30, "IQ4_XS"}, {32, "BF16"},
};

/// Head norms of all layers, one behind the other.
std::vector<float> head_norms(const GgufFile& file, const ModelConfig& config, const char* name) {
  std::vector<float> norms;
  for (int layer = 0; layer < config.n_layers; layer++) {
    const GgufTensor& tensor = require_vector(file, layer_tensor(layer, name), config.head_dim);
    norms.resize(norms.size() + config.head_dim);
    kernels::dequantize_row(tensor.type, tensor.data.data(), &*norms.end() - config.head_dim,
                            config.head_dim);
  }
  return norms;
}

/// Granite multiplies the embedding by e and what each layer adds by r. The same stream divided by
/// e needs no op for the embedding: each layer adds r / e, and a norm's epsilon is divided by e^2.
void read_scalars(const GgufFile& file, const std::string& prefix, ModelConfig& config) {
  const auto scalar = [&](const char* key) {
    const double value = file.number(prefix + key).value_or(0);
    require_that(value > 0 && std::isfinite(value), file, prefix + key + " is not greater than 0");
    return value;
  };
  const double embedding = scalar("embedding_scale");
  config.residual_scale = static_cast<float>(scalar("residual_scale") / embedding);
  config.norm_eps = static_cast<float>(config.norm_eps / (embedding * embedding));
  config.attention_scale = static_cast<float>(scalar("attention.scale"));
  config.logit_scale = static_cast<float>(1 / scalar("logit_scale"));
}

std::string dominant_type(const GgufFile& file) {
  std::map<std::string, uint64_t> bytes_by_type;
  for (const GgufTensor& tensor : file.tensors())
    if (const char* name = kernels::block_traits(tensor.type).name)
      bytes_by_type[name] += tensor.data.size();
  std::string best;
  uint64_t most = 0;
  for (const auto& [name, bytes] : bytes_by_type)
    if (bytes > most) best = name, most = bytes;
  return best;
}

/// What the file calls its mixture of types; else the type of most of its bytes.
std::string quantization_of(const GgufFile& file) {
  const std::optional<uint64_t> file_type = file.unsigned_value("general.file_type");
  for (const auto& [number, name] : kFileTypes)
    if (file_type == number) return name;
  return dominant_type(file);
}

/// Packs one checked file. Knows the progress made, by bytes of the file.
class Loader {
 public:
  Loader(const GgufFile& file, const ModelConfig& config, kernels::Ops& ops,
         const std::function<bool(double)>& progress)
      : file_(file), config_(config), ops_(ops), progress_(progress) {}

  Model load() {
    Model model;
    model.config = config_;
    model.token_embd = matrix(model, {"token_embd.weight"});
    for (int i = 0; i < config_.n_layers; i++) model.layers.push_back(layer(model, i));
    ops_.residual_scale = config_.residual_scale;
    model.output_norm = vector({"output_norm.weight"}, 0, config_.logit_scale);
    if (has_own_output()) model.output = matrix(model, {"output.weight"});
    return model;
  }

 private:
  Layer layer(Model& model, int i) {
    const auto name = [&](const char* tensor) { return layer_tensor(i, tensor); };
    const bool is_fused = file_.find(name("attn_qkv.weight")) != nullptr;
    // Of Wq and Wk (and their biases) in a family that turns neighbours, the rows change places.
    const bool is_reordered = config_.family->rope_pairs == RopePairs::kNeighbours;
    const int n_turned = is_reordered ? 2 : 0;
    Layer out;
    out.attn_norm = vector({name("attn_norm.weight")});
    if (is_fused) {
      out.qkv = matrix(model, {name("attn_qkv.weight")});
      if (file_.find(name("attn_qkv.bias"))) out.qkv_bias = vector({name("attn_qkv.bias")});
    } else {
      out.qkv = matrix(model, {name("attn_q.weight"), name("attn_k.weight"), name("attn_v.weight")},
                       n_turned);
      if (file_.find(name("attn_q.bias")))
        out.qkv_bias =
            vector({name("attn_q.bias"), name("attn_k.bias"), name("attn_v.bias")}, n_turned);
    }
    out.attn_out = matrix(model, {name("attn_output.weight")});
    out.ffn_norm = vector({name("ffn_norm.weight")});
    out.gate_up = matrix(model, {name("ffn_gate.weight"), name("ffn_up.weight")});
    out.ffn_down = matrix(model, {name("ffn_down.weight")});
    return out;
  }

  /// Stacked by rows; the rows of the first n_turned in the order of halves.
  std::unique_ptr<kernels::Matrix> matrix(Model& model, const std::vector<std::string>& names,
                                          size_t n_turned = 0) {
    std::vector<kernels::MatrixSource> parts;
    std::vector<std::vector<std::byte>> copies;
    for (const std::string& name : names) {
      const GgufTensor& tensor = *file_.find(name);
      const std::span<const std::byte> rows = file_.data(tensor);
      const std::byte* data = rows.data();
      if (parts.size() < n_turned)
        data = copies.emplace_back(in_halves(rows, tensor.shape[1])).data();
      parts.push_back({tensor.type, data, static_cast<int>(tensor.shape[1]),
                       static_cast<int>(tensor.shape[0])});
    }
    std::unique_ptr<kernels::Matrix> packed = ops_.pack(parts);
    model.n_bytes += packed->n_bytes;
    for (const std::string& name : names) done(*file_.find(name));
    return packed;
  }

  /// Vectors stacked end to end, as float; the first n_turned in the order of halves.
  std::unique_ptr<kernels::Buffer> vector(const std::vector<std::string>& names,
                                          size_t n_turned = 0, float scale = 1) {
    std::vector<float> values;
    for (size_t i = 0; i < names.size(); i++) {
      const GgufTensor& tensor = *file_.find(names[i]);
      std::vector<float> part(tensor.shape[0]);
      kernels::dequantize_row(tensor.type, file_.data(tensor).data(), part.data(),
                              static_cast<int>(part.size()));
      if (i < n_turned) part = in_halves(std::span<const float>(part), part.size());
      for (const float value : part) values.push_back(value * scale);
      done(tensor);
    }
    std::unique_ptr<kernels::Buffer> buffer = ops_.buffer(values.size());
    ops_.write(buffer->data, values);
    return buffer;
  }

  /// n_rows rows of heads: of each head first the even rows, then the odd ones.
  template <typename T>
  std::vector<T> in_halves(std::span<const T> rows, size_t n_rows) const {
    const size_t row = rows.size() / n_rows, head = config_.head_dim, half = head / 2;
    std::vector<T> result(rows.size());
    for (size_t to = 0; to < n_rows; to++) {
      const size_t i = to % head;
      const size_t from = to - i + (i < half ? 2 * i : 2 * (i - half) + 1);
      std::copy_n(rows.begin() + from * row, row, result.begin() + to * row);
    }
    return result;
  }

  /// Qwen's own files of the tied sizes carry the embedding a second time as output.weight.
  bool has_own_output() const {
    const GgufTensor* output = file_.find("output.weight");
    if (!output) return false;
    const GgufTensor& embedding = *file_.find("token_embd.weight");
    return output->type != embedding.type || output->data.size() != embedding.data.size() ||
           std::memcmp(file_.data(*output).data(), file_.data(embedding).data(),
                       output->data.size()) != 0;
  }

  void done(const GgufTensor& tensor) {
    file_.data(tensor);  // not changed meanwhile, either
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

kernels::AttentionShape ModelConfig::attention_shape(kernels::KvType kv_type,
                                                     int max_positions) const {
  return {.n_layers = n_layers,
          .n_heads = n_heads,
          .n_kv_heads = n_kv_heads,
          .head_dim = head_dim,
          .max_positions = max_positions,
          .rope_base = rope_base,
          .kv_type = kv_type,
          .rope_factors = rope_factors,
          .scale = attention_scale,
          .q_norms = q_norms,
          .k_norms = k_norms,
          .norm_eps = norm_eps};
}

ModelConfig check_model(const GgufFile& file) {
  ModelConfig config;
  config.family = &family_of(file);
  const std::string prefix = std::string(config.family->architecture) + ".";
  config.name = file.string("general.name").value_or("");
  if (file.unsigned_value(prefix + "expert_count").value_or(0) > 0)
    refuse_unsupported(file.path(), "it is a mixture of experts, which Hearth does not run",
                       "Choose a dense model");
  config.n_layers = dimension(file, prefix + "block_count");
  config.n_embd = dimension(file, prefix + "embedding_length");
  config.n_heads = dimension(file, prefix + "attention.head_count");
  config.n_kv_heads = file.unsigned_value(prefix + "attention.head_count_kv")
                          ? dimension(file, prefix + "attention.head_count_kv")
                          : config.n_heads;
  config.n_ff = dimension(file, prefix + "feed_forward_length");
  config.n_context = dimension(file, prefix + "context_length");
  config.rope_base = static_cast<float>(file.number(prefix + "rope.freq_base").value_or(10000));
  config.norm_eps =
      static_cast<float>(file.number(prefix + "attention.layer_norm_rms_epsilon").value_or(1e-6));
  require_that(config.n_embd % config.n_heads == 0, file,
               "embedding_length is no multiple of head_count");
  config.head_dim = file.unsigned_value(prefix + "attention.key_length")
                        ? dimension(file, prefix + "attention.key_length")
                        : config.n_embd / config.n_heads;
  require_that(file.unsigned_value(prefix + "rope.dimension_count").value_or(config.head_dim) ==
                   static_cast<uint64_t>(config.head_dim),
               file, "rope.dimension_count is not that of its heads");
  require_that(config.n_heads % config.n_kv_heads == 0, file,
               "head_count is no multiple of head_count_kv");
  if (config.head_dim % 16 != 0 || config.head_dim > 256)
    refuse_unsupported(file.path(),
                       "its heads have " + std::to_string(config.head_dim) +
                           " dimensions, and Hearth runs multiples of 16 up to 256",
                       "Choose another model");
  require_that(config.rope_base > 1 && std::isfinite(config.rope_base), file,
               "rope.freq_base is not a number greater than 1");
  config.rope_factors = rope_factors_of(file, config);
  require_that(config.norm_eps > 0 && config.norm_eps < 1, file,
               "layer_norm_rms_epsilon is not between 0 and 1");
  if (config.n_context < kFewestContextTokens)
    refuse_unsupported(file.path(),
                       "its context_length is " + std::to_string(config.n_context) +
                           ", and a prompt needs at least " + std::to_string(kFewestContextTokens),
                       "Choose another model");
  const std::vector<std::string>* vocabulary = file.strings("tokenizer.ggml.tokens");
  require_that(vocabulary && !vocabulary->empty() && vocabulary->size() < kMaxDimension, file,
               "tokenizer.ggml.tokens are missing");
  const GgufTensor* embedding = file.find("token_embd.weight");
  // The embedding table may be padded beyond the vocabulary (151,936 rows for 151,665 tokens).
  const bool is_padded = embedding && embedding->shape.size() == 2 &&
                         embedding->shape[1] >= vocabulary->size() &&
                         embedding->shape[1] < kMaxDimension;
  config.n_vocab = static_cast<int>(is_padded ? embedding->shape[1] : vocabulary->size());
  check_tensors(file, config);
  if (config.family->has_head_norms) {
    config.q_norms = head_norms(file, config, "attn_q_norm.weight");
    config.k_norms = head_norms(file, config, "attn_k_norm.weight");
  }
  if (config.family->has_scalars) read_scalars(file, prefix, config);
  config.quantization = quantization_of(file);
  return config;
}

Model load_model(const GgufFile& file, const ModelConfig& config, kernels::Ops& ops,
                 const std::function<bool(double)>& progress) {
  return Loader(file, config, ops, progress).load();
}

}  // namespace hearth
