// append() is the textbook algorithm. The edges of all states are in one hash table by (state,
// token), because vocabularies are too large for an array of edges in each state.
#include "suffix_automaton.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace hearth {

SuffixAutomaton::SuffixAutomaton(size_t n_tokens) {
  tokens_.reserve(n_tokens);
  states_.reserve(2 * n_tokens + 2);
  edges_.reserve(3 * n_tokens + 4);
  slots_.assign(std::bit_ceil(2 * edges_.capacity()), kNone);
  add_state(0, 0);
}

std::span<const uint32_t> SuffixAutomaton::continuation() const {
  if (match_length_ == 0) return {};
  return std::span(tokens_).subspan(match_end_);
}

SuffixAutomaton::Match SuffixAutomaton::advance(Match match, uint32_t token) const {
  assert(static_cast<size_t>(match.state) < states_.size());
  for (; match.state != kNone; match.state = states_[match.state].link) {
    // A suffix link leads to shorter substrings. The match can be even shorter if the state has
    // been cloned since the match was found.
    match.length = std::min(match.length, states_[match.state].length);
    const int32_t edge = find(match.state, token);
    if (edge != kNone) return {edges_[edge].to, match.length + 1};
  }
  return {};
}

std::span<const uint32_t> SuffixAutomaton::continuation(Match match) const {
  if (match.length == 0) return {};
  return std::span(tokens_).subspan(states_[match.state].end);
}

void SuffixAutomaton::append(uint32_t token) {
  tokens_.push_back(token);
  const auto n = static_cast<int32_t>(tokens_.size());
  const int32_t current = add_state(n, n);
  int32_t p = last_;
  int32_t edge = kNone;
  for (; p != kNone && (edge = find(p, token)) == kNone; p = states_[p].link)
    add_edge(p, token, current);
  int32_t link = 0;
  if (p != kNone) {
    link = edges_[edge].to;
    if (states_[link].length != states_[p].length + 1) {
      // Only the shorter substrings of that state also end here: a clone takes them over.
      const int32_t whole = link;
      link = clone(whole, states_[p].length + 1);
      for (; p != kNone && edges_[edge = find(p, token)].to == whole; p = states_[p].link)
        edges_[edge].to = link;
      states_[whole].link = link;
    }
  }
  states_[current].link = link;
  last_ = current;
  match_length_ = states_[link].length;
  // The state's substrings now end here as well. Later matches use this newer occurrence: a recent
  // continuation is more likely to follow again.
  match_end_ = std::exchange(states_[link].end, n);
}

int32_t SuffixAutomaton::add_state(int32_t length, int32_t end) {
  states_.push_back({.link = kNone, .length = length, .end = end, .first_edge = kNone});
  return static_cast<int32_t>(states_.size()) - 1;
}

int32_t SuffixAutomaton::clone(int32_t state, int32_t length) {
  const int32_t copy = add_state(length, states_[state].end);
  states_[copy].link = states_[state].link;
  for (int32_t i = states_[state].first_edge; i != kNone; i = edges_[i].next)
    add_edge(copy, edges_[i].token, edges_[i].to);
  return copy;
}

void SuffixAutomaton::add_edge(int32_t from, uint32_t token, int32_t to) {
  if (2 * (edges_.size() + 1) > slots_.size()) grow_slots();
  const auto edge = static_cast<int32_t>(edges_.size());
  edges_.push_back({from, token, to, states_[from].first_edge});
  states_[from].first_edge = edge;
  slots_[slot_of(from, token)] = edge;
}

/// The slot of the edge, or the empty one where it belongs.
size_t SuffixAutomaton::slot_of(int32_t state, uint32_t token) const {
  // Fibonacci hashing: the top bits of a product with 2^64 / golden ratio are well mixed.
  const uint64_t key = static_cast<uint64_t>(state) << 32 | token;
  const int n_bits = std::countr_zero(slots_.size());
  size_t slot = (key * 0x9E3779B97F4A7C15) >> (64 - n_bits);
  while (slots_[slot] != kNone) {
    const Edge& edge = edges_[slots_[slot]];
    if (edge.from == state && edge.token == token) break;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

void SuffixAutomaton::grow_slots() {
  slots_.assign(2 * slots_.size(), kNone);
  for (size_t i = 0; i < edges_.size(); i++)
    slots_[slot_of(edges_[i].from, edges_[i].token)] = static_cast<int32_t>(i);
}

}  // namespace hearth
