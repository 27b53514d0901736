// A byte-level vocabulary that has one token for each byte, and only a few others.
#pragma once

#include <string>
#include <vector>

#include "gguf_builder.h"

namespace test {

/// Tokens for all bytes, whose ids are the bytes' values, then the other tokens.
inline GgufBuilder tiny_vocabulary(const std::string& model, const std::string& split,
                                   const std::vector<std::string>& merges, int n_bytes = 256,
                                   const std::vector<std::string>& others = {"ab",
                                                                             "<|endoftext|>"}) {
  std::vector<std::string> tokens;
  int next = 0x100;
  for (int byte = 0; byte < n_bytes; byte++) {
    const bool is_printable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
    const int c = is_printable ? byte : next++;
    tokens.push_back(c < 0x80 ? std::string(1, static_cast<char>(c))
                              : std::string{static_cast<char>(0xC0 | c >> 6),
                                            static_cast<char>(0x80 | (c & 0x3F))});
  }
  tokens.insert(tokens.end(), others.begin(), others.end());
  GgufBuilder builder;
  builder.key("tokenizer.ggml.model", GgufBuilder::kString, model)
      .key("tokenizer.ggml.pre", GgufBuilder::kString, split)
      .array("tokenizer.ggml.tokens", GgufBuilder::kString, tokens)
      .array("tokenizer.ggml.merges", GgufBuilder::kString, merges);
  return builder;
}

}  // namespace test
