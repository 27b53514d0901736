// BPE over the GGUF's own vocabulary, of two kinds. "gpt2" (tokenizer.ggml.model) is byte-level:
// the text is split into pieces by one of the patterns in pretokenizer.h, and the listed rules
// merge each piece's bytes. "llama" is SentencePiece's: the characters of the whole text merge by
// the tokens' scores, and characters that are no token become byte tokens. Immutable after
// construction; used from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hearth {

class GgufFile;

/// How text that looks like a special token ("<|fim_suffix|>") is read.
enum class SpecialTokens { kAsText, kParse };

class Tokenizer {
 public:
  /// Throws EngineError (model-unsupported, model-invalid) for another tokenizer or pre-tokenizer.
  explicit Tokenizer(const GgufFile& file);
  ~Tokenizer();

  /// UTF-8 in, ids out. Invalid UTF-8 is not an error: each bad byte is one U+FFFD. Nothing is
  /// added: no BOS, and not the space that SentencePiece puts before a text, since callers encode
  /// fragments of a document.
  /// Linear time in practice: long runs without a split point are cut by the merge heap, O(n log
  /// n).
  std::vector<uint32_t> encode(std::string_view text, SpecialTokens special) const;
  /// The token's bytes (not necessarily whole UTF-8 characters). Special tokens give their name,
  /// unused ones and ids outside the vocabulary nothing.
  std::string_view bytes(uint32_t id) const;
  std::string decode(std::span<const uint32_t> ids) const;

  uint32_t size() const;
  /// Control, user-defined or unused: never produced from text, never shown as text.
  bool is_special(uint32_t id) const;
  /// Id of a special token by name, e.g. "<|fim_prefix|>"; UINT32_MAX if the model has none.
  uint32_t special_id(std::string_view name) const;
  /// All special tokens by name.
  const std::map<std::string, uint32_t, std::less<>>& special_tokens() const;
  /// The token with which every prompt begins; none for a model that was trained without.
  std::optional<uint32_t> begin_of_text() const;
  /// EOS, EOT and FIM/file tokens: generation ends on any of these.
  const std::vector<uint32_t>& end_of_generation() const;

  /// Ids of all ordinary tokens t where t's bytes start with prefix, or prefix starts with t's
  /// bytes (t not empty). Ascending. For token healing. They lie in `ids`, which need not grow if
  /// it has room for the vocabulary.
  std::span<const uint32_t> compatible_with(std::string_view prefix,
                                            std::vector<uint32_t>& ids) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hearth
