// State holds the tables: the vocabulary, its ids sorted by bytes (for exact and prefix look-ups by
// binary search), the merge rules, and the special tokens.
#include "tokenizer.h"

#include <algorithm>
#include <optional>

#include "bpe.h"
#include "contract.h"
#include "error.h"
#include "gguf.h"
#include "merge_rules.h"
#include "pretokenizer.h"
#include "utf8.h"
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
                                             quoted(model) + " with the pre-tokenizer " +
                                             quoted(split) +
                                             "; Hearth runs \"llama\", and \"gpt2\" with " +
                                             split_rules_names() + ". Choose another model.");
}

/// Without these bytes a vocabulary cannot spell code. Others are allowed to be missing: bytes that
/// UTF-8 never contains, and control characters that were rare in the training data.
bool must_have_token(int byte) {
  return byte == '\t' || byte == '\n' || (byte >= 0x20 && byte < 0x7F);
}

}  // namespace

struct Tokenizer::State {
  explicit State(const GgufFile& file)
      : split(split_rules_of(file)),
        vocabulary(file, split ? Vocabulary::Spelling::kByteAlphabet
                               : Vocabulary::Spelling::kSentencePiece),
        merges(split ? listed_merges(file) : scored_merges(file, vocabulary)) {
    index_bytes(file);
    index_specials();
    find_ends(file);
    find_begin(file);
  }

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

  const SplitRules* split;  // null: SentencePiece
  Vocabulary vocabulary;
  MergeTable merges;
  uint32_t byte_ids[256];        // the token of each byte; UINT32_MAX: none
  std::vector<uint32_t> sorted;  // ids of ordinary and byte tokens, by their bytes
  std::map<std::string, uint32_t, std::less<>> specials;
  std::vector<uint32_t> specials_longest_first;
  std::string special_starts;  // the first bytes of their names
  std::vector<uint32_t> ends;
  std::optional<uint32_t> begin;
};

void Tokenizer::State::index_bytes(const GgufFile& file) {
  std::fill(std::begin(byte_ids), std::end(byte_ids), UINT32_MAX);
  // SentencePiece has a byte token even where the byte is also a character with its own token.
  const Kind kind_of_bytes = split ? Kind::kOrdinary : Kind::kByte;
  for (uint32_t id = 0; id < vocabulary.size(); id++) {
    const Kind kind = vocabulary.kind(id);
    const std::string_view bytes = vocabulary.bytes(id);
    if (bytes.empty() || (kind != Kind::kOrdinary && kind != Kind::kByte)) continue;
    sorted.push_back(id);
    uint32_t& byte_id = byte_ids[static_cast<unsigned char>(bytes[0])];
    if (bytes.size() == 1 && kind == kind_of_bytes) byte_id = std::min(byte_id, id);
  }
  std::sort(sorted.begin(), sorted.end(), [this](uint32_t a, uint32_t b) {
    return std::pair(vocabulary.bytes(a), a) < std::pair(vocabulary.bytes(b), b);
  });
  for (int byte = 0; byte < 256; byte++)
    if (byte_ids[byte] == UINT32_MAX && must_have_token(byte))
      refuse_incomplete(file.path(), "it has no token for the byte " + std::to_string(byte));
}

void Tokenizer::State::index_specials() {
  for (uint32_t id = 0; id < vocabulary.size(); id++) {
    const std::string_view name = vocabulary.bytes(id);
    if (vocabulary.kind(id) != Kind::kSpecial || name.empty()) continue;
    specials.emplace(name, id);
    specials_longest_first.push_back(id);
    if (special_starts.find(name[0]) == std::string::npos) special_starts += name[0];
  }
  std::stable_sort(specials_longest_first.begin(), specials_longest_first.end(),
                   [this](uint32_t a, uint32_t b) {
                     return vocabulary.bytes(a).size() > vocabulary.bytes(b).size();
                   });
}

void Tokenizer::State::find_ends(const GgufFile& file) {
  for (const auto& [name, id] : specials) {
    if (is_well_known_special(name)) ends.push_back(id);
  }
  for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"}) {
    const std::optional<uint64_t> id = file.unsigned_value(key);
    if (id && *id >= vocabulary.size())
      refuse_incomplete(file.path(), "it has no token for its " + std::string(key));
    if (id) ends.push_back(static_cast<uint32_t>(*id));
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
}

void Tokenizer::State::find_begin(const GgufFile& file) {
  const bool is_usual = !split || split->name == "llama-bpe";
  const std::optional<uint64_t> id = file.unsigned_value("tokenizer.ggml.bos_token_id");
  if (!id || !file.boolean("tokenizer.ggml.add_bos_token").value_or(is_usual)) return;
  if (*id >= vocabulary.size())
    refuse_incomplete(file.path(), "it has no token for its tokenizer.ggml.bos_token_id");
  begin = static_cast<uint32_t>(*id);
}

