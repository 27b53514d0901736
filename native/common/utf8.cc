#include "utf8.h"

#include <algorithm>

namespace hearth {
namespace {

unsigned char byte_at(std::string_view text, size_t i) {
  return static_cast<unsigned char>(text[i]);
}

/// The length in bytes of a character with this first byte; 0 if no character begins with it.
size_t needed_bytes(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  return lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
}

/// The number of bytes at the start of the text that can belong to its first character.
size_t fitting_bytes(std::string_view text) {
  const unsigned char lead = byte_at(text, 0);
  unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned char greatest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  const size_t n = std::min(text.size(), needed_bytes(lead));
  for (size_t i = 1; i < n; i++, least = 0x80, greatest = 0xBF)
    if (byte_at(text, i) < least || byte_at(text, i) > greatest) return i;
  return n;
}

}  // namespace

size_t valid_utf8_length(std::string_view text) {
  size_t offset = 0;
  while (offset < text.size()) {
    const size_t n_needed = needed_bytes(byte_at(text, offset));
    if (n_needed == 0 || fitting_bytes(text.substr(offset)) < n_needed) break;
    offset += n_needed;
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

std::string one_line(std::string_view text, size_t n_max) {
  const auto is_invisible = [](uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
  };
  const std::string valid = repair_utf8(text.substr(0, n_max));
  std::string line;
  for (size_t i = 0; i < valid.size();) {
    const auto [code_point, n_bytes] = decode_utf8(valid, i);
    if (line.size() + n_bytes > n_max) break;
    if (is_invisible(code_point))
      line += ' ';
    else
      line.append(valid, i, n_bytes);
    i += n_bytes;
  }
  return line;
}

size_t whole_characters(std::string_view text) {
  for (size_t back = 1; back <= 3 && back <= text.size(); back++) {
    const size_t start = text.size() - back;
    if ((byte_at(text, start) & 0xC0) == 0x80) continue;  // not the first byte of a character
    const bool is_unfinished =
        needed_bytes(byte_at(text, start)) > back && fitting_bytes(text.substr(start)) == back;
    return is_unfinished ? start : text.size();
  }
  return text.size();
}

}  // namespace hearth
