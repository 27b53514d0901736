#include "vocabulary.h"

#include <algorithm>
#include <array>
#include <optional>

#include "error.h"
#include "gguf.h"
#include "pretokenizer.h"

namespace hearth {
namespace {

using Kind = Vocabulary::Kind;

constexpr std::string_view kWellKnown[] = {
    "<|endoftext|>",  "<|im_start|>", "<|im_end|>",    "<|fim_prefix|>", "<|fim_middle|>",
    "<|fim_suffix|>", "<|fim_pad|>",  "<|repo_name|>", "<|file_sep|>",
};

// GPT-2 writes a byte as a printable character: itself where that is one, else, in order of the
// byte, a character from U+0100 on. The array answers the byte of a character, or -1.
constexpr std::array<int16_t, 0x144> kAlphabet = [] {
  std::array<int16_t, 0x144> bytes{};
  bytes.fill(-1);
  int next = 0x100;
  for (int byte = 0; byte < 256; byte++) {
    const bool is_printable =
        (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xFF && byte != 0xAD);
    bytes[is_printable ? byte : next++] = static_cast<int16_t>(byte);
  }
  return bytes;
}();

// nullopt if a character is not of the alphabet.
std::optional<std::string> alphabet_to_bytes(std::string_view token) {
  if (valid_utf8_length(token) != token.size()) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < token.size();) {
    const Utf8Char character = decode_utf8(token, i);
    const uint32_t code_point = character.code_point;
    if (code_point >= kAlphabet.size() || kAlphabet[code_point] < 0) return std::nullopt;
    bytes += static_cast<char>(kAlphabet[code_point]);
    i += character.n_bytes;
  }
  return bytes;
}

// Token types of the GGUF specification.
constexpr int64_t kNormal = 1, kControl = 3, kUserDefined = 4, kByte = 6;

Kind kind_of(int64_t type, std::string_view name) {
  if (type == kControl || type == kUserDefined || is_well_known_special(name)) {
    return Kind::kSpecial;
  }
  return type == kNormal || type == kByte ? Kind::kOrdinary : Kind::kUnused;
}

std::vector<int64_t> token_types(const GgufFile& file, size_t n_tokens) {
  const char* key = "tokenizer.ggml.token_type";
  const auto entry = file.metadata().find(key);
  if (entry == file.metadata().end()) return std::vector<int64_t>(n_tokens, kNormal);
  std::vector<int64_t> types;
  if (const auto* values = std::get_if<std::vector<int64_t>>(&entry->second)) {
    types = *values;
  } else if (const auto* values = std::get_if<std::vector<uint64_t>>(&entry->second)) {
    types.assign(values->begin(), values->end());
  }
  if (types.size() == n_tokens) return types;
  throw EngineError("model-invalid", "The model file " + file.path() + " has " +
                                         std::to_string(n_tokens) + " tokens, but " + key +
                                         " does not list as many types. Download it again.");
}

}  // namespace

bool is_well_known_special(std::string_view name) {
  return std::find(std::begin(kWellKnown), std::end(kWellKnown), name) != std::end(kWellKnown);
}

Vocabulary::Vocabulary(const GgufFile& file) {
  const std::vector<std::string>* names = file.strings("tokenizer.ggml.tokens");
  if (!names || names->empty()) {
    throw EngineError("model-invalid", "The model file " + file.path() +
                                           " has no tokenizer.ggml.tokens. Choose another file.");
  }
  const std::vector<int64_t> types = token_types(file, names->size());
  kinds_.reserve(names->size());
  starts_.reserve(names->size() + 1);
  for (size_t i = 0; i < names->size(); i++) {
    const std::string& name = (*names)[i];
    kinds_.push_back(kind_of(types[i], name));
    starts_.push_back(bytes_.size());
    if (kinds_[i] == Kind::kSpecial) bytes_ += name;
    // An added token that the file calls normal may hold any text: that text is meant as it stands.
    if (kinds_[i] == Kind::kOrdinary) bytes_ += alphabet_to_bytes(name).value_or(name);
  }
  starts_.push_back(bytes_.size());
}

}  // namespace hearth
