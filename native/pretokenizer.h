// The split of text into pieces that BPE merges within: Qwen2's pattern, written by hand.
//   (?i:'s|'t|'re|'ve|'m|'ll|'d) | [^\r\n\p{L}\p{N}]?\p{L}+ | \p{N} | ?[^\s\p{L}\p{N}]+[\r\n]*
//   | \s*[\r\n]+ | \s+(?!\S) | \s+           (the first alternative that matches, as regex engines
//   do)
// The contractions fold ASCII case only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hearth {

enum class CharClass : uint8_t { kOther, kLetter, kNumber, kSpace };

CharClass char_class(uint32_t code_point);

/// A character of valid UTF-8 text.
struct Utf8Char {
  uint32_t code_point;
  size_t n_bytes;
};
Utf8Char decode_utf8(std::string_view text, size_t offset);
/// Length of the longest prefix that is valid UTF-8.
size_t valid_utf8_length(std::string_view text);
/// Text with each byte that is no part of valid UTF-8 as U+FFFD.
std::string repair_utf8(std::string_view text);

/// Where the piece that starts at offset ends. Text is valid UTF-8; offset < text.size().
size_t piece_end(std::string_view text, size_t offset);

}  // namespace hearth
