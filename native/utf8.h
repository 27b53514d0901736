// UTF-8 boundaries of streamed text.
#pragma once

#include <cstddef>
#include <string_view>

namespace hearth {

/// Bytes of the character that these two begin, by table 3-7 of the Unicode Standard; 1 if they
/// begin none.
inline size_t character_bytes(unsigned char lead, unsigned char second) {
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  const bool is_second = lead == 0xE0   ? second >= 0xA0
                         : lead == 0xED ? second <= 0x9F
                         : lead == 0xF0 ? second >= 0x90
                         : lead == 0xF4 ? second <= 0x8F
                                        : true;
  if (!is_second || lead < 0xE0 || lead > 0xF4) return 1;
  return lead < 0xF0 ? 3 : 4;
}

/// Length of the longest prefix that does not end inside a character. Bytes that can never become
/// valid are counted as whole, so that they are not held back for ever.
inline size_t whole_characters(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  for (size_t back = 1; back <= 3 && back <= text.size(); back++) {
    const size_t start = text.size() - back;
    if ((byte(start) & 0xC0) == 0x80) continue;  // continuation: look further back for the lead
    // A lead that stands last may be followed by any second byte that suits it.
    const unsigned char suitable = byte(start) == 0xED || byte(start) == 0xF4 ? 0x80 : 0xBF;
    const size_t needed = character_bytes(byte(start), back > 1 ? byte(start + 1) : suitable);
    return needed > back ? start : text.size();
  }
  return text.size();
}

}  // namespace hearth
