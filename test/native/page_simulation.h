// A page cache with a simulated pool. Instead of K and V, a position stores a hash of all tokens up
// to and including its own. Like K and V, the hash depends on the whole prefix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "cache/page_cache.h"
#include "test.h"

namespace test {

using Tokens = std::vector<uint32_t>;
inline constexpr uint64_t kGarbage = ~uint64_t{0};

inline uint64_t next_hash(uint64_t hash, uint32_t token) {
  return (hash ^ token) * 0x9E3779B97F4A7C15u + (hash >> 29);
}

/// The cache and its simulated pages, written in the engine's order.
struct Simulation {
  Simulation(int n_pages, int page_tokens)
      : page_tokens(page_tokens),
        slots(static_cast<size_t>(n_pages) * page_tokens),
        cache(n_pages, page_tokens, [this](int to, int from, int n_positions) {
          n_copied += n_positions;
          std::copy_n(&slots[from * this->page_tokens], n_positions,
                      &slots[to * this->page_tokens]);
        }) {}

  uint64_t& slot(const hearth::Path& path, int position) {
    const int page = path.pages()[position / page_tokens];
    return slots[static_cast<size_t>(page) * page_tokens + position % page_tokens];
  }

  static uint64_t prefix_hash(const hearth::Path& path) {
    uint64_t hash = 1;
    for (const uint32_t token : path.tokens()) hash = next_hash(hash, token);
    return hash;
  }

  /// Acts like a batch: reserves positions for the tokens and for rejected drafts, and writes both.
  bool write(hearth::Path& path, const Tokens& tokens, int n_drafts) {
    const int n = static_cast<int>(tokens.size());
    const int start = path.length();
    if (!path.reserve(n + n_drafts)) return false;
    uint64_t hash = prefix_hash(path);
    for (int i = 0; i < n; i++) slot(path, start + i) = hash = next_hash(hash, tokens[i]);
    for (int i = n; i < n + n_drafts; i++) slot(path, start + i) = kGarbage;
    return true;
  }

  bool extend(hearth::Path& path, const Tokens& tokens, int n_drafts = 0) {
    if (!write(path, tokens, n_drafts)) return false;
    path.commit(tokens);
    return true;
  }

  void check(const hearth::Path& path) {
    uint64_t hash = 1;
    for (int i = 0; i < path.length(); i++) {
      hash = next_hash(hash, path.tokens()[i]);
      if (slot(path, i) != hash) fail(__FILE__, __LINE__, "position " + std::to_string(i));
    }
  }

  /// Acts like a request: finds the cached prefix and evaluates the rest. Returns a path with all
  /// tokens.
  hearth::Path evaluate(const Tokens& tokens) {
    hearth::Path path = cache.find(tokens);
    CHECK(path.length() < static_cast<int>(tokens.size()));
    CHECK(std::equal(path.tokens().begin(), path.tokens().end(), tokens.begin()));
    cache.count_evaluated(static_cast<int>(tokens.size()) - path.length());
    CHECK(extend(path, Tokens(tokens.begin() + path.length(), tokens.end())));
    check(path);
    return path;
  }

  int page_tokens;
  std::vector<uint64_t> slots;
  int n_copied = 0;
  hearth::PageCache cache;
};

inline Tokens counting(uint32_t first, int n) {
  Tokens tokens(n);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

inline Tokens joined(Tokens tokens, const Tokens& more) {
  tokens.insert(tokens.end(), more.begin(), more.end());
  return tokens;
}

}  // namespace test
