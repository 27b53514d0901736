// The radix tree under the page cache: a node is a page, its key the tokens whose KV the page
// holds. Owns the pool, the links, the reference counts and eviction; page_cache.h gives it to
// sequences.
//
// Invariants: a page below another has a full parent. A held page's ancestors are held, so nothing
// below an unheld page is held. A position that some path or the tree may read is not written
// again. Letting go of a page leaves no unheld leaf beside it whose tokens merely begin those of a
// sibling.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace hearth {

class PageTree {
 public:
  static constexpr int32_t kNone = -1;

  struct Node {
    int32_t parent = kNone;  // kNone: not linked (free, or reserved and still blank)
    int32_t first_child = kNone;
    int32_t next = kNone;  // siblings
    int32_t previous = kNone;
    int32_t depth = 0;  // pages above it
    int32_t n_tokens = 0;
    int32_t n_holders = 0;
    uint64_t last_used = 0;
    // The path that alone may append. It holds the page; null once it lets go.
    const void* writer = nullptr;
  };
  struct Match {
    int32_t page = kNone;
    int n_tokens = 0;
  };

  PageTree(int n_pages, int page_tokens);

  int n_pages() const { return root(); }
  int page_tokens() const { return page_tokens_; }
  int32_t root() const { return static_cast<int32_t>(nodes_.size()) - 1; }
  const Node& node(int32_t page) const { return nodes_[page]; }
  Node& node(int32_t page) { return nodes_[page]; }
  std::span<const uint32_t> tokens(int32_t page) const;
  int n_used() const { return n_pages() - static_cast<int>(free_.size()); }
  int n_held() const { return n_held_; }
  /// Pages that allocate() can still give: free or evictable.
  int n_available() const { return n_pages() - n_held_; }
  uint64_t n_evictions() const { return n_evictions_; }

  /// Calls visit(page, n_matching) from the root down along the longest match; returns its length.
  /// Only the last visited page may match in part.
  template <typename Visit>
  int walk(std::span<const uint32_t> tokens, Visit visit) const {
    int length = 0;
    for (int32_t parent = root(); length < static_cast<int>(tokens.size());) {
      const Match match = best_child(parent, tokens.subspan(length));
      if (match.n_tokens == 0) break;
      visit(match.page, match.n_tokens);
      length += match.n_tokens;
      if (match.n_tokens < page_tokens_) break;
      parent = match.page;
    }
    return length;
  }

  /// What follows the tokens where they were used last, at most n_most of it.
  std::vector<uint32_t> continuation(std::span<const uint32_t> tokens, size_t n_most) const;

  /// A blank page, held once and not linked; evicts if none is free. Needs n_available() > 0.
  int32_t allocate(const void* writer);
  void hold(int32_t page);
  /// Takes one holder away. A blank page becomes free; one that a sibling makes redundant, too.
  void let_go(int32_t page);
  /// Adds a token; the first links the page below parent.
  void append(int32_t page, int32_t parent, uint32_t token);
  /// Forgets the tokens from n_tokens on. Only for a leaf with one holder.
  void shrink(int32_t page, int n_tokens) { nodes_[page].n_tokens = n_tokens; }
  /// The page below parent that holds these tokens: one that is there, or else a free one that
  /// fill(page) puts their KV into. kNone when none is free: nothing is evicted for it. Not held.
  int32_t adopt(int32_t parent, std::span<const uint32_t> tokens,
                const std::function<void(int32_t)>& fill);
  /// Another full page with the same tokens below the same parent; kNone if there is none.
  int32_t twin(int32_t page) const;
  /// Frees every unheld page.
  void clear();
  /// Starts a new moment of the LRU clock.
  void tick() { clock_++; }

 private:
  Match best_child(int32_t parent, std::span<const uint32_t> tokens) const;
  int common(int32_t page, std::span<const uint32_t> tokens) const;
  bool is_evictable(const Node& node) const;
  double worth(const Node& node) const;
  void evict();
  void remove_leaf(int32_t page);
  void remove_redundant(int32_t page);
  void link(int32_t page, int32_t parent);
  void unlink(int32_t page);

  int page_tokens_;
  std::vector<Node> nodes_;       // [n_pages + 1], the root last
  std::vector<uint32_t> tokens_;  // [n_pages][page_tokens]
  std::vector<int32_t> free_;
  int n_held_ = 0;
  uint64_t clock_ = 0;
  uint64_t n_evictions_ = 0;
};

}  // namespace hearth
