// Token healing with a vocabulary that lacks a byte.
#include <vector>

#include "ask.h"
#include "gguf_copy.h"
#include "temporary_folder.h"
#include "test.h"

using hearth::Request;
using hearth::Result;

namespace {

// The bytes of "é" in UTF-8: their ids, and their characters in the alphabet of byte-level BPE.
constexpr uint32_t kFirstByte = 127, kSecondByte = 102;
constexpr const char *kFirst = "Ã", *kBoth = "Ã©";

/// An engine whose vocabulary has the first byte of "é", but not the second one.
std::unique_ptr<hearth::Engine> load_without_byte() {
  const test::TemporaryFolder folder;
  hearth::LoadOptions options = test::tiny_options();
  test::GgufCopy model = test::GgufCopy::of(options.model_path);
  const auto& names = model.list<std::string>("tokenizer.ggml.tokens");
  constexpr int64_t kUnused = 5;
  for (size_t id = 0; id < names.size(); id++)
    if (names[id].starts_with(kBoth))
      model.list<int64_t>("tokenizer.ggml.token_type")[id] = kUnused;
  CHECK_EQUAL(names[kFirstByte], kFirst);
  model.list<int64_t>("tokenizer.ggml.token_type")[kSecondByte] = kUnused;
  options.model_path = folder.write("model.gguf", model.bytes());
  return test::load(options);
}

Request healing(const std::string& heal = "") {
  Request request;
  for (uint32_t i = 0; i < 40; i++) request.tokens.push_back(300 + i * 7 % 600);
  request.max_tokens = 12;
  request.heal = heal;
  return request;
}

}  // namespace

TEST("if no token begins with the bytes to heal, they are ignored") {
  const auto engine = load_without_byte();
  const Result free = test::ask(*engine, healing());
  const Result answer = test::ask(*engine, healing("\xA9 and more"));
  CHECK(answer.tokens == free.tokens);
  CHECK(answer.values == free.values);
  CHECK_EQUAL(answer.text, free.text);
}

TEST("healing ends at a byte that the vocabulary lacks") {
  const auto engine = load_without_byte();
  const Result answer = test::ask(*engine, healing("\xC3\xA9 and more"));
  Request after = healing();
  after.tokens.push_back(kFirstByte);
  after.max_tokens--;
  std::vector<uint32_t> expected = test::ask(*engine, after).tokens;
  expected.insert(expected.begin(), kFirstByte);
  CHECK(answer.tokens == expected);
}

TEST("alternatives may begin with any token if no token agrees with the bytes to heal") {
  const auto engine = load_without_byte();
  Request several = healing(), healed = healing("\xA9");
  several.n_alternatives = healed.n_alternatives = 3;
  const Result expected = test::ask(*engine, several), answers = test::ask(*engine, healed);
  CHECK_EQUAL(answers.alternatives.size(), 3u);
  for (size_t i = 0; i < 3; i++) {
    CHECK(answers.alternatives[i].tokens == expected.alternatives[i].tokens);
    CHECK_EQUAL(answers.alternatives[i].text, expected.alternatives[i].text);
  }
}
