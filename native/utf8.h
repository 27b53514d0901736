// UTF-8 boundaries of streamed text.
#pragma once

#include <cstddef>
#include <string_view>

namespace hearth {

/// Length of the longest prefix that does not end inside a character. Bytes that can never become
/// valid are counted as whole, so that they are not held back for ever.
inline size_t whole_characters(std::string_view text) {
  for (size_t back = 1; back <= 3 && back <= text.size(); back++) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;  // continuation: look further back for the lead byte
    const size_t needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return needed > back ? text.size() - back : text.size();
  }
  return text.size();
}

}  // namespace hearth
