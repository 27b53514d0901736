// piece_end() implements the common expression of pretokenizer.h, deepseek_piece_end() implements
// DeepSeek-Coder's, and kSplitRules is the table of pre-tokenizers.
#include "pretokenizer.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "common/utf8.h"

namespace hearth {
namespace {

using enum CharClass;

// One number for each range of code points: the first one, and its class in the last hexadecimal
// digit. A range extends to the next one. 0x411 is U+0041 "A", where letters (class 1) begin.
constexpr uint32_t kRanges[] = {
#include "unicode_ranges.inc"
};

// llama.cpp's converter writes these names into tokenizer.ggml.pre.
constexpr SplitRules qwen2_like(std::string_view name, int max_digits, bool keeps_known_pieces) {
  return {.name = name,
          .folds_case = true,
          .leads_with_any = true,
          .max_digits = max_digits,
          .takes_lines_with_symbols = true,
          .splits_lines = true,
          .keeps_known_pieces = keeps_known_pieces};
}
constexpr SplitRules starcoder_like(std::string_view name) {
  return {.name = name, .max_digits = 1, .isolates_digits = true};
}
constexpr SplitRules kSplitRules[] = {
    qwen2_like("qwen2", 1, false),
    qwen2_like("llama-bpe", 3, true),
    qwen2_like("dbrx", 3, false),
    {.name = "seed-coder",
     .folds_case = true,
     .leads_with_any = true,
     .max_digits = 1,
     .splits_lines = true},
    {.name = "deepseek-coder", .is_deepseek = true},
    {.name = "gpt-2"},
    {.name = "mellum"},
    starcoder_like("starcoder"),
    starcoder_like("refact"),
    starcoder_like("smollm"),
    starcoder_like("mellum2"),
};

constexpr CharClass search_class(uint32_t code_point) {
  const uint32_t* after =
      std::upper_bound(std::begin(kRanges), std::end(kRanges), code_point << 4 | 15);
  return static_cast<CharClass>(after[-1] & 15);
}

constexpr std::array<CharClass, 128> kAsciiClasses = [] {
  std::array<CharClass, 128> classes{};
  for (uint32_t i = 0; i < 128; i++) classes[i] = search_class(i);
  return classes;
}();

bool is_newline(uint32_t code_point) { return code_point == '\r' || code_point == '\n'; }

// A position in the text, and the character there. At the end of the text no class matches.
class Cursor {
 public:
  Cursor(std::string_view text, size_t offset) : text_(text), offset_(offset) { read(); }

  size_t offset() const { return offset_; }
  bool at_end() const { return n_bytes_ == 0; }
  uint32_t code_point() const { return code_point_; }
  bool is(CharClass wanted) const { return !at_end() && class_ == wanted; }
  bool at_newline() const { return !at_end() && is_newline(code_point_); }
  bool at_symbol() const { return is(kOther) || is(kPunctuation); }

  void advance() {
    offset_ += n_bytes_;
    read();
  }
  void skip(CharClass wanted) {
    while (is(wanted)) advance();
  }

 private:
  void read() {
    n_bytes_ = 0;
    if (offset_ >= text_.size()) return;
    const Utf8Char character = decode_utf8(text_, offset_);
    code_point_ = character.code_point;
    n_bytes_ = character.n_bytes;
    class_ = char_class(code_point_);
  }

