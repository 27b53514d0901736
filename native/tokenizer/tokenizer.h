// The tokenizer: turns text into token ids and back, by BPE with the vocabulary of the GGUF file.
// tokenizer.ggml.model selects one of two kinds. "gpt2" is byte-level BPE: a pre-tokenizer splits
// the text into pieces, and merge rules combine the bytes of each piece. "llama" is SentencePiece
// BPE: the scores of the tokens determine how the characters of the whole text merge, and a
// character without a token becomes byte tokens. Immutable after construction, so any thread may
// use it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpe.h"
#include "vocabulary.h"

namespace hearth {

class GgufFile;
struct SplitRules;

/// Whether the name of a special token in a text ("<|fim_suffix|>") is that token or plain text.
enum class SpecialTokens { kAsText, kParse };

class Tokenizer {
 public:
  /// Throws EngineError (model-unsupported, model-invalid) for another tokenizer or pre-tokenizer.
  explicit Tokenizer(const GgufFile& file);

  /// Each byte of invalid UTF-8 becomes U+FFFD. Callers encode fragments of a document, so nothing
  /// is added to the text: no BOS, and not the leading space that SentencePiece would add. Takes
  /// O(n log n) for the longest piece, so that no text is slow.
  std::vector<uint32_t> encode(std::string_view text, SpecialTokens special) const;
  /// The bytes of a token, which need not be whole UTF-8 characters. For a special token they are
  /// its name; unused tokens and ids outside the vocabulary have no bytes.
  std::string_view bytes(uint32_t id) const;
  std::string decode(std::span<const uint32_t> ids) const;

  uint32_t size() const { return vocabulary_.size(); }
  /// Control, user-defined or unused tokens: no text encodes to them, and they are never shown.
  bool is_special(uint32_t id) const;
  /// All special tokens by name, for example "<|fim_prefix|>". Names that are not UTF-8 are left
  /// out.
  const std::map<std::string, uint32_t, std::less<>>& special_tokens() const { return specials_; }
  /// BOS, with which every prompt begins; nullopt if the model was trained without it.
  std::optional<uint32_t> begin_of_text() const { return begin_; }
  /// The tokens that end an answer: EOS, EOT, and the control tokens of kWellKnown.
  const std::vector<uint32_t>& end_of_generation() const { return ends_; }

  /// For token healing: the ids, in ascending order, of all ordinary tokens whose bytes start with
  /// prefix or are a prefix of it. There may be none, because a vocabulary may lack bytes. The
  /// result lies in `ids`, which does not reallocate if it has room for the whole vocabulary.
  std::span<const uint32_t> compatible_with(std::string_view prefix,
                                            std::vector<uint32_t>& ids) const;

 private:
  void index_bytes(const GgufFile& file);
  void index_specials();
  void find_ends(const GgufFile& file);
  void find_begin(const GgufFile& file);
  void encode_piece(std::string_view piece, Merger& merger, std::vector<uint32_t>& ids) const;
  void add_bytes(std::string_view bytes, std::vector<uint32_t>& ids) const;
  void add_character(std::string_view character, std::vector<uint32_t>& ids) const;
  void encode_plain(std::string_view text, Merger& merger, std::vector<uint32_t>& ids) const;
  void encode_parsed(std::string_view text, Merger& merger, std::vector<uint32_t>& ids) const;
  std::optional<uint32_t> special_at(std::string_view text) const;
  /// The ordinary and byte tokens that start with prefix or, if is_exact, are equal to it.
  std::span<const uint32_t> sorted_range(std::string_view prefix, bool is_exact) const;

  const SplitRules* split_;  // null: SentencePiece
  Vocabulary vocabulary_;
  MergeTable merges_;
  uint32_t byte_ids_[256];        // the token of each byte; UINT32_MAX: none
  std::vector<uint32_t> sorted_;  // ids of ordinary and byte tokens, by their bytes
  std::map<std::string, uint32_t, std::less<>> specials_;
  std::vector<uint32_t> specials_longest_first_;
  std::string special_starts_;  // the first bytes of their names
  std::vector<uint32_t> ends_;
  std::optional<uint32_t> begin_;
};

}  // namespace hearth
