// The vocabulary of a GGUF file: the bytes and the kind of each token. Files spell the bytes of a
// token in one of two ways (Spelling). The type that they give a token is not always right, so
// control tokens of code models are also recognized by their names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hearth {

class GgufFile;

class Vocabulary {
 public:
  enum class Spelling {
    kByteAlphabet,   // GPT-2's alphabet: a printable character for each byte
    kSentencePiece,  // UTF-8 with U+2581 for a space, and tokens <0x00> to <0xFF> for single bytes
  };
  enum class Kind : uint8_t {
    kOrdinary,
    kByte,     // SentencePiece's <0xNN>
    kSpecial,  // control or user-defined; bytes() is its name
    kUnused,   // has no bytes; for example padding of the embedding matrix
  };

  /// Throws EngineError "model-invalid" if the file's list of tokens cannot be used.
  Vocabulary(const GgufFile& file, Spelling spelling);

  uint32_t size() const { return static_cast<uint32_t>(kinds_.size()); }
  Kind kind(uint32_t id) const { return kinds_[id]; }
  std::string_view bytes(uint32_t id) const {
    return std::string_view(bytes_).substr(starts_[id], starts_[id + 1] - starts_[id]);
  }

 private:
  std::vector<Kind> kinds_;
  std::vector<size_t> starts_;  // [size + 1] into bytes_
  std::string bytes_;
};

/// Whether a token with this name is a control token, whatever type the file gives it.
bool is_well_known_special(std::string_view name);

}  // namespace hearth
