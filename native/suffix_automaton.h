// Where has the end of this text occurred before? The suffix automaton of a growing token sequence,
// built online in constant amortized time a token (Blumer et al., 1985). Owns no policy: whether a
// continuation is worth trying is for Drafter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hearth {

class SuffixAutomaton {
 public:
  /// Room for n tokens without another allocation.
  explicit SuffixAutomaton(size_t n_tokens);

  void append(uint32_t token);
  std::span<const uint32_t> tokens() const { return tokens_; }
  /// Length of the longest suffix that also ends earlier in the sequence.
  int match_length() const { return match_length_; }
  /// What followed that earlier occurrence, up to the end of the sequence; empty without a match.
  std::span<const uint32_t> continuation() const;

  /// The longest suffix of another text that occurs in this sequence. Appending to the sequence
  /// leaves it true, though maybe not the longest.
  struct Place {
    int32_t state = 0;
    int32_t length = 0;
  };
  /// Once the other text goes on with the token.
  Place advance(Place place, uint32_t token) const;
  /// What followed one occurrence, up to the end of the sequence; empty without a match.
  std::span<const uint32_t> continuation(Place place) const;

 private:
  static constexpr int32_t kNone = -1;
  // A state stands for the substrings that end at the same places of the text.
  struct State {
    int32_t link = kNone;  // the longest suffix that ends at more places
    int32_t length = 0;    // of its longest substring
    int32_t end = 0;       // tokens up to one of the places; a late one where that is free
    int32_t first_edge = kNone;
  };
  struct Edge {
    int32_t from;
    uint32_t token;
    int32_t to;
    int32_t next;  // of the same state
  };

  int32_t add_state(int32_t length, int32_t end);
  int32_t clone(int32_t state, int32_t length);
  const Edge* find(int32_t state, uint32_t token) const;
  Edge* find(int32_t state, uint32_t token);
  void add_edge(int32_t from, uint32_t token, int32_t to);
  size_t slot_of(int32_t state, uint32_t token) const;
  void grow_slots();

  std::vector<uint32_t> tokens_;
  std::vector<State> states_;   // at most 2 n
  std::vector<Edge> edges_;     // at most 3 n
  std::vector<int32_t> slots_;  // open addressing over edges_; a power of two, at most half full
  int32_t last_ = 0;            // the whole text
  int32_t match_length_ = 0;
  int32_t match_end_ = 0;
};

}  // namespace hearth
