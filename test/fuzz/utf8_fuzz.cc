// Decodes any bytes as text. Characters must agree with table 3-7 of the Unicode Standard, pieces
// must make up the text, and streams must be cut only between characters.
#include "common/utf8.h"

#include <string>

#include "fuzz.h"
#include "tokenizer/pretokenizer.h"

namespace {

bool is_between(uint8_t byte, int least, int most) { return byte >= least && byte <= most; }

/// The number of bytes of the character at the beginning of text, 0 if there is none. is_cut: text
/// ends inside a possible character.
size_t reference_length(std::string_view text, bool& is_cut) {
  const auto at = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  is_cut = false;
  const uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  const size_t n = is_between(lead, 0xC2, 0xDF)   ? 2
                   : is_between(lead, 0xE0, 0xEF) ? 3
                   : is_between(lead, 0xF0, 0xF4) ? 4
                                                  : 0;
  const int least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const int most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (size_t i = 1; i < n; i++) {
    if (i == text.size()) return is_cut = true, 0;
    if (!is_between(at(i), i == 1 ? least : 0x80, i == 1 ? most : 0xBF)) return 0;
  }
  return n;
}

struct Reference {
  size_t valid_length = 0;  // the longest valid prefix
  std::string repaired;
  bool is_cut = false;  // ends inside a character
};

Reference read_by_table(std::string_view text) {
  Reference reference;
  bool is_valid = true;
  while (!text.empty()) {
    bool is_cut = false;
    const size_t n = reference_length(text, is_cut);
    reference.is_cut |= is_cut;
    reference.repaired += n > 0 ? text.substr(0, n) : "\xEF\xBF\xBD";
    is_valid &= n > 0;
    if (is_valid) reference.valid_length += n;
    text.remove_prefix(n > 0 ? n : 1);
  }
  return reference;
}

void check_pieces(std::string_view text, const hearth::SplitRules& rules) {
  for (size_t start = 0; start < text.size();) {
    const size_t end = hearth::piece_end(text, start, rules);
    EXPECT(end > start && end <= text.size());
    EXPECT(hearth::valid_utf8_length(text.substr(start, end - start)) == end - start);
    start = end;
  }
}

/// Streams the text in pieces of 1 to 4 bytes, like those of tokens.
void check_stream(std::string_view text, unsigned sizes, const Reference& reference) {
  std::string held;
  size_t n_streamed = 0;
  for (size_t i = 0; i < text.size(); sizes = sizes * 5 + 1) {
    const std::string_view piece = text.substr(i, 1 + sizes % 4);
    i += piece.size();
    held += piece;
    const size_t n = hearth::whole_characters(held);
    EXPECT(n <= held.size() && held.size() - n < 4);
    n_streamed += n;
    if (n_streamed <= reference.valid_length)
      EXPECT(hearth::valid_utf8_length(std::string_view(held).substr(0, n)) == n);
    held.erase(0, n);
  }
  EXPECT(held.empty() == !reference.is_cut);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t n) {
  fuzz::Input input(data, n);
  const unsigned sizes = input.byte();
  const std::string_view text = input.rest();
  const Reference reference = read_by_table(text);
  EXPECT(hearth::valid_utf8_length(text) == reference.valid_length);
  EXPECT(hearth::repair_utf8(text) == reference.repaired);
  for (const char* name : {"qwen2", "llama-bpe", "seed-coder", "deepseek-coder", "gpt-2", "smollm"})
    check_pieces(reference.repaired, *hearth::find_split_rules(name));
  check_stream(text, sizes, reference);
  return 0;
}
