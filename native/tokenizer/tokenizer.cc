// The constructor builds tables from the vocabulary: the ids sorted by their bytes (for exact and
// prefix look-ups by binary search), the token of each byte, the merge rules and the special
// tokens.
#include "tokenizer.h"

#include <algorithm>
#include <optional>

#include "bpe.h"
#include "common/error.h"
#include "common/utf8.h"
#include "gguf/gguf.h"
#include "merge_rules.h"
#include "model/contract.h"
#include "pretokenizer.h"
#include "vocabulary.h"

namespace hearth {
namespace {

using Kind = Vocabulary::Kind;

/// Null for SentencePiece, which has no pre-tokenizer.
const SplitRules* split_rules_of(const GgufFile& file) {
  const std::string model = file.string("tokenizer.ggml.model").value_or("");
  if (model == "llama") return nullptr;
  const std::string split = file.string("tokenizer.ggml.pre").value_or("");
  const SplitRules* rules = find_split_rules(split);
  if (model == "gpt2" && rules) return rules;
  throw EngineError("model-unsupported", "The model file " + file.path() + " has the tokenizer " +
                                             in_quotes(model) + " with the pre-tokenizer " +
                                             in_quotes(split) +
                                             "; Hearth runs \"llama\", and \"gpt2\" with " +
                                             split_rules_names() + ". Choose another model.");
}

/// Whether code needs this byte. A vocabulary may lack bytes that UTF-8 never contains, and control
/// characters that were rare in the training data.
bool must_have_token(int byte) {
  return byte == '\t' || byte == '\n' || (byte >= 0x20 && byte < 0x7F);
}

}  // namespace

Tokenizer::Tokenizer(const GgufFile& file)
    : split_(split_rules_of(file)),
      vocabulary_(file, split_ ? Vocabulary::Spelling::kByteAlphabet
                               : Vocabulary::Spelling::kSentencePiece),
      merges_(split_ ? listed_merges(file) : scored_merges(file, vocabulary_)) {
  index_bytes(file);
  index_specials();
  find_ends(file);
  find_begin(file);
}

void Tokenizer::index_bytes(const GgufFile& file) {
  std::fill(std::begin(byte_ids_), std::end(byte_ids_), UINT32_MAX);
  // SentencePiece has a byte token even if the byte is also a character with its own token.
  const Kind kind_of_bytes = split_ ? Kind::kOrdinary : Kind::kByte;
  for (uint32_t id = 0; id < vocabulary_.size(); id++) {
    const Kind kind = vocabulary_.kind(id);
    const std::string_view bytes = vocabulary_.bytes(id);
    if (bytes.empty() || (kind != Kind::kOrdinary && kind != Kind::kByte)) continue;
    sorted_.push_back(id);
    uint32_t& byte_id = byte_ids_[static_cast<unsigned char>(bytes[0])];
    if (bytes.size() == 1 && kind == kind_of_bytes) byte_id = std::min(byte_id, id);
  }
  std::sort(sorted_.begin(), sorted_.end(), [this](uint32_t a, uint32_t b) {
    return std::pair(vocabulary_.bytes(a), a) < std::pair(vocabulary_.bytes(b), b);
  });
  for (int byte = 0; byte < 256; byte++)
    if (byte_ids_[byte] == UINT32_MAX && must_have_token(byte))
      refuse_incomplete(file.path(), "it has no token for the byte " + std::to_string(byte));
}

void Tokenizer::index_specials() {
  for (uint32_t id = 0; id < vocabulary_.size(); id++) {
    const std::string_view name = vocabulary_.bytes(id);
    if (vocabulary_.kind(id) != Kind::kSpecial || name.empty()) continue;
    // Otherwise the text beside the token could begin or end inside a character.
    if (valid_utf8_length(name) != name.size()) continue;
    specials_.emplace(name, id);
    specials_longest_first_.push_back(id);
    if (special_starts_.find(name[0]) == std::string::npos) special_starts_ += name[0];
  }
  std::stable_sort(specials_longest_first_.begin(), specials_longest_first_.end(),
                   [this](uint32_t a, uint32_t b) {
                     return vocabulary_.bytes(a).size() > vocabulary_.bytes(b).size();
                   });
}

void Tokenizer::find_ends(const GgufFile& file) {
  for (const auto& [name, id] : specials_) {
    if (is_well_known_special(name)) ends_.push_back(id);
  }
  for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"}) {
    const std::optional<uint64_t> id = file.unsigned_value(key);
    if (id && *id >= vocabulary_.size())
      refuse_incomplete(file.path(), "it has no token for its " + std::string(key));
    if (id) ends_.push_back(static_cast<uint32_t>(*id));
  }
  std::sort(ends_.begin(), ends_.end());
  ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
}

void Tokenizer::find_begin(const GgufFile& file) {
  const bool is_usual = !split_ || split_->name == "llama-bpe";
  const std::optional<uint64_t> id = file.unsigned_value("tokenizer.ggml.bos_token_id");
  if (!id || !file.boolean("tokenizer.ggml.add_bos_token").value_or(is_usual)) return;
  if (*id >= vocabulary_.size())
    refuse_incomplete(file.path(), "it has no token for its tokenizer.ggml.bos_token_id");
  begin_ = static_cast<uint32_t>(*id);
}

