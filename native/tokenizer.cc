#include "tokenizer.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "bpe.h"
#include "error.h"
#include "gguf.h"
#include "pretokenizer.h"
#include "vocabulary.h"

namespace hearth {
namespace {

using Kind = Vocabulary::Kind;
using IdsByName = std::unordered_map<std::string_view, uint32_t>;

[[noreturn]] void invalid(const GgufFile& file, const std::string& what) {
  throw EngineError("model-invalid",
                    "The model file " + file.path() + " " + what + ". Choose another file.");
}

void require_byte_level_qwen2(const GgufFile& file) {
  const std::string model = file.string("tokenizer.ggml.model").value_or("");
  const std::string split = file.string("tokenizer.ggml.pre").value_or("");
  if (model == "gpt2" && split == "qwen2") return;
  throw EngineError("model-unsupported", "The model file " + file.path() + " has the tokenizer " +
                                             quoted(model) + " with the pre-tokenizer " +
                                             quoted(split) +
                                             "; Hearth runs \"gpt2\" with \"qwen2\". Choose a "
                                             "qwen2.5-coder model.");
}

MergeTable read_merges(const GgufFile& file, const IdsByName& ids) {
  const std::vector<std::string>* merges = file.strings("tokenizer.ggml.merges");
  if (!merges) invalid(file, "has no tokenizer.ggml.merges");
  MergeTable table(merges->size());
  std::string joined;
  for (uint32_t rank = 0; rank < merges->size(); rank++) {
    const std::string_view rule = (*merges)[rank];
    const size_t space = std::min(rule.find(' '), rule.size());
    joined.assign(rule, 0, space);
    const auto left = ids.find(joined);
    const auto right = ids.find(rule.substr(std::min(space + 1, rule.size())));
    if (space < rule.size()) joined.append(rule, space + 1);
    const auto merged = ids.find(joined);
    if (left == ids.end() || right == ids.end() || merged == ids.end()) {
      invalid(file, "has a merge rule " + quoted(rule) + " whose tokens it does not have");
    }
    table.add(left->second, right->second, {rank, merged->second});
  }
  return table;
}

}  // namespace

struct Tokenizer::State {
  State(const GgufFile& file, const IdsByName& ids)
      : vocabulary(file), merges(read_merges(file, ids)) {
    index_bytes(file);
    index_specials();
    find_ends(file);
  }

  void index_bytes(const GgufFile& file);
  void index_specials();
  void find_ends(const GgufFile& file);
  void encode_plain(std::string_view text, Merger& merger, std::vector<uint32_t>& ids) const;
  void encode_parsed(std::string_view text, Merger& merger, std::vector<uint32_t>& ids) const;
  std::optional<uint32_t> special_at(std::string_view text) const;
  /// The ordinary tokens that start with prefix, or if is_exact equal it.
  std::span<const uint32_t> sorted_range(std::string_view prefix, bool is_exact) const;

  Vocabulary vocabulary;
  MergeTable merges;
  uint32_t byte_ids[256];
  std::vector<uint32_t> sorted;  // ordinary tokens by their bytes
  std::map<std::string, uint32_t, std::less<>> specials;
  std::vector<uint32_t> specials_longest_first;
  std::string special_starts;  // first bytes of their names
  std::vector<uint32_t> ends;
};

void Tokenizer::State::index_bytes(const GgufFile& file) {
  for (uint32_t id = 0; id < vocabulary.size(); id++) {
    if (vocabulary.kind(id) == Kind::kOrdinary && !vocabulary.bytes(id).empty()) {
      sorted.push_back(id);
    }
  }
  std::sort(sorted.begin(), sorted.end(),
            [this](uint32_t a, uint32_t b) { return vocabulary.bytes(a) < vocabulary.bytes(b); });
  for (int byte = 0; byte < 256; byte++) {
    const char text = static_cast<char>(byte);
    const std::span<const uint32_t> found = sorted_range({&text, 1}, true);
    if (found.empty()) invalid(file, "has no token for the byte " + std::to_string(byte));
    byte_ids[byte] = found.front();
  }
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
    if (id && *id >= vocabulary.size()) invalid(file, "has no token for its " + std::string(key));
    if (id) ends.push_back(static_cast<uint32_t>(*id));
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
}

void Tokenizer::State::encode_plain(std::string_view text, Merger& merger,
                                    std::vector<uint32_t>& ids) const {
  for (size_t start = 0; start < text.size();) {
    const size_t end = piece_end(text, start);
    const size_t n_before = ids.size();
    for (const char c : text.substr(start, end - start)) {
      ids.push_back(byte_ids[static_cast<unsigned char>(c)]);
    }
    ids.resize(n_before + merger.merge(std::span(ids).subspan(n_before)));
    start = end;
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

Tokenizer::Tokenizer(const GgufFile& file) {
  require_byte_level_qwen2(file);
  IdsByName ids;
  if (const std::vector<std::string>* names = file.strings("tokenizer.ggml.tokens")) {
    ids.reserve(names->size());
    for (uint32_t id = 0; id < names->size(); id++) ids.emplace((*names)[id], id);
  }
  state_ = std::make_unique<State>(file, ids);
}

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
  return id < size() && state_->vocabulary.kind(id) != Kind::kOrdinary;
}

uint32_t Tokenizer::special_id(std::string_view name) const {
  const auto entry = state_->specials.find(name);
  return entry == state_->specials.end() ? UINT32_MAX : entry->second;
}

const std::map<std::string, uint32_t, std::less<>>& Tokenizer::special_tokens() const {
  return state_->specials;
}

const std::vector<uint32_t>& Tokenizer::end_of_generation() const { return state_->ends; }

std::span<const uint32_t> Tokenizer::compatible_with(std::string_view prefix,
                                                     std::vector<uint32_t>& ids) const {
  const std::span<const uint32_t> longer = state_->sorted_range(prefix, false);
  ids.assign(longer.begin(), longer.end());
  for (size_t length = 1; length < prefix.size(); length++) {
    const std::span<const uint32_t> part = state_->sorted_range(prefix.substr(0, length), true);
    ids.insert(ids.end(), part.begin(), part.end());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace hearth
