#include "pretokenizer.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace hearth {
namespace {

using enum CharClass;

struct Range {
  uint32_t first;  // up to the next range's first
  CharClass char_class;
};
constexpr Range kRanges[] = {
#include "unicode_ranges.inc"
};

constexpr CharClass search_class(uint32_t code_point) {
  const Range* after =
      std::upper_bound(std::begin(kRanges), std::end(kRanges), code_point,
                       [](uint32_t value, const Range& range) { return value < range.first; });
  return std::prev(after)->char_class;
}

constexpr std::array<CharClass, 128> kAsciiClasses = [] {
  std::array<CharClass, 128> classes{};
  for (uint32_t i = 0; i < 128; i++) classes[i] = search_class(i);
  return classes;
}();

// 0 if the bytes at text's start are not a character: RFC 3629's table of well-formed sequences.
size_t character_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  // The second byte excludes overlong forms, surrogates and what lies above U+10FFFF.
  const unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char greatest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < least || byte(1) > greatest) return 0;
  for (size_t i = 2; i < length; i++) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

bool is_newline(uint32_t code_point) { return code_point == '\r' || code_point == '\n'; }

// A place in the text; the class at its end is none of the four.
class Cursor {
 public:
  Cursor(std::string_view text, size_t offset) : text_(text), offset_(offset) { read(); }

  size_t offset() const { return offset_; }
  bool at_end() const { return n_bytes_ == 0; }
  uint32_t code_point() const { return code_point_; }
  bool is(CharClass wanted) const { return !at_end() && class_ == wanted; }
  bool at_newline() const { return !at_end() && is_newline(code_point_); }

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
    if (offset_ == text_.size()) return;
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

// Bytes of 's 't 're 've 'm 'll 'd at text's start, which is an apostrophe; else 0.
size_t contraction_length(std::string_view text) {
  const auto lower = [&](size_t i) {
    return i < text.size() ? static_cast<char>(text[i] | 0x20) : '\0';
  };
  const char first = lower(1), second = lower(2);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if ((first == 'r' || first == 'v') && second == 'e') return 3;
  return first == 'l' && second == 'l' ? 3 : 0;
}

// White space that no letter follows at once: through its last line break if it has one, else all
// but the last character if text follows (which that character then belongs to), else all.
size_t space_end(Cursor cursor) {
  size_t after_newline = 0;
  size_t last_start = cursor.offset();
  const size_t start = cursor.offset();
  while (cursor.is(kSpace)) {
    const bool is_break = cursor.at_newline();
    last_start = cursor.offset();
    cursor.advance();
    if (is_break) after_newline = cursor.offset();
  }
  if (after_newline != 0) return after_newline;
  return cursor.at_end() || last_start == start ? cursor.offset() : last_start;
}

}  // namespace

CharClass char_class(uint32_t code_point) {
  return code_point < 128 ? kAsciiClasses[code_point] : search_class(code_point);
}

Utf8Char decode_utf8(std::string_view text, size_t offset) {
  const auto byte = [&](size_t i) {
    return static_cast<uint32_t>(static_cast<unsigned char>(text[offset + i]));
  };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xE0) return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (lead < 0xF0) return {(lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  return {(lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F),
          4};
}

size_t valid_utf8_length(std::string_view text) {
  size_t offset = 0;
  while (offset < text.size()) {
    const size_t length = character_length(text.substr(offset));
    if (length == 0) break;
    offset += length;
  }
  return offset;
}

std::string repair_utf8(std::string_view text) {
  std::string result;
  while (true) {
    const size_t n_valid = valid_utf8_length(text);
    result += text.substr(0, n_valid);
    if (n_valid == text.size()) return result;
    result += "\xEF\xBF\xBD";
    text.remove_prefix(n_valid + 1);
  }
}

size_t piece_end(std::string_view text, size_t offset) {
  if (text[offset] == '\'') {
    const size_t length = contraction_length(text.substr(offset));
    if (length != 0) return offset + length;
  }
  const Cursor start(text, offset);
  Cursor cursor = start;
  if (!start.is(kNumber)) {
    if (!start.is(kLetter) && !start.at_newline()) cursor.advance();
    if (cursor.is(kLetter)) {
      cursor.skip(kLetter);
      return cursor.offset();
    }
  }
  cursor = start;
  if (start.is(kNumber)) {
    cursor.advance();
    return cursor.offset();
  }
  if (start.code_point() == ' ') cursor.advance();
  if (cursor.is(kOther)) {
    cursor.skip(kOther);
    while (cursor.at_newline()) cursor.advance();
    return cursor.offset();
  }
  return space_end(start);
}

}  // namespace hearth
