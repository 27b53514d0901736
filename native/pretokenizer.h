// The split of text into pieces that BPE merges within, as the regular expressions of the models'
// tokenizer.json files say it, written by hand. The alternatives, the first that matches:
//   'S | P?\p{L}+ | digits | ?[^\s\p{L}\p{N}]+ | \s*[\r\n]+ | \s+(?!\S) | \s+
// where 'S is a contraction ('s 't 're 've 'm 'll 'd) and SplitRules says what differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hearth {

enum class CharClass : uint8_t { kOther, kLetter, kNumber, kPunctuation, kSpace };

CharClass char_class(uint32_t code_point);

/// A character of valid UTF-8 text.
struct Utf8Char {
  uint32_t code_point;
  size_t n_bytes;
};
Utf8Char decode_utf8(std::string_view text, size_t offset);
/// Length of the longest prefix that is valid UTF-8.
size_t valid_utf8_length(std::string_view text);
/// Text with each byte that is no part of valid UTF-8 as U+FFFD.
std::string repair_utf8(std::string_view text);

struct SplitRules {
  std::string_view name;                  // tokenizer.ggml.pre
  bool is_deepseek = false;               // another pattern altogether: the rest means nothing
  bool folds_case = false;                // contractions in capitals, too; of ASCII letters only
  bool leads_with_any = false;            // P is [^\r\n\p{L}\p{N}], not a space
  int most_digits = 0;                    // \p{N}{1,n}; 0: ?\p{N}+
  bool isolates_digits = false;           // digits are cut out first: the text ends at each
  bool takes_lines_with_symbols = false;  // ?[^\s\p{L}\p{N}]+[\r\n]*
  bool splits_lines = false;              // has \s*[\r\n]+
  bool keeps_known_pieces = false;        // a piece that is a token is that token, unmerged
};

/// Null for a pre-tokenizer that Hearth does not know.
const SplitRules* find_split_rules(std::string_view name);
/// The names of all, as a sentence has them: "a", "b" and "c".
std::string split_rules_names();

/// Where the piece that starts at offset ends. Text is valid UTF-8; offset < text.size().
size_t piece_end(std::string_view text, size_t offset, const SplitRules& rules);

}  // namespace hearth
