#include "suffix_automaton.h"

#include <algorithm>
#include <bit>
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

SuffixAutomaton::Place SuffixAutomaton::advance(Place place, uint32_t token) const {
  for (; place.state != kNone; place.state = states_[place.state].link) {
    // A state that was split has lost its shorter substrings to its link.
    place.length = std::min(place.length, states_[place.state].length);
    if (const Edge* edge = find(place.state, token)) return {edge->to, place.length + 1};
  }
  return {};
}

std::span<const uint32_t> SuffixAutomaton::continuation(Place place) const {
  if (place.length == 0) return {};
  return std::span(tokens_).subspan(states_[place.state].end);
}

void SuffixAutomaton::append(uint32_t token) {
  tokens_.push_back(token);
  const auto n = static_cast<int32_t>(tokens_.size());
  const int32_t current = add_state(n, n);
  int32_t p = last_;
  Edge* edge = nullptr;
  for (; p != kNone && !(edge = find(p, token)); p = states_[p].link) add_edge(p, token, current);
  int32_t link = 0;
  if (edge) {
    link = edge->to;
    if (states_[link].length != states_[p].length + 1) {
      // Only the shorter substrings of that state end here, too: they get a state of their own.
      const int32_t whole = link;
      link = clone(whole, states_[p].length + 1);
      for (; p != kNone && (edge = find(p, token)) && edge->to == whole; p = states_[p].link)
        edge->to = link;
      states_[whole].link = link;
    }
  }
  states_[current].link = link;
  last_ = current;
  match_length_ = states_[link].length;
  // From now on the state's substrings end here, too, and the newer place continues more alike.
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

const SuffixAutomaton::Edge* SuffixAutomaton::find(int32_t state, uint32_t token) const {
  const int32_t edge = slots_[slot_of(state, token)];
  return edge == kNone ? nullptr : &edges_[edge];
}

SuffixAutomaton::Edge* SuffixAutomaton::find(int32_t state, uint32_t token) {
  return const_cast<Edge*>(std::as_const(*this).find(state, token));
}

void SuffixAutomaton::add_edge(int32_t from, uint32_t token, int32_t to) {
  if (2 * (edges_.size() + 1) > slots_.size()) grow_slots();
  const auto edge = static_cast<int32_t>(edges_.size());
  edges_.push_back({from, token, to, states_[from].first_edge});
  states_[from].first_edge = edge;
  slots_[slot_of(from, token)] = edge;
}

/// The edge's slot, or the blank one where it belongs.
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
  for (size_t i = 0; i < edges_.size(); i++) {
    slots_[slot_of(edges_[i].from, edges_[i].token)] = static_cast<int32_t>(i);
  }
}

}  // namespace hearth
