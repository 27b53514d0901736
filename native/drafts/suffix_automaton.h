// The suffix automaton of a growing token sequence, built online in amortized constant time per
// token (Blumer et al., 1985). It does n-gram lookup for n-grams of any length: it finds the
// longest suffix of a text that occurred before, and its continuation there. The text can be the
// sequence itself or another text. Drafter decides whether to use the answer as a draft.
//
//   "a b c a b"  appended:  the longest suffix seen before is "a b", and "c a b" followed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hearth {

class SuffixAutomaton {
 public:
  /// Allocates memory for n_tokens tokens; more can be appended.
  explicit SuffixAutomaton(size_t n_tokens);

  void append(uint32_t token);
  std::span<const uint32_t> tokens() const { return tokens_; }
  /// Length of the longest suffix of the sequence that also ends earlier in it.
  int match_length() const { return match_length_; }
  /// The continuation of that earlier occurrence, up to the end of the sequence; empty without a
  /// match.
  std::span<const uint32_t> continuation() const;

  /// The longest suffix of another text that occurs in this sequence. It stays valid while tokens
  /// are appended to the sequence, although a longer one may then occur.
  struct Match {
    int32_t state = 0;
    int32_t length = 0;
  };
  /// The match after one more token of the other text.
  Match advance(Match match, uint32_t token) const;
  /// The continuation of one occurrence of the match, up to the end of the sequence; empty without
  /// a match.
  std::span<const uint32_t> continuation(Match match) const;

 private:
  static constexpr int32_t kNone = -1;
  // A state represents all substrings that end at the same set of positions.
  struct State {
    int32_t link = kNone;  // suffix link: the longest suffix that ends at more positions
    int32_t length = 0;    // of its longest substring
    int32_t end = 0;       // one of the positions, as the number of tokens up to it
    int32_t first_edge = kNone;
  };
  struct Edge {
    int32_t from;
    uint32_t token;
    int32_t to;
    int32_t next;  // edge of the same state
  };

  int32_t add_state(int32_t length, int32_t end);
  int32_t clone(int32_t state, int32_t length);
  int32_t find(int32_t state, uint32_t token) const { return slots_[slot_of(state, token)]; }
  void add_edge(int32_t from, uint32_t token, int32_t to);
  size_t slot_of(int32_t state, uint32_t token) const;
  void grow_slots();

  std::vector<uint32_t> tokens_;
  std::vector<State> states_;   // at most 2 n for n tokens
  std::vector<Edge> edges_;     // at most 3 n
  std::vector<int32_t> slots_;  // hash table of edges_; a power of two, at most half full
  int32_t last_ = 0;            // the state of the whole sequence
  int32_t match_length_ = 0;
  int32_t match_end_ = 0;  // where the earlier occurrence ends, in tokens
};

}  // namespace hearth
