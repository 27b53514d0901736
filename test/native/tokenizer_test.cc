// Compares the tokenizer with recorded results of llama.cpp, and tries difficult text.
// tokenizer.test.ts compares it with @huggingface/tokenizers.
#include "tokenizer/tokenizer.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <sstream>

#include "common/utf8.h"
#include "gguf/gguf.h"
#include "gguf_builder.h"
#include "test.h"
#include "tokenizer/pretokenizer.h"

using hearth::GgufFile;
using hearth::SpecialTokens;
using hearth::Tokenizer;
using test::GgufBuilder;
using test::TemporaryFolder;

namespace {

using Ids = std::vector<uint32_t>;
using Texts = std::vector<std::string>;

const Tokenizer& starter() {
  static const GgufFile file = GgufFile::open(HEARTH_FIXTURES "/../../models/starter.gguf");
  static const Tokenizer tokenizer(file);
  return tokenizer;
}

Ids encode(std::string_view text) { return starter().encode(text, SpecialTokens::kAsText); }

std::string read_fixture(const std::string& name) {
  std::ifstream file(HEARTH_FIXTURES "/tokenizer/" + name, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

std::string random_text(std::mt19937& random, int n_parts) {
  static const Texts kParts = {"a",
                               "return",
                               "x",
                               " ",
                               "  ",
                               "\t",
                               "\n",
                               "\r\n",
                               "'s",
                               "'LL",
                               "'",
                               "1",
                               "42",
                               "(",
                               ");",
                               "{}",
                               "é",
                               "ß",
                               "漢字",
                               "٣",
                               "½",
                               "🦙",
                               "\u200d",
                               "\u00a0",
                               "\u2028",
                               "\u0085",
                               "\ufeff",
                               "<|",
                               "fim_prefix|>",
                               "=====",
                               "__init__",
                               "Ωmega"};
  std::string text;
  for (int i = 0; i < n_parts; i++) text += kParts[random() % kParts.size()];
  return text;
}

}  // namespace

TEST("Qwen2's vocabulary gives the ids that llama.cpp gives") {
  // The fixture has only some tokens of Qwen2's vocabulary. whole_ids has their ids in the whole
  // vocabulary.
  std::vector<uint32_t> whole_ids;
  Texts tokens, merges;
  std::istringstream lines(read_fixture("qwen2.vocabulary"));
  for (std::string kind, first, second; lines >> kind >> first >> second;) {
    if (kind == "merge") {
      merges.push_back(first + " " + second);
    } else {
      whole_ids.push_back(static_cast<uint32_t>(std::stoul(first)));
      tokens.push_back(second);
    }
  }
  GgufBuilder builder;
  builder.key("tokenizer.ggml.model", GgufBuilder::kString, std::string("gpt2"))
      .key("tokenizer.ggml.pre", GgufBuilder::kString, std::string("qwen2"))
      .array("tokenizer.ggml.tokens", GgufBuilder::kString, tokens)
      .array("tokenizer.ggml.merges", GgufBuilder::kString, merges);
  const TemporaryFolder folder;
  const GgufFile file = GgufFile::open(folder.write("vocabulary.gguf", builder.bytes("")));
  const Tokenizer tokenizer(file);

  const std::string input = read_fixture("qwen2.inp"), separator = "\n__ggml_vocab_test__\n";
  std::istringstream expected_lines(read_fixture("qwen2.out"));
  std::string expected;
  int n_cases = 0;
  for (size_t start = 0; std::getline(expected_lines, expected); n_cases++) {
    const size_t end = std::min(input.find(separator, start), input.size());
    const std::string text = input.substr(start, end - start);
    std::string actual;
    const Ids ids = tokenizer.encode(text, SpecialTokens::kAsText);
    for (const uint32_t id : ids) actual.append(" ").append(std::to_string(whole_ids[id]));
    CHECK_EQUAL(actual, expected);
    CHECK_EQUAL(tokenizer.decode(ids), text);
    start = std::min(end + separator.size(), input.size());
  }
  CHECK_EQUAL(n_cases, 46);
}

TEST("decoding the tokens of valid UTF-8 returns the same text") {
  std::mt19937 random(2);
  for (int i = 0; i < 3000; i++) {
    const std::string text = random_text(random, 1 + static_cast<int>(random() % 40));
    CHECK_EQUAL(starter().decode(encode(text)), text);
  }
}

TEST("each invalid byte in a text is replaced by U+FFFD") {
  const std::string bad = "\xEF\xBF\xBD";
  const auto check = [&](const std::string& text, const std::string& expected) {
    CHECK_EQUAL(hearth::repair_utf8(text), expected);
    CHECK_EQUAL(starter().decode(encode(text)), expected);
  };
  check("a\xFF\x62", "a" + bad + "b");
  check("\xC0\x80", bad + bad);                      // overlong
  check("\xE0\x9F\xBFx", bad + bad + bad + "x");     // overlong
  check("\xED\xA0\x80", bad + bad + bad);            // surrogate
  check("\xF4\x90\x80\x80", bad + bad + bad + bad);  // above U+10FFFF
  check("\xF5z", bad + "z");
  check("\xE6\xBC", bad + bad);  // cut off
  check("\xF0\x9F\xA6", bad + bad + bad);
  check("\x80 é", bad + " é");
  std::mt19937 random(3);
  for (int i = 0; i < 3000; i++) {
    std::string text(random() % 60, '\0');
    for (char& c : text) c = static_cast<char>(random() % 4 ? 0x80 + random() % 128 : random());
    CHECK_EQUAL(starter().decode(encode(text)), hearth::repair_utf8(text));
  }
}

TEST("names of special tokens are text unless special tokens are requested") {
  const Tokenizer& tokenizer = starter();
  const std::string text = "a<|fim_prefix|>b<|fim_prefi<|file_sep|>";
  const Ids plain = encode(text);
  CHECK(std::none_of(plain.begin(), plain.end(),
                     [&](uint32_t id) { return tokenizer.is_special(id); }));
  CHECK_EQUAL(tokenizer.decode(plain), text);
  const Ids parsed = tokenizer.encode(text, SpecialTokens::kParse);
  CHECK_EQUAL(std::count(parsed.begin(), parsed.end(), 16378u), 1);
  CHECK_EQUAL(parsed.back(), 16383u);
  CHECK_EQUAL(tokenizer.decode(parsed), text);
  CHECK_EQUAL(parsed.front(), encode("a").front());
  CHECK((tokenizer.encode("<|im_end|><|im_end|>", SpecialTokens::kParse) == Ids{16377, 16377}));
  CHECK(tokenizer.encode("", SpecialTokens::kParse).empty());
}

TEST("the tokenizer finds special tokens by name and lists those that end a generation") {
  const Tokenizer& tokenizer = starter();
  CHECK_EQUAL(tokenizer.size(), 16384u);
  CHECK_EQUAL(tokenizer.special_tokens().at("<|fim_prefix|>"), 16378u);
  CHECK_EQUAL(tokenizer.special_tokens().at("<|fim_middle|>"), 16379u);
  CHECK_EQUAL(tokenizer.special_tokens().at("<|fim_suffix|>"), 16380u);
  CHECK(!tokenizer.special_tokens().contains("return"));
  CHECK_EQUAL(tokenizer.special_tokens().size(), 9u);
  Ids ends(9);
  std::iota(ends.begin(), ends.end(), 16375u);
  CHECK(tokenizer.end_of_generation() == ends);
  CHECK(tokenizer.is_special(16375) && !tokenizer.is_special(16374));
  CHECK_EQUAL(tokenizer.bytes(16378), "<|fim_prefix|>");
  CHECK_EQUAL(tokenizer.bytes(16384), "");
  CHECK(!tokenizer.is_special(16384));
}

TEST("healing allows exactly the tokens that begin with the bytes or are a prefix of them") {
  const Tokenizer& tokenizer = starter();
  Ids found;
  for (const std::string prefix :
       {"ret", " ", "    retur", "\n", "\xE6", "x", ".forEach((", "\xFF", ""}) {
    Ids expected;
    for (uint32_t id = 0; id < tokenizer.size(); id++) {
      const std::string_view bytes = tokenizer.bytes(id);
      if (tokenizer.is_special(id) || bytes.empty()) continue;
      if (bytes.starts_with(prefix) || prefix.starts_with(bytes)) expected.push_back(id);
    }
    CHECK(!expected.empty());
    CHECK(std::ranges::equal(tokenizer.compatible_with(prefix, found), expected));
  }
}

TEST("a half-megabyte line with nowhere to split is tokenized") {
  std::mt19937 random(5);
  std::string letters(500'000, 'a');
  for (char& c : letters) c = static_cast<char>('a' + random() % 26);
  for (const std::string& text : {std::string(500'000, 'a'), std::string(500'000, '='), letters}) {
    CHECK_EQUAL(starter().decode(encode(text)), text);  // quadratic merging would take many minutes
  }
}
