// Describes a model from its file, without loading it, for lists of models.
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
  /// Bytes of weights that a generated token reads, and the number of layer weights that a prompt
  /// token is multiplied by.
  uint64_t read_bytes_per_token = 0;
  uint64_t weights_per_token = 0;
  uint64_t kv_bytes_per_token = 0;  // as f16
};

/// Runs the same checks as loading, but reads no weights. Throws EngineError if the model cannot be
/// run.
ModelDescription describe(const std::string& path);

/// Runs the same checks as loading a model with an adapter, but reads no weights. Throws
/// EngineError with the names of file and tensor.
void check_adapter(const std::string& model_path, const std::string& adapter_path);

/// The strings that describe a model: general.*, the chat template, and the BOS and EOS tokens,
/// which the template may use, under the keys tokenizer.ggml.bos_token and
/// tokenizer.ggml.eos_token.
std::map<std::string, std::string> texts_of(const GgufFile& file);

}  // namespace hearth
