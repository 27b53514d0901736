// Reads a model's hyperparameters from the metadata of its GGUF file, and refuses a file with
// impossible numbers or with a model that Hearth does not run. Keys begin with the name of the
// architecture: "qwen2.block_count", "llama.rope.freq_base".
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "common/error.h"
#include "contract.h"
#include "gguf/gguf.h"
#include "model.h"

namespace hearth {
namespace {

/// More than any model has. Below this limit, an int can count the stacked rows of q, k and v, and
/// of gate and up of all experts.
constexpr uint64_t kMaxDimension = 1 << 24;
/// More than any model has, for the widths of a token's vectors: memory is reserved for a whole
/// batch of them.
constexpr uint64_t kMaxWidth = 1 << 18;

/// what: completes the sentence "The file is damaged: its ...".
void require_that(bool condition, const GgufFile& file, const std::string& what) {
  if (!condition) refuse_incomplete(file.path(), "its " + what);
}

int dimension(const GgufFile& file, const std::string& key, uint64_t most = kMaxDimension) {
  const std::optional<uint64_t> value = file.unsigned_value(key);
  if (!value) refuse_incomplete(file.path(), "its metadata lack " + key);
  require_that(*value > 0 && *value <= most, file, key + " is " + std::to_string(*value));
  return static_cast<int>(*value);
}

int dimension_or(const GgufFile& file, const std::string& key, int fallback) {
  return file.unsigned_value(key) ? dimension(file, key) : fallback;
}

const Family& family_of(const GgufFile& file) {
  const std::string architecture = file.string("general.architecture").value_or("unknown");
  if (const Family* family = find_family(architecture)) return *family;
  std::string names;
  for (const Family& family : kFamilies)
    names += (names.empty() ? "" : ", ") + std::string(family.architecture);
  refuse_unsupported(
      file.path(),
      "it is a model of architecture " + in_quotes(architecture) + ", and Hearth runs " + names,
      "Choose a qwen2.5-coder model");
}

double yarn_factor(const GgufFile& file, const std::string& prefix) {
  const double factor = file.number(prefix + "rope.scaling.factor").value_or(1);
  require_that(factor >= 1 && std::isfinite(factor), file, "rope.scaling.factor is less than 1");
  return factor;
}

/// YaRN (arXiv 2309.00071). A dimension that makes fewer than beta_slow full turns within the
/// original context has its frequency divided by the factor; one that makes more than beta_fast
/// turns keeps its frequency. In between, the inverse of the divisor changes linearly with the
/// index of the dimension.
std::vector<float> yarn_factors(const GgufFile& file, const std::string& prefix,
                                const ModelConfig& config, double factor) {
  const auto key = [&](const char* name, double fallback) {
    return file.number(prefix + "rope.scaling." + name).value_or(fallback);
  };
  const double context = dimension(file, prefix + "rope.scaling.original_context_length");
  const auto dimension_of = [&](double n_turns) {
    return config.head_dim * std::log(context / (n_turns * 2 * std::numbers::pi)) /
           (2 * std::log(double{config.rope_base}));
  };
  const double last = config.head_dim - 1;
  const double low = std::clamp(std::floor(dimension_of(key("yarn_beta_fast", 32))), 0.0, last);
  const double high = std::clamp(std::ceil(dimension_of(key("yarn_beta_slow", 1))), 0.0, last);
  std::vector<float> factors;
  for (int i = 0; i < config.head_dim / 2; i++) {
    const double ramp = std::clamp((i - low) / std::max(high - low, 0.001), 0.0, 1.0);
    factors.push_back(static_cast<float>(1 / (1 - ramp + ramp / factor)));
  }
  return factors;
}

/// The divisor of each frequency. Llama 3's scaling is a tensor with these factors; linear scaling
/// has one factor for all. Empty without scaling.
std::vector<float> rope_factors_of(const GgufFile& file, const std::string& prefix,
                                   const ModelConfig& config) {
  const std::string scaling = file.string(prefix + "rope.scaling.type").value_or("none");
  std::vector<float> factors;
  if (scaling == "linear") {
    const double factor = file.number(prefix + "rope.scaling.factor").value_or(1);
    factors.assign(config.head_dim / 2, static_cast<float>(factor));
  } else if (scaling == "yarn") {
    factors = yarn_factors(file, prefix, config, yarn_factor(file, prefix));
  } else if (scaling != "none") {
    refuse_unsupported(
        file.path(), "it wants RoPE scaling " + in_quotes(scaling) + ", which Hearth does not have",
        "Choose a file without it");
  }
  if (config.family->may_have_rope_factors && file.find(kRopeFactors))
    factors = read_vector(file, require_vector(file, kRopeFactors, config.head_dim / 2));
  for (const float factor : factors)
    require_that(factor > 0 && std::isfinite(factor), file,
                 "RoPE factor " + std::to_string(factor) + " is not a number greater than 0");
  return factors;
}

/// YaRN also multiplies cosines and sines by this, and so attention scores by its square.
float rope_magnitude_of(const GgufFile& file, const std::string& prefix) {
  if (file.string(prefix + "rope.scaling.type") != "yarn") return 1;
  const double factor = file.number(prefix + "rope.scaling.attn_factor").value_or(1);
  require_that(factor > 0 && std::isfinite(factor), file,
               "rope.scaling.attn_factor is not a number greater than 0");
  return static_cast<float>(factor * (1 + 0.1 * std::log(yarn_factor(file, prefix))));
}

/// Reads which layers have a sliding window. The file has a list or a period; in each period, all
/// layers but the last have one.
void read_window(const GgufFile& file, const std::string& prefix, ModelConfig& config) {
  const std::string key = prefix + "attention.sliding_window";
  if (!file.unsigned_value(key)) return;
  config.window = dimension(file, key);
  config.sliding_rope_base =
      static_cast<float>(file.number(prefix + "rope.freq_base_swa").value_or(config.rope_base));
  require_that(config.sliding_rope_base > 1 && std::isfinite(config.sliding_rope_base), file,
               "rope.freq_base_swa is not a number greater than 1");
  if (const std::vector<uint64_t>* layers = file.counts(key + "_pattern")) {
    require_that(layers->size() == static_cast<size_t>(config.n_layers), file,
                 key + "_pattern has " + std::to_string(layers->size()) + " layers");
    for (const uint64_t slides : *layers) config.is_sliding.push_back(slides != 0);
    return;
  }
  const int period = dimension_or(file, key + "_pattern", 4);
  for (int layer = 0; layer < config.n_layers; layer++)
    config.is_sliding.push_back(layer % period + 1 < period);
}

/// [n_layers][head_dim]
std::vector<float> head_norms(const GgufFile& file, const ModelConfig& config, const char* name) {
  std::vector<float> norms;
  for (int layer = 0; layer < config.n_layers; layer++) {
    const std::vector<float> norm =
        read_vector(file, require_vector(file, layer_tensor(layer, name), config.head_dim));
    norms.insert(norms.end(), norm.begin(), norm.end());
  }
  return norms;
}

/// Granite multiplies the embedding by e and the outputs of attention and FFN by r, and divides the
/// logits. We keep the residual stream divided by e instead, so that the embedding needs no further
/// op:
///   x' = x / e      additions times r / e      RMS norms use epsilon / e^2      same results
/// (No family has both these multipliers and norms of q and k, which would need the undivided
/// input.)
void read_multipliers(const GgufFile& file, const std::string& prefix, ModelConfig& config) {
  const auto scalar = [&](const char* key) {
    const double value = file.number(prefix + key).value_or(0);
    require_that(value > 0 && std::isfinite(value), file,
                 prefix + key + " is missing or not greater than 0");
    return value;
  };
  const double embedding = scalar("embedding_scale");
  config.residual_scale = static_cast<float>(scalar("residual_scale") / embedding);
  config.norm_eps = static_cast<float>(config.norm_eps / (embedding * embedding));
  config.scale = static_cast<float>(scalar("attention.scale"));
  config.logit_multiplier = static_cast<float>(1 / scalar("logit_scale"));
}

/// The embedding table may have more rows than the vocabulary has tokens (qwen2: 151,936 for
/// 151,665). Then n_vocab is the number of rows.
int vocabulary_size(const GgufFile& file) {
  const std::vector<std::string>* tokens = file.strings("tokenizer.ggml.tokens");
  require_that(tokens && !tokens->empty() && tokens->size() < kMaxDimension, file,
               "tokenizer.ggml.tokens are missing");
  const GgufTensor* embedding = file.find("token_embd.weight");
  const bool covers_tokens = embedding && embedding->shape.size() == 2 &&
                             embedding->shape[1] >= tokens->size() &&
                             embedding->shape[1] < kMaxDimension;
  return static_cast<int>(covers_tokens ? embedding->shape[1] : tokens->size());
}

/// The name of the block format that holds most of the file's bytes.
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

/// llama.cpp's names for mixtures of block formats, by the value of general.file_type.
constexpr std::pair<uint64_t, const char*> kFileTypes[] = {
    {0, "F32"},     {1, "F16"},     {2, "Q4_0"},    {3, "Q4_1"},    {7, "Q8_0"},
    {8, "Q5_0"},    {9, "Q5_1"},    {10, "Q2_K"},   {11, "Q3_K_S"}, {12, "Q3_K_M"},
    {13, "Q3_K_L"}, {14, "Q4_K_S"}, {15, "Q4_K_M"}, {16, "Q5_K_S"}, {17, "Q5_K_M"},
    {18, "Q6_K"},   {25, "IQ4_NL"}, {30, "IQ4_XS"}, {32, "BF16"},   {38, "MXFP4"},
};

std::string quantization_of(const GgufFile& file) {
  const std::optional<uint64_t> file_type = file.unsigned_value("general.file_type");
  for (const auto& [number, name] : kFileTypes)
    if (file_type == number) return name;
  return dominant_type(file);
}

bool has_mixed_gate_up(const GgufFile& file, const ModelConfig& config) {
  for (int layer = 0; layer < config.n_layers; layer++)
    if (file.find(layer_tensor(layer, ffn_tensor(config, "gate")))->type !=
        file.find(layer_tensor(layer, ffn_tensor(config, "up")))->type)
      return true;
  return false;
}

bool has_float_experts(const GgufFile& file, const ModelConfig& config) {
  if (config.n_experts == 0) return false;
  for (int layer = 0; layer < config.n_layers; layer++)
    for (const char* matrix : {"gate", "up", "down"})
      if (kernels::block_traits(file.find(layer_tensor(layer, ffn_tensor(config, matrix)))->type)
              .is_float())
        return true;
  return false;
}

void read_ffn(const GgufFile& file, const std::string& prefix, ModelConfig& config) {
  if (!config.family->has_experts) {
    if (file.unsigned_value(prefix + "expert_count").value_or(0) > 0)
      refuse_unsupported(file.path(),
                         "it is a mixture of experts, which Hearth does not run for " +
                             std::string(config.family->architecture),
                         "Choose another model");
    config.n_ff = dimension(file, prefix + "feed_forward_length", kMaxWidth);
    return;
  }
  config.n_experts = dimension(file, prefix + "expert_count");
  config.n_experts_used = dimension(file, prefix + "expert_used_count");
  config.n_ff = dimension(file, prefix + "expert_feed_forward_length");
  require_that(config.n_experts_used <= config.n_experts, file,
               prefix + "expert_used_count is greater than expert_count");
  constexpr int kMaxExperts = 1024;
  if (config.n_experts > kMaxExperts || config.n_experts_used > kernels::kMaxExpertsUsed)
    refuse_unsupported(file.path(),
                       "a token uses " + std::to_string(config.n_experts_used) + " of its " +
                           std::to_string(config.n_experts) + " experts, and Hearth runs " +
                           std::to_string(kernels::kMaxExpertsUsed) + " of " +
                           std::to_string(kMaxExperts),
                       "Choose another model");
  require_that(static_cast<uint64_t>(config.n_experts) * config.n_ff <= kMaxDimension, file,
               std::to_string(config.n_experts) + " experts have " + std::to_string(config.n_ff) +
                   " rows each");
  require_that(static_cast<uint64_t>(config.n_experts_used) * config.n_ff <= kMaxWidth, file,
               "token uses " + std::to_string(config.n_experts_used) + " experts of " +
                   std::to_string(config.n_ff) + " rows each");
}

void read_dimensions(const GgufFile& file, const std::string& prefix, ModelConfig& config) {
  config.n_layers = dimension(file, prefix + "block_count");
  config.n_embd = dimension(file, prefix + "embedding_length", kMaxWidth);
  config.n_heads = dimension(file, prefix + "attention.head_count");
  config.n_kv_heads = dimension_or(file, prefix + "attention.head_count_kv", config.n_heads);
  read_ffn(file, prefix, config);
  config.n_context = dimension(file, prefix + "context_length");
  require_that(config.n_embd % config.n_heads == 0, file,
               "embedding_length is no multiple of head_count");
  config.head_dim =
      dimension_or(file, prefix + "attention.key_length", config.n_embd / config.n_heads);
  if (file.unsigned_value(prefix + "rope.dimension_count").value_or(config.head_dim) !=
      static_cast<uint64_t>(config.head_dim))
    refuse_unsupported(file.path(), "it rotates only a part of each head (rope.dimension_count)",
                       "Choose another model");
  require_that(config.n_heads % config.n_kv_heads == 0, file,
               "head_count is no multiple of head_count_kv");
  if (config.head_dim % 16 != 0 || config.head_dim > 256)
    refuse_unsupported(file.path(),
                       "its heads have " + std::to_string(config.head_dim) +
                           " dimensions, and Hearth runs multiples of 16 up to 256",
                       "Choose another model");
  require_that(static_cast<uint64_t>(config.n_heads) * config.head_dim <= kMaxWidth, file,
               std::to_string(config.n_heads) + " heads have " + std::to_string(config.head_dim) +
                   " dimensions each");
}

}  // namespace

ModelConfig read_config(const GgufFile& file) {
  if (file.string("general.type") == "adapter")
    refuse_unsupported(file.path(), "it is an adapter, which needs a model beside it",
                       "Choose a model, and set hearth.model.adapter to this file");
  ModelConfig config;
  config.family = &family_of(file);
  const std::string prefix = std::string(config.family->architecture) + ".";
  config.name = file.string("general.name").value_or("");
  read_dimensions(file, prefix, config);
  config.rope_base = static_cast<float>(file.number(prefix + "rope.freq_base").value_or(10000));
  require_that(config.rope_base > 1 && std::isfinite(config.rope_base), file,
               "rope.freq_base is not a number greater than 1");
  config.rope_factors = rope_factors_of(file, prefix, config);
  config.rope_magnitude = rope_magnitude_of(file, prefix);
  if (config.family->may_slide) read_window(file, prefix, config);
  config.norm_eps =
      static_cast<float>(file.number(prefix + "attention.layer_norm_rms_epsilon").value_or(1e-6));
  require_that(config.norm_eps > 0 && config.norm_eps < 1, file,
               "layer_norm_rms_epsilon is not between 0 and 1");
  if (config.n_context < kMinContextTokens)
    refuse_unsupported(file.path(),
                       "its context_length is " + std::to_string(config.n_context) +
                           ", and a prompt needs at least " + std::to_string(kMinContextTokens),
                       "Choose another model");
  config.n_vocab = vocabulary_size(file);
  check_tensors(file, config);
  config.has_mixed_gate_up = has_mixed_gate_up(file, config);
  config.has_float_experts = has_float_experts(file, config);
  if (config.family->has_head_norms) {
    config.q_norms = head_norms(file, config, "attn_q_norm.weight");
    config.k_norms = head_norms(file, config, "attn_k_norm.weight");
  }
  if (config.family->has_multipliers) read_multipliers(file, prefix, config);
  config.quantization = quantization_of(file);
  return config;
}

}  // namespace hearth
