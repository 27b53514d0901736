// Reads tokenizer.ggml.tokens and tokenizer.ggml.token_type, and decodes the spelling of each
// token.
#include "vocabulary.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "common/error.h"
#include "common/utf8.h"
#include "gguf/gguf.h"

namespace hearth {
namespace {

using Kind = Vocabulary::Kind;
using Spelling = Vocabulary::Spelling;

// The control tokens of code models. Each of them ends an answer.
constexpr std::string_view kWellKnown[] = {
    // Qwen2.5-Coder; Granite 4
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|fim_prefix|>", "<|fim_middle|>",
    "<|fim_suffix|>", "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>",
    // StarCoder, Granite Code, Mellum
    "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>", "<filename>", "<file_sep>",
    "<reponame>", "<repo_name>",
    // Seed-Coder
    "<[fim-prefix]>", "<[fim-middle]>", "<[fim-suffix]>",
    // DeepSeek-Coder
    "<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>", "<|EOT|>",
    // CodeLlama
    "▁<PRE>", "▁<MID>", "▁<SUF>", "▁<EOT>",
    // Codestral
    "[PREFIX]", "[MIDDLE]", "[SUFFIX]"};

// GPT-2's alphabet: a byte that is a printable character in Latin-1 is that character; the other
// bytes are U+0100, U+0101 ... in order. The array maps code points to bytes; -1: not in the
// alphabet.
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

// nullopt if a character is not in the alphabet.
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

std::string with_spaces(std::string_view name) {
  constexpr std::string_view kSpace = "▁";  // U+2581
  std::string text;
  for (size_t i = 0; i < name.size();) {
    const bool is_space = name.substr(i).starts_with(kSpace);
    text += is_space ? ' ' : name[i];
    i += is_space ? kSpace.size() : 1;
  }
  return text;
}

// The byte that <0xNN> names; nullopt for another name.
std::optional<std::string> hexadecimal_byte(std::string_view name) {
  unsigned value = 0;
  if (name.size() != 6 || !name.starts_with("<0x") || name[5] != '>') return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + 3, name.data() + 5, value, 16);
  if (error != std::errc() || end != name.data() + 5) return std::nullopt;
  return std::string(1, static_cast<char>(value));
}

// Token types of the GGUF specification.
constexpr int64_t kNormal = 1, kControl = 3, kUserDefined = 4, kByte = 6;

Kind kind_of(int64_t type, std::string_view name, Spelling spelling) {
  if (type == kControl || type == kUserDefined || is_well_known_special(name)) {
    return Kind::kSpecial;
  }
  if (type == kByte && spelling == Spelling::kSentencePiece)
    return hexadecimal_byte(name) ? Kind::kByte : Kind::kUnused;
  return type == kNormal || type == kByte ? Kind::kOrdinary : Kind::kUnused;
}

std::string bytes_of(Kind kind, std::string_view name, Spelling spelling) {
  if (kind == Kind::kUnused) return "";
  if (kind == Kind::kSpecial) return std::string(name);
  if (kind == Kind::kByte) return *hexadecimal_byte(name);
  if (spelling == Spelling::kSentencePiece) return with_spaces(name);
  // Tokens added to a vocabulary later may be spelled as plain text.
  return alphabet_to_bytes(name).value_or(std::string(name));
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

Vocabulary::Vocabulary(const GgufFile& file, Spelling spelling) {
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
    kinds_.push_back(kind_of(types[i], name, spelling));
    starts_.push_back(bytes_.size());
    bytes_ += bytes_of(kinds_[i], name, spelling);
  }
  starts_.push_back(bytes_.size());
}

}  // namespace hearth
