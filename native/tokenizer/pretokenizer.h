// The pre-tokenizer of byte-level BPE: it splits text into pieces, and BPE merges only inside a
// piece. The models' tokenizer.json files define the split by regular expressions, which are
// written by hand as code here. All but one are this expression with small differences, which
// SplitRules lists:
//   'S | P?\p{L}+ | digits | ?[^\s\p{L}\p{N}]+ | \s*[\r\n]+ | \s+(?!\S) | \s+
// 'S is a contraction ('s 't 're 've 'm 'll 'd). The first alternative that matches counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hearth {

enum class CharClass : uint8_t { kOther, kLetter, kNumber, kPunctuation, kSpace };

CharClass char_class(uint32_t code_point);  // from Unicode's tables, see unicode_ranges.inc

struct SplitRules {
  std::string_view name;        // the value of tokenizer.ggml.pre
  bool is_deepseek = false;     // has another expression; the fields below do not apply
  bool folds_case = false;      // contractions may have ASCII capitals
  bool leads_with_any = false;  // P is [^\r\n\p{L}\p{N}]; otherwise a space
  int max_digits = 0;           // digits: \p{N}{1,n}; if 0, ?\p{N}+
  bool isolates_digits =
      false;  // digits are split off first, so (?!\S) also matches before a digit
  bool takes_lines_with_symbols = false;  // ?[^\s\p{L}\p{N}]+[\r\n]*
  bool splits_lines = false;              // has the alternative \s*[\r\n]+
  bool keeps_known_pieces = false;        // a piece that is itself a token is not merged
};

/// Null for a pre-tokenizer that Hearth does not know.
const SplitRules* find_split_rules(std::string_view name);
/// All names, as part of a sentence: "a", "b" and "c".
std::string split_rules_names();

/// The end of the piece that starts at offset. The text is valid UTF-8, and offset < text.size().
size_t piece_end(std::string_view text, size_t offset, const SplitRules& rules);

}  // namespace hearth
