// Tokenizes any text with the starter model's tokenizer. The tokens must be those of the textbook
// algorithm, which merges one pair at a time, and must decode to the text.
#include "tokenizer/tokenizer.h"

#include <algorithm>
#include <map>
#include <utility>

#include "common/utf8.h"
#include "fuzz.h"
#include "gguf/gguf.h"
#include "memory_file.h"
#include "tiny_vocabulary.h"
#include "tokenizer/pretokenizer.h"

using hearth::GgufFile;
using hearth::SpecialTokens;
using hearth::Tokenizer;

namespace {

using Ids = std::vector<uint32_t>;
struct Rule {
  uint32_t rank = 0;
  uint32_t merged = 0;
};

const GgufFile& file() {
  static const GgufFile file = GgufFile::open(HEARTH_STARTER);
  return file;
}

const Tokenizer& tokenizer() {
  static const Tokenizer tokenizer(file());
  return tokenizer;
}

/// The merge rules, by the ids of the two tokens that they join.
std::map<std::pair<uint32_t, uint32_t>, Rule> read_rules() {
  std::map<std::string, uint32_t> ids;
  const std::vector<std::string>& names = *file().strings("tokenizer.ggml.tokens");
  for (uint32_t id = 0; id < names.size(); id++) ids.emplace(names[id], id);
  std::map<std::pair<uint32_t, uint32_t>, Rule> rules;
  uint32_t rank = 0;
  for (const std::string& rule : *file().strings("tokenizer.ggml.merges")) {
    const std::string left = rule.substr(0, rule.find(' ')), right = rule.substr(left.size() + 1);
    rules.try_emplace({ids.at(left), ids.at(right)}, Rule{rank++, ids.at(left + right)});
  }
  return rules;
}

std::map<char, uint32_t> read_byte_ids() {
  std::map<char, uint32_t> ids;
  for (uint32_t id = tokenizer().size(); id-- > 0;)
    if (tokenizer().bytes(id).size() == 1 && !tokenizer().is_special(id))
      ids[tokenizer().bytes(id)[0]] = id;
  return ids;
}

Ids merge_by_the_book(std::string_view piece) {
  static const auto rules = read_rules();
  static const auto byte_ids = read_byte_ids();
  Ids ids;
  for (const char c : piece) ids.push_back(byte_ids.at(c));
  while (true) {
    size_t at = 0;
    Rule best{UINT32_MAX, 0};
    for (size_t i = 0; i + 1 < ids.size(); i++) {
      const auto rule = rules.find({ids[i], ids[i + 1]});
      if (rule != rules.end() && rule->second.rank < best.rank) at = i, best = rule->second;
    }
    if (best.rank == UINT32_MAX) return ids;
    ids[at] = best.merged;
    ids.erase(ids.begin() + static_cast<ptrdiff_t>(at) + 1);
  }
}

void check_encoding(std::string_view text) {
  const std::string repaired = hearth::repair_utf8(text);
  const Ids ids = tokenizer().encode(text, SpecialTokens::kAsText);
  Ids expected;
  for (size_t start = 0; start < repaired.size();) {
    const size_t end = hearth::piece_end(repaired, start, *hearth::find_split_rules("qwen2"));
    const Ids piece = merge_by_the_book(std::string_view(repaired).substr(start, end - start));
    expected.insert(expected.end(), piece.begin(), piece.end());
    start = end;
  }
  EXPECT(ids == expected);
  EXPECT(tokenizer().decode(ids) == repaired);
  for (const uint32_t id : ids) EXPECT(!tokenizer().is_special(id));
  EXPECT(tokenizer().decode(tokenizer().encode(text, SpecialTokens::kParse)) == repaired);
}

/// A vocabulary with special tokens whose names are parts of characters, such as "€" (E2 82 AC).
const Tokenizer& odd_tokenizer() {
  static const Tokenizer tokenizer = [] {
    const std::vector<std::string> names{"<e>", "€", "\xAC", "\x82\xAC", "\xE2\x82", "\xF0"};
    constexpr int32_t kNormal = 1, kControl = 3;
    std::vector<int32_t> types(256, kNormal);
    types.resize(256 + names.size(), kControl);
    test::GgufBuilder builder = test::tiny_vocabulary("gpt2", "qwen2", {}, 256, names);
    builder.array("tokenizer.ggml.token_type", test::GgufBuilder::kI32, types);
    fuzz::MemoryFile file;
    return Tokenizer(GgufFile::open(file.hold(builder.bytes(""))));
  }();
  return tokenizer;
}

void check_odd_specials(std::string_view text) {
  const Ids ids = odd_tokenizer().encode(text, SpecialTokens::kParse);
  EXPECT(odd_tokenizer().decode(ids) == hearth::repair_utf8(text));
}

/// Checks that exactly the tokens that agree with the text to heal are found, in order.
void check_compatible(std::string_view text) {
  const auto agrees = [&](uint32_t id) {
    const std::string_view bytes = tokenizer().bytes(id);
    return !tokenizer().is_special(id) && !bytes.empty() &&
           (bytes.starts_with(text) || text.starts_with(bytes));
  };
  Ids scratch, expected;
  for (uint32_t id = 0; id < tokenizer().size(); id++)
    if (agrees(id)) expected.push_back(id);
  EXPECT(std::ranges::equal(tokenizer().compatible_with(text, scratch), expected));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t n) {
  fuzz::Input input(data, n);
  const bool goes_through_all_tokens = input.below(64) == 63;
  const std::string_view text = input.rest();
  check_encoding(text.substr(0, 2000));
  check_odd_specials(text.substr(0, 2000));
  if (goes_through_all_tokens && !text.empty()) check_compatible(text.substr(0, 20));
  return 0;
}
