#include "error.h"

namespace hearth {

std::string in_quotes(std::string_view text) {
  constexpr size_t kMaxLength = 80;
  std::string result = "\"";
  for (const char c : text.substr(0, kMaxLength)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > kMaxLength ? "...\"" : "\"");
}

}  // namespace hearth
