#include "pretokenizer.h"

#include <string>
#include <string_view>
#include <vector>

#include "test.h"

namespace {

using Texts = std::vector<std::string>;

Texts pieces(std::string_view text) {
  Texts result;
  for (size_t start = 0; start < text.size();) {
    const size_t end = hearth::piece_end(text, start);
    result.emplace_back(text.substr(start, end - start));
    start = end;
  }
  return result;
}

void check_pieces(const Texts& expected) {
  std::string text;
  for (const std::string& piece : expected) text += piece;
  const Texts actual = pieces(text);
  if (actual == expected) return;
  std::string message = "pieces of \"" + text + "\":";
  for (const std::string& piece : actual) message += " [" + piece + "]";
  test::fail(__FILE__, __LINE__, message);
}

}  // namespace

TEST("text is split as Qwen2's pattern splits it") {
  check_pieces({"int", " x", " =", " ", "4", "2", ";"});
  check_pieces({"it", "'s", " we", "'LL", " don", "'T", " '", "quoted", "'"});
  check_pieces({"'re", "'ve", "'d", "'m", "'x", "'l"});
  check_pieces({"(foo", ".bar", "(a", ",b", "))\n\n"});
  check_pieces({"a", "\n\n", "   ", " b"});
  check_pieces({"a", "  \n\t\n", "\tb", "  "});
  check_pieces({"\tx", "\t", "\ty", "\t", "1", " ", " ", "2"});
  check_pieces({"  ", " ;\r\n", "//", " \r\n"});
  check_pieces({"été", " Ω漢字", "\u2028x", "½", "٣", "🦙🦙", " 🦙\n"});
  check_pieces({"\ufeffimport", "\u00a0x", "\u0085\u00a0", " y"});
  check_pieces({"\n\n\n"});
  check_pieces({"    "});
  check_pieces({});
}
