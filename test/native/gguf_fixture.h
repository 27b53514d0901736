// Helpers for the tests of GGUF files: a small valid file, and checks that a file is refused.
#pragma once

#include "common/error.h"
#include "gguf/gguf.h"
#include "gguf_builder.h"
#include "test.h"

namespace test {

inline constexpr uint32_t kF32Id = 0, kQ8_0Id = 8;

/// A file with some metadata and two tensors: "a" [4, 8] F32 at offset 0, "b" [32, 2] Q8_0 at 128.
/// small_data() returns their 256 bytes of data.
inline GgufBuilder small_builder() {
  GgufBuilder builder;
  builder.key("general.architecture", GgufBuilder::kString, std::string("qwen2"))
      .key("count", GgufBuilder::kU32, uint32_t{7})
      .key("negative", GgufBuilder::kI32, int32_t{-3})
      .key("ratio", GgufBuilder::kF32, 0.5f)
      .key("flag", GgufBuilder::kBool, true)
      .array("words", GgufBuilder::kString, std::vector<std::string>{"one", "", "three"})
      .array("types", GgufBuilder::kI32, std::vector<int32_t>{1, -1})
      .tensor("a", {4, 8}, kF32Id, 0)
      .tensor("b", {32, 2}, kQ8_0Id, 128);
  return builder;
}

inline std::string small_data() {
  std::string data(256, '\0');
  for (size_t i = 0; i < data.size(); i++) data[i] = static_cast<char>(i);
  return data;
}

inline void check_refused(const std::string& path, const std::string& code,
                          const std::string& text) {
  try {
    hearth::GgufFile::open(path);
  } catch (const hearth::EngineError& error) {
    CHECK_EQUAL(error.code, code);
    const std::string message = error.what();
    if (message.find(text) == std::string::npos) fail(__FILE__, __LINE__, message);
    return;
  }
  fail(__FILE__, __LINE__, path + " was opened");
}

inline void check_bytes_refused(const std::string& bytes, const std::string& code,
                                const std::string& text) {
  const TemporaryFolder folder;
  check_refused(folder.write("model.gguf", bytes), code, text);
}

}  // namespace test
