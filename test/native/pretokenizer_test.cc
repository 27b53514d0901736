#include "tokenizer/pretokenizer.h"

#include <string>
#include <string_view>
#include <vector>

#include "test.h"

namespace {

using Texts = std::vector<std::string>;

Texts pieces(std::string_view text, std::string_view name) {
  const hearth::SplitRules& rules = *hearth::find_split_rules(name);
  Texts result;
  for (size_t start = 0; start < text.size();) {
    const size_t end = hearth::piece_end(text, start, rules);
    result.emplace_back(text.substr(start, end - start));
    start = end;
  }
  return result;
}

void check_pieces(const Texts& expected, std::string_view name = "qwen2") {
  std::string text;
  for (const std::string& piece : expected) text += piece;
  const Texts actual = pieces(text, name);
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

TEST("text is split as the patterns of other tokenizers split it") {
  check_pieces({"int", " x", "123", "45", "  ", " ;\n\n", "DON", "'T"}, "llama-bpe");
  check_pieces({"f", "();", "\n\n", "1", "2", " //", "\n", "DON", "'T"}, "seed-coder");
  check_pieces({" x", "123", "45", "x", " ", "123", ";\n"}, "dbrx");
  check_pieces({"f", "(", "x", "123", " 45", ");", "\n\n\t", " y", "'s", " DON", "'", "T"},
               "gpt-2");
  check_pieces({"x", "1", "2", "  ", "3", " ", " y", "\n ", " z", " \t"}, "smollm");
  check_pieces({"int", " x", "  =", " y", ";", "\n", "\n", "    ++", "1", "2"}, "deepseek-coder");
  check_pieces({"中文", "→", "　中", "Ⅷ→", " +", "½", "é", " (){", "\t}"}, "deepseek-coder");
}