  std::string_view text_;
  size_t offset_;
  uint32_t code_point_ = 0;
  size_t n_bytes_ = 0;
  CharClass class_ = kOther;
};

// The length of 's 't 're 've 'm 'll 'd at the start of the text; 0 if there is none. The text
// begins with an apostrophe.
size_t contraction_length(std::string_view text, bool folds_case) {
  const auto letter = [&](size_t i) {
    return i < text.size() ? static_cast<char>(folds_case ? text[i] | 0x20 : text[i]) : '\0';
  };
  const char first = letter(1), second = letter(2);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if ((first == 'r' || first == 'v') && second == 'e') return 3;
  return first == 'l' && second == 'l' ? 3 : 0;
}

// The alternatives \s*[\r\n]+ | \s+(?!\S) | \s+ for a run of white space. If the run has a line
// break and the rules split lines, the piece ends after the last line break. Otherwise it ends
// before the run's last character, which then belongs to the text that follows. If nothing follows,
// it ends where the run ends.
size_t space_end(Cursor cursor, const SplitRules& rules) {
  size_t after_newline = 0;
  size_t last_start = cursor.offset();
  const size_t start = cursor.offset();
  while (cursor.is(kSpace)) {
    const bool is_break = cursor.at_newline();
    last_start = cursor.offset();
    cursor.advance();
    if (is_break) after_newline = cursor.offset();
  }
  if (rules.splits_lines && after_newline != 0) return after_newline;
  const bool at_end = cursor.at_end() || (rules.isolates_digits && cursor.is(kNumber));
  return at_end || last_start == start ? cursor.offset() : last_start;
}

// DeepSeek-Coder splits by five expressions, one after another: [\r\n], \s?\p{L}+, \s?\p{P}+,
// [一-龥ࠀ-一가-퟿]+ and \p{N}. The text between their matches forms pieces, too.
bool begins_word(Cursor cursor) {
  if (cursor.is(kSpace)) cursor.advance();
  return cursor.is(kLetter) || cursor.is(kPunctuation);
}

bool in_asian_block(const Cursor& cursor) {
  const uint32_t c = cursor.code_point();
  return !cursor.at_end() && ((c >= 0x800 && c <= 0x9FA5) || (c >= 0xAC00 && c <= 0xD7FF));
}

size_t deepseek_piece_end(Cursor cursor) {
  const bool is_asian = in_asian_block(cursor);
  if (cursor.at_newline() || (cursor.is(kNumber) && !is_asian)) {
    cursor.advance();
  } else if (begins_word(cursor)) {
    if (cursor.is(kSpace)) cursor.advance();
    cursor.skip(cursor.is(kLetter) ? kLetter : kPunctuation);
  } else {
    do {
      cursor.advance();
    } while (!cursor.at_end() && !cursor.at_newline() && !begins_word(cursor) &&
             in_asian_block(cursor) == is_asian && (is_asian || !cursor.is(kNumber)));
  }
  return cursor.offset();
}

}  // namespace

CharClass char_class(uint32_t code_point) {
  return code_point < 128 ? kAsciiClasses[code_point] : search_class(code_point);
}

const SplitRules* find_split_rules(std::string_view name) {
  const auto found = std::find_if(std::begin(kSplitRules), std::end(kSplitRules),
                                  [name](const SplitRules& rules) { return rules.name == name; });
  return found == std::end(kSplitRules) ? nullptr : found;
}

std::string split_rules_names() {
  std::string names;
  for (const SplitRules& rules : kSplitRules) {
    if (!names.empty()) names += &rules == std::end(kSplitRules) - 1 ? " and " : ", ";
    names += "\"" + std::string(rules.name) + "\"";
  }
  return names;
}

size_t piece_end(std::string_view text, size_t offset, const SplitRules& rules) {
  const Cursor start(text, offset);
  if (rules.is_deepseek) return deepseek_piece_end(start);
  if (text[offset] == '\'') {
    const size_t length = contraction_length(text.substr(offset), rules.folds_case);
    if (length != 0) return offset + length;
  }
  Cursor after_space = start;
  if (start.code_point() == ' ') after_space.advance();
  Cursor cursor = after_space;
  if (rules.leads_with_any) {
    cursor = start;
    if (!start.is(kLetter) && !start.is(kNumber) && !start.at_newline()) cursor.advance();
  }
  if (cursor.is(kLetter)) {
    cursor.skip(kLetter);
    return cursor.offset();
  }
  cursor = rules.max_digits == 0 ? after_space : start;
  if (cursor.is(kNumber)) {
    for (int n = 0; cursor.is(kNumber) && (n < rules.max_digits || rules.max_digits == 0); n++)
      cursor.advance();
    return cursor.offset();
  }
  cursor = after_space;
  if (cursor.at_symbol()) {
    while (cursor.at_symbol()) cursor.advance();
    while (rules.takes_lines_with_symbols && cursor.at_newline()) cursor.advance();
    return cursor.offset();
  }
  return space_end(start, rules);
}

}  // namespace hearth