void Tokenizer::encode_plain(std::string_view text, Merger& merger,
                             std::vector<uint32_t>& ids) const {
  if (!split_) return encode_piece(text, merger, ids);
  for (size_t start = 0; start < text.size();) {
    const size_t end = piece_end(text, start, *split_);
    encode_piece(text.substr(start, end - start), merger, ids);
    start = end;
  }
}

void Tokenizer::encode_piece(std::string_view piece, Merger& merger,
                             std::vector<uint32_t>& ids) const {
  if (split_ && split_->keeps_known_pieces) {
    const std::span<const uint32_t> known = sorted_range(piece, true);
    if (!known.empty()) return ids.push_back(known.front());
  }
  const size_t n_before = ids.size();
  if (split_) {
    add_bytes(piece, ids);
  } else {
    for (size_t i = 0; i < piece.size();) {
      const size_t n_bytes = decode_utf8(piece, i).n_bytes;
      add_character(piece.substr(i, n_bytes), ids);
      i += n_bytes;
    }
  }
  ids.resize(n_before + merger.merge(std::span(ids).subspan(n_before)));
}

/// SentencePiece: adds the character's token or, if there is none, the tokens of its bytes.
void Tokenizer::add_character(std::string_view character, std::vector<uint32_t>& ids) const {
  for (const uint32_t id : sorted_range(character, true))
    if (vocabulary_.kind(id) == Kind::kOrdinary) return ids.push_back(id);
  add_bytes(character, ids);
}

/// Skips bytes that have no token, as llama.cpp does.
void Tokenizer::add_bytes(std::string_view bytes, std::vector<uint32_t>& ids) const {
  for (const char c : bytes) {
    const uint32_t id = byte_ids_[static_cast<unsigned char>(c)];
    if (id != UINT32_MAX) ids.push_back(id);
  }
}

std::optional<uint32_t> Tokenizer::special_at(std::string_view text) const {
  for (const uint32_t id : specials_longest_first_) {
    if (text.starts_with(vocabulary_.bytes(id))) return id;
  }
  return std::nullopt;
}

void Tokenizer::encode_parsed(std::string_view text, Merger& merger,
                              std::vector<uint32_t>& ids) const {
  size_t plain_start = 0;
  for (size_t i = text.find_first_of(special_starts_); i != std::string_view::npos;
       i = text.find_first_of(special_starts_, i)) {
    const std::optional<uint32_t> id = special_at(text.substr(i));
    if (!id) {
      i++;
      continue;
    }
    encode_plain(text.substr(plain_start, i - plain_start), merger, ids);
    ids.push_back(*id);
    plain_start = i += vocabulary_.bytes(*id).size();
  }
  encode_plain(text.substr(plain_start), merger, ids);
}

std::span<const uint32_t> Tokenizer::sorted_range(std::string_view prefix, bool is_exact) const {
  const auto start = std::lower_bound(
      sorted_.begin(), sorted_.end(), prefix,
      [this](uint32_t id, std::string_view text) { return vocabulary_.bytes(id) < text; });
  const auto end = std::upper_bound(
      start, sorted_.end(), prefix, [this, is_exact](std::string_view text, uint32_t id) {
        const std::string_view bytes = vocabulary_.bytes(id);
        return text < (is_exact ? bytes : bytes.substr(0, text.size()));
      });
  return {start, end};
}

std::vector<uint32_t> Tokenizer::encode(std::string_view text, SpecialTokens special) const {
  std::string repaired;
  if (valid_utf8_length(text) != text.size()) text = repaired = repair_utf8(text);
  std::vector<uint32_t> ids;
  ids.reserve(text.size() / 3 + 16);
  Merger merger(merges_);
  if (special == SpecialTokens::kParse) {
    encode_parsed(text, merger, ids);
  } else {
    encode_plain(text, merger, ids);
  }
  return ids;
}

std::string_view Tokenizer::bytes(uint32_t id) const {
  return id < size() ? vocabulary_.bytes(id) : std::string_view();
}

std::string Tokenizer::decode(std::span<const uint32_t> ids) const {
  std::string text;
  for (const uint32_t id : ids) text += bytes(id);
  return text;
}

bool Tokenizer::is_special(uint32_t id) const {
  if (id >= size()) return false;
  const Kind kind = vocabulary_.kind(id);
  return kind == Kind::kSpecial || kind == Kind::kUnused;
}

std::span<const uint32_t> Tokenizer::compatible_with(std::string_view prefix,
                                                     std::vector<uint32_t>& ids) const {
  const std::span<const uint32_t> longer = sorted_range(prefix, false);
  ids.assign(longer.begin(), longer.end());
  for (size_t length = 1; length < prefix.size(); length++) {
    const std::span<const uint32_t> shorter = sorted_range(prefix.substr(0, length), true);
    ids.insert(ids.end(), shorter.begin(), shorter.end());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace hearth
