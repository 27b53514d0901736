#include "description.h"

#include <algorithm>
#include <optional>

#include "model/model.h"
#include "tokenizer/vocabulary.h"

namespace hearth {
namespace {

uint64_t elements_of(const GgufTensor& tensor) {
  uint64_t elements = 1;
  for (const uint64_t length : tensor.shape) elements *= length;
  return elements;
}

std::vector<std::string> special_tokens_of(const GgufFile& file) {
  using Spelling = Vocabulary::Spelling;
  const bool is_sentence_piece = file.string("tokenizer.ggml.model") == "llama";
  const Vocabulary vocabulary(
      file, is_sentence_piece ? Spelling::kSentencePiece : Spelling::kByteAlphabet);
  std::vector<std::string> names;
  for (uint32_t id = 0; id < vocabulary.size(); id++)
    if (vocabulary.kind(id) == Vocabulary::Kind::kSpecial) names.emplace_back(vocabulary.bytes(id));
  return names;
}

}  // namespace

ModelDescription describe(const std::string& path) {
  const GgufFile file = GgufFile::open(path);
  const ModelConfig config = read_config(file);
  ModelDescription description;
  description.texts = texts_of(file);
  description.special_tokens = special_tokens_of(file);
  description.quantization = config.quantization;
  description.context_tokens = config.n_context;
  description.file_bytes = file.n_bytes();
  // A token reads only the experts that it uses.
  const auto used_by_token = [&](const GgufTensor& tensor, uint64_t n) {
    return tensor.name.find("_exps.") == std::string::npos
               ? n
               : n / static_cast<uint64_t>(config.n_experts) *
                     static_cast<uint64_t>(config.n_experts_used);
  };
  // One row of the input embeddings is looked up, unless the output layer shares them.
  const bool is_tied = file.find("output.weight") == nullptr;
  for (const GgufTensor& tensor : file.tensors()) {
    const uint64_t elements = elements_of(tensor);
    description.parameters += elements;
    if (is_tied || tensor.name != "token_embd.weight")
      description.read_bytes_per_token += used_by_token(tensor, tensor.data.size());
    if (tensor.name.starts_with("blk."))
      description.weights_per_token += used_by_token(tensor, elements);
  }
  const uint64_t keys_and_values = 2 * sizeof(uint16_t);
  description.kv_bytes_per_token =
      keys_and_values * static_cast<uint64_t>(config.n_layers) * config.n_kv();
  return description;
}

void check_adapter(const std::string& model_path, const std::string& adapter_path) {
  const GgufFile model = GgufFile::open(model_path);
  open_adapter(adapter_path, model, read_config(model));
}

std::map<std::string, std::string> texts_of(const GgufFile& file) {
  std::map<std::string, std::string> texts;
  for (const auto& [key, value] : file.metadata()) {
    const auto* text = std::get_if<std::string>(&value);
    if (text && (key.starts_with("general.") || key == "tokenizer.chat_template"))
      texts.emplace(key, *text);
  }
  const auto* tokens = file.strings("tokenizer.ggml.tokens");
  for (const std::string key : {"tokenizer.ggml.bos_token", "tokenizer.ggml.eos_token"}) {
    const std::optional<uint64_t> id = file.unsigned_value(key + "_id");
    if (tokens && id && *id < tokens->size()) texts.emplace(key, (*tokens)[*id]);
  }
  return texts;
}

}  // namespace hearth
