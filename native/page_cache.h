// The radix page cache: one tree, keyed by token ids, of KV pages shared by all sequences.
// Owns which page holds what, reference counts and eviction; the page bytes belong to Ops.
// Used by the engine thread alone.
//
// A path is the pages of one sequence from its root. Every page stays findable when its path ends,
// the last, partly filled one too. A page is append-only while others may read it: a path that
// stands inside one copies the part it needs before it writes. Eviction: leaves that no path holds,
// least recently used first, weighted by the cost to recompute (deeper pages attend to more and
// cost more).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "error.h"

namespace hearth {

/// Thrown when sequences hold so many pages that none is left for another token.
struct NoPages : EngineError {
  NoPages()
      : EngineError("context-full",
                    "every page of the KV cache is in use; raise hearth.cache.memoryMiB") {}
};

struct CacheStatistics {
  int pages_total = 0;       // the budget
  int pages_used = 0;        // hold something: pinned or cached
  int pages_held = 0;        // referenced by a living path
  uint64_t hit_tokens = 0;   // supplied instead of computed, since load
  uint64_t miss_tokens = 0;  // of prompts, computed
  uint64_t evictions = 0;
};

/// What the disk tier keeps of a page.
struct CachedPage {
  int32_t page = 0;
  int32_t parent = 0;                // the page before it, or PageCache::kNone
  std::span<const uint32_t> tokens;  // valid until the cache is used again
};

class PageCache;

/// One sequence: its tokens and the pages that hold their KV. Movable; gives its pages back to the
/// cache, which keeps them findable, when destroyed. Must not outlive its cache.
class Path {
 public:
  Path();
  ~Path();
  Path(Path&&) noexcept;
  Path& operator=(Path&&) noexcept;

  /// Tokens whose KV is in the pages.
  std::span<const uint32_t> tokens() const;
  int length() const;
  /// Page id per 32 positions; covers length() plus what reserve() added.
  std::span<const int32_t> pages() const;

  /// Makes room for n more positions, evicting if needed. The tail page becomes writable (copied
  /// first if others may read it). False when paths hold too many pages: nothing has changed.
  bool reserve(int n);
  /// Says that the next tokens' KV has been written. Needs reserve() first. May exchange a page
  /// that became full for one of another path with the same tokens.
  void commit(std::span<const uint32_t> tokens);
  /// Forgets all positions >= length. The next reserve() copies the tail page if it is shared.
  void truncate(int length);
  /// A second path with the same content, sharing all full pages; the tail is copied on write.
  Path fork() const;

 private:
  friend class PageCache;
  struct State;
  std::unique_ptr<State> state_;
};

class PageCache {
 public:
  /// copy(to, from, n_positions) copies page bytes. page_tokens is kernels::kPageTokens but for
  /// tests.
  PageCache(int n_pages, int page_tokens, std::function<void(int, int, int)> copy);
  ~PageCache();

  /// The longest known prefix of tokens, at most tokens.size() - 1 long so that the last token is
  /// always evaluated (its logits are wanted). Token granularity: a partly matching page is copied
  /// on the first reserve().
  Path find(std::span<const uint32_t> tokens);
  /// As far as the tokens are known, to keep their pages; no use for the statistics.
  Path hold(std::span<const uint32_t> tokens);
  /// How many leading tokens find() would supply, without touching the LRU order.
  int match_length(std::span<const uint32_t> tokens) const;
  /// What was last written behind the tokens, as far as it is cached, at most n_most.
  std::vector<uint32_t> continuation(std::span<const uint32_t> tokens, int n_most) const;
  /// For the statistics.
  void count_evaluated(int n_tokens);
  /// Drops every page that no path holds.
  void clear();
  CacheStatistics statistics() const;

  // --- for the disk tier ---

  static constexpr int32_t kNone = -1;
  /// What is cached, the last used first, and no page before its parent.
  std::vector<CachedPage> pages() const;
  struct Adopted {
    int32_t page = kNone;  // kNone: the cache takes no more
    bool is_new = false;
  };
  /// Adds a page below a full one (kNone: at the beginning), unless its tokens are known there;
  /// fill(page) puts the KV in. Evicts nothing.
  Adopted adopt(int32_t parent, std::span<const uint32_t> tokens,
                const std::function<void(int32_t)>& fill);

 private:
  friend class Path;
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hearth
