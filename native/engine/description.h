// What a model file says about its model, without loading it: for lists to choose from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gguf/gguf.h"

namespace hearth {

struct ModelDescription {
  std::map<std::string, std::string> texts;  // see texts_of
  std::vector<std::string> special_tokens;
  std::string quantization;
  int context_tokens = 0;
  uint64_t file_bytes = 0;  // of all parts
  uint64_t parameters = 0;
  /// The bytes of the weights that a generated token reads, and how many weights of layers a
  /// token of a prompt is multiplied with.
  uint64_t read_bytes_per_token = 0;
  uint64_t weights_per_token = 0;
  uint64_t kv_bytes_per_token = 0;  // as f16
};

/// Checks the file as loading it would, but reads no weights. Throws EngineError if it cannot be
/// run.
ModelDescription describe(const std::string& path);

/// Checks an adapter against a model as loading both would, but reads no weights. Throws
/// EngineError, naming file and tensor.
void check_adapter(const std::string& model_path, const std::string& adapter_path);

/// What tells how a model was trained: general.*, the template of its conversations, and the names
/// of BOS and EOS that it may write, as tokenizer.ggml.bos_token and tokenizer.ggml.eos_token.
std::map<std::string, std::string> texts_of(const GgufFile& file);

}  // namespace hearth