void Tokenizer::State::encode_plain(std::string_view text, Merger& merger,
                                    std::vector<uint32_t>& ids) const {
  if (!split) return encode_piece(text, merger, ids);
  for (size_t start = 0; start < text.size();) {
    const size_t end = piece_end(text, start, *split);
    encode_piece(text.substr(start, end - start), merger, ids);
    start = end;
  }
}

void Tokenizer::State::encode_piece(std::string_view piece, Merger& merger,
                                    std::vector<uint32_t>& ids) const {
  if (split && split->keeps_known_pieces) {
    const std::span<const uint32_t> known = sorted_range(piece, true);
    if (!known.empty()) return ids.push_back(known.front());
  }
  const size_t n_before = ids.size();
  if (split) {
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

/// SentencePiece: adds the character's token or, if there is none, those of its bytes.
void Tokenizer::State::add_character(std::string_view character, std::vector<uint32_t>& ids) const {
  for (const uint32_t id : sorted_range(character, true))
    if (vocabulary.kind(id) == Kind::kOrdinary) return ids.push_back(id);
  add_bytes(character, ids);
}

/// Skips bytes that have no token, as llama.cpp does.
void Tokenizer::State::add_bytes(std::string_view bytes, std::vector<uint32_t>& ids) const {
  for (const char c : bytes) {
    const uint32_t id = byte_ids[static_cast<unsigned char>(c)];
    if (id != UINT32_MAX) ids.push_back(id);
  }
}

std::optional<uint32_t> Tokenizer::State::special_at(std::string_view text) const {
  for (const uint32_t id : specials_longest_first) {
    if (text.starts_with(vocabulary.bytes(id))) return id;
  }
  return std::nullopt;
}

void Tokenizer::State::encode_parsed(std::string_view text, Merger& merger,
                                     std::vector<uint32_t>& ids) const {
  size_t plain_start = 0;
  for (size_t i = text.find_first_of(special_starts); i != std::string_view::npos;
       i = text.find_first_of(special_starts, i)) {
    const std::optional<uint32_t> id = special_at(text.substr(i));
    if (!id) {
      i++;
      continue;
    }
    encode_plain(text.substr(plain_start, i - plain_start), merger, ids);
    ids.push_back(*id);
    plain_start = i += vocabulary.bytes(*id).size();
  }
  encode_plain(text.substr(plain_start), merger, ids);
}

std::span<const uint32_t> Tokenizer::State::sorted_range(std::string_view prefix,
                                                         bool is_exact) const {
  const auto start = std::lower_bound(
      sorted.begin(), sorted.end(), prefix,
      [this](uint32_t id, std::string_view text) { return vocabulary.bytes(id) < text; });
  const auto end = std::upper_bound(
      start, sorted.end(), prefix, [this, is_exact](std::string_view text, uint32_t id) {
        const std::string_view bytes = vocabulary.bytes(id);
        return text < (is_exact ? bytes : bytes.substr(0, text.size()));
      });
  return {start, end};
}

Tokenizer::Tokenizer(const GgufFile& file) : state_(std::make_unique<State>(file)) {}

Tokenizer::~Tokenizer() = default;

std::vector<uint32_t> Tokenizer::encode(std::string_view text, SpecialTokens special) const {
  std::string repaired;
  if (valid_utf8_length(text) != text.size()) text = repaired = repair_utf8(text);
  std::vector<uint32_t> ids;
  ids.reserve(text.size() / 3 + 16);
  Merger merger(state_->merges);
  if (special == SpecialTokens::kParse) {
    state_->encode_parsed(text, merger, ids);
  } else {
    state_->encode_plain(text, merger, ids);
  }
  return ids;
}

std::string_view Tokenizer::bytes(uint32_t id) const {
  return id < size() ? state_->vocabulary.bytes(id) : std::string_view();
}

std::string Tokenizer::decode(std::span<const uint32_t> ids) const {
  std::string text;
  for (const uint32_t id : ids) text += bytes(id);
  return text;
}

uint32_t Tokenizer::size() const { return state_->vocabulary.size(); }

bool Tokenizer::is_special(uint32_t id) const {
  if (id >= size()) return false;
  const Kind kind = state_->vocabulary.kind(id);
  return kind == Kind::kSpecial || kind == Kind::kUnused;
}

const std::map<std::string, uint32_t, std::less<>>& Tokenizer::special_tokens() const {
  return state_->specials;
}

std::optional<uint32_t> Tokenizer::begin_of_text() const { return state_->begin; }

const std::vector<uint32_t>& Tokenizer::end_of_generation() const { return state_->ends; }

std::span<const uint32_t> Tokenizer::compatible_with(std::string_view prefix,
                                                     std::vector<uint32_t>& ids) const {
  const std::span<const uint32_t> longer = state_->sorted_range(prefix, false);
  ids.assign(longer.begin(), longer.end());
  for (size_t length = 1; length < prefix.size(); length++) {
    const std::span<const uint32_t> shorter = state_->sorted_range(prefix.substr(0, length), true);
    ids.insert(ids.end(), shorter.begin(), shorter.end());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace hearth
