// The token list of a GGUF in the engine's form: each token's bytes and kind. tokenizer.cc uses it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hearth {

class GgufFile;

class Vocabulary {
 public:
  /// How a token's name spells its bytes.
  enum class Spelling {
    kByteAlphabet,   // GPT-2: a printable character for each byte
    kSentencePiece,  // UTF-8 with U+2581 for a space, and tokens <0x00> to <0xFF> for other bytes
  };
  enum class Kind : uint8_t {
    kOrdinary,
    kByte,     // SentencePiece's <0xNN>
    kSpecial,  // control or user-defined: its name stands for it
    kUnused,   // padding of the embedding matrix: no bytes
  };

  /// Throws EngineError (model-invalid) for a list that cannot be used.
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

/// Tokens whose name says what they are, whatever kind the file gives them.
bool is_well_known_special(std::string_view name);

}  // namespace hearth
