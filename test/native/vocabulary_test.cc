// Flaws in the vocabularies of files: some are tolerated, others are refused.
#include "tokenizer/vocabulary.h"

#include <limits>
#include <string>
#include <vector>

#include "common/error.h"
#include "gguf/gguf.h"
#include "test.h"
#include "tiny_vocabulary.h"
#include "tokenizer/tokenizer.h"

using hearth::GgufFile;
using hearth::SpecialTokens;
using hearth::Tokenizer;
using test::GgufBuilder;
using test::TemporaryFolder;
using test::tiny_vocabulary;

namespace {

using Ids = std::vector<uint32_t>;
using Texts = std::vector<std::string>;

void check_refused(const GgufBuilder& builder, const std::string& code, const std::string& text) {
  const TemporaryFolder folder;
  const GgufFile file = GgufFile::open(folder.write("v.gguf", builder.bytes("")));
  try {
    const Tokenizer tokenizer(file);
  } catch (const hearth::EngineError& error) {
    CHECK_EQUAL(error.code, code);
    CHECK(std::string(error.what()).find(text) != std::string::npos);
    return;
  }
  test::fail(__FILE__, __LINE__, "accepted: " + text);
}

}  // namespace

TEST("in a vocabulary without token types, well-known special tokens are found by name") {
  const TemporaryFolder folder;
  const std::string bytes = tiny_vocabulary("gpt2", "qwen2", {"a b"}).bytes("");
  const GgufFile file = GgufFile::open(folder.write("v.gguf", bytes));
  const Tokenizer tokenizer(file);
  CHECK((tokenizer.encode("ab<|endoftext|>", SpecialTokens::kParse) == Ids{256, 257}));
  CHECK(tokenizer.end_of_generation() == Ids{257});
}

TEST("a special token whose name is only part of a character is not found in text") {
  const std::vector<char> euro{'\xE2', '\x82', '\xAC'};  // without a terminating zero
  for (const std::string part : {"\xAC", "\x82\xAC", "\xE2\x82", "\xE2"}) {
    constexpr int32_t kNormal = 1, kControl = 3;
    std::vector<int32_t> types(256, kNormal);
    types.resize(258, kControl);
    GgufBuilder builder = tiny_vocabulary("gpt2", "qwen2", {}, 256, {"<e>", part});
    builder.array("tokenizer.ggml.token_type", GgufBuilder::kI32, types);
    const TemporaryFolder folder;
    const GgufFile file = GgufFile::open(folder.write("v.gguf", builder.bytes("")));
    const Tokenizer tokenizer(file);
    CHECK((tokenizer.encode({euro.data(), euro.size()}, SpecialTokens::kParse) ==
           Ids{0xE2, 0x82, 0xAC}));
    CHECK((tokenizer.encode("<e>€", SpecialTokens::kParse) == Ids{256, 0xE2, 0x82, 0xAC}));
  }
}

TEST("a byte that has no token in the vocabulary is left out") {
  const TemporaryFolder folder;
  // U+1D11E begins with the byte 0xF0.
  const std::string bytes = tiny_vocabulary("gpt2", "smollm", {"a b"}, 0xF0).bytes("");
  const GgufFile file = GgufFile::open(folder.write("v.gguf", bytes));
  const Tokenizer tokenizer(file);
  CHECK((tokenizer.encode("x\xF0\x9D\x84\x9E", SpecialTokens::kAsText) ==
         Ids{'x', 0x9D, 0x84, 0x9E}));
}

TEST("a vocabulary that Hearth cannot use is refused with the reason") {
  check_refused(tiny_vocabulary("bert", "qwen2", {}), "model-unsupported", "\"bert\"");
  check_refused(tiny_vocabulary("gpt2", "falcon", {}), "model-unsupported", "\"falcon\"");
  check_refused(tiny_vocabulary("llama", "", {}), "model-invalid", "tokenizer.ggml.scores");
  check_refused(GgufBuilder(), "model-unsupported", "tokenizer");
  for (const char* merge : {"a c", "ab", "a", "", " ", "zz a"}) {
    check_refused(tiny_vocabulary("gpt2", "qwen2", {merge}), "model-invalid", "merge rule");
  }
  check_refused(tiny_vocabulary("gpt2", "qwen2", {}, 100), "model-invalid",
                "no token for the byte");
  for (const float score : {0.0f, std::numeric_limits<float>::quiet_NaN()}) {
    const Texts tokens = {"<unk>", std::string(100'000, 'a')};
    GgufBuilder pieces;
    pieces.key("tokenizer.ggml.model", GgufBuilder::kString, std::string("llama"))
        .array("tokenizer.ggml.tokens", GgufBuilder::kString, tokens)
        .array("tokenizer.ggml.scores", GgufBuilder::kF32, std::vector<float>{0, score});
    check_refused(pieces, "model-invalid",
                  score == 0 ? "token 1 has 100000 bytes" : "a score that is not a number");
  }
  GgufBuilder types = tiny_vocabulary("gpt2", "qwen2", {});
  types.array("tokenizer.ggml.token_type", GgufBuilder::kI32, std::vector<int32_t>{1});
  check_refused(types, "model-invalid", "token_type");
  GgufBuilder ends = tiny_vocabulary("gpt2", "qwen2", {});
  ends.key("tokenizer.ggml.eos_token_id", GgufBuilder::kU32, uint32_t{258});
  check_refused(ends, "model-invalid", "eos_token_id");
}
