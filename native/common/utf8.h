// UTF-8: decodes characters, finds and repairs invalid bytes, and finds the unfinished character at
// the end of streamed text, since a token may end inside a character. Valid text follows table 3-7
// of the Unicode Standard: no overlong forms, no surrogates, at most U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hearth {

struct Utf8Char {
  uint32_t code_point;
  size_t n_bytes;
};
/// The character at an offset of a valid text. Inline because the pre-tokenizer calls it for each
/// character.
inline Utf8Char decode_utf8(std::string_view text, size_t offset) {
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

/// Length of the longest prefix that is valid UTF-8.
size_t valid_utf8_length(std::string_view text);

/// The text with U+FFFD in place of each byte that is not part of a valid character.
std::string repair_utf8(std::string_view text);

/// Turns untrusted text into one line of visible characters: valid UTF-8, at most n_max bytes.
std::string one_line(std::string_view text, size_t n_max);

/// Length of the longest prefix that does not end inside a character. Bytes that no continuation
/// can make valid count as whole characters, so that they are not held back forever.
size_t whole_characters(std::string_view text);

}  // namespace hearth
