// The radix tree of the prefix cache. A node is a KV page; its key is the tokens whose keys and
// values the page holds; a path from the root spells a prompt. The tree owns the free list, the
// links, the reference counts and the eviction policy. Ops own the page bytes, and Path
// (page_cache.h) is a sequence. Keys and values depend on the adapter as well as on the tokens, so
// there is one root for each adapter and one for the model without an adapter.
//
//   root ─┬─ page 7 [int main ( ... ]   32 tokens, full ─┬─ page 3 [return 0 ; ...]
//         │                                              └─ page 9 [puts ( ...]       partly filled
//         └─ page 2 [def f ( ...]
//
// Invariants: a page that has children is full. The ancestors of a held page are held, so nothing
// below an unheld page is held. No position that a path or a lookup might read is written again.
// After a page is released, no unheld leaf has tokens that are only a prefix of a sibling's.
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
    int32_t parent = kNone;  // kNone: not linked (free, or allocated and still without tokens)
    int32_t first_child = kNone;
    int32_t next = kNone;      // sibling
    int32_t previous = kNone;  // sibling
    int32_t depth = 0;         // in pages; 0 below the root
    int32_t n_tokens = 0;
    int32_t n_holders = 0;   // reference count
    uint64_t last_used = 0;  // the tick at which a holder last released it
    // Id of the only path that may append to this page, one of its holders. 0: no path may.
    uint64_t writer = 0;
  };
  struct Match {
    int32_t page = kNone;
    int n_tokens = 0;
  };

  PageTree(int n_pages, int page_tokens, int n_roots);

  int n_pages() const { return n_pages_; }
  int page_tokens() const { return page_tokens_; }
  int32_t root(int i) const { return n_pages_ + i; }
  bool is_root(int32_t page) const { return page >= n_pages_; }
  const Node& node(int32_t page) const { return nodes_[page]; }
  Node& node(int32_t page) { return nodes_[page]; }
  std::span<const uint32_t> tokens(int32_t page) const;
  int n_used() const { return n_pages() - static_cast<int>(free_.size()); }
  int n_held() const { return n_held_; }
  /// The number of pages that allocate() can still return, with eviction.
  int n_available() const { return n_pages() - n_held_; }
  uint64_t n_evictions() const { return n_evictions_; }

  /// Finds the longest prefix of the tokens below a root. Calls visit(page, n_matching) for each
  /// page from the root down, and returns the length of the match in tokens. Only the last page can
  /// match in part.
  template <typename Visit>
  int walk(int32_t root, std::span<const uint32_t> tokens, Visit visit) const {
    int length = 0;
    for (int32_t parent = root; length < static_cast<int>(tokens.size());) {
      const Match match = best_child(parent, tokens.subspan(length));
      if (match.n_tokens == 0) break;
      visit(match.page, match.n_tokens);
      length += match.n_tokens;
      if (match.n_tokens < page_tokens_) break;
      parent = match.page;
    }
    return length;
  }

  /// At most n_max tokens that follow the given ones below the root. If there are several
  /// branches, it takes the most recently used one.
  std::vector<uint32_t> continuation(int32_t root, std::span<const uint32_t> tokens,
                                     size_t n_max) const;

  /// Returns an empty page with one holder, which is not linked yet. Evicts a page if none is free.
  /// Needs n_available() > 0.
  int32_t allocate(uint64_t writer);
  void hold(int32_t page);
  /// Drops one reference. A page without references can still be found, unless it is empty or its
  /// tokens are a prefix of a sibling's: then it becomes free.
  void release(int32_t page);
  /// Adds a token; the first token links the page below parent.
  void append(int32_t page, int32_t parent, uint32_t token);
  /// Keeps only the first n_tokens tokens. Only for a leaf with one holder.
  void shrink(int32_t page, int n_tokens) { nodes_[page].n_tokens = n_tokens; }
  /// Inserts a page with these tokens below parent; fill(page) must write its KV. The page has no
  /// holder. If a page there already has these tokens, returns that one. If no page is free,
  /// returns kNone, since nothing is evicted here.
  int32_t insert(int32_t parent, std::span<const uint32_t> tokens,
                 const std::function<void(int32_t)>& fill);
  /// Another full page with the same tokens below the same parent; kNone if there is none.
  int32_t duplicate_of(int32_t page) const;
  /// Frees every unheld page.
  void clear();
  /// Advances the LRU clock. One tick is one lookup.
  void tick() { clock_++; }

 private:
  Match best_child(int32_t parent, std::span<const uint32_t> tokens) const;
  int n_common(int32_t page, std::span<const uint32_t> tokens) const;
  bool is_evictable(const Node& node) const;
  double retention_score(const Node& node) const;
  void evict();
  void remove_leaf(int32_t page);
  void remove_redundant(int32_t page);
  void link(int32_t page, int32_t parent);
  void unlink(int32_t page);

  int n_pages_;
  int page_tokens_;
  std::vector<Node> nodes_;       // [n_pages + n_roots], the roots last
  std::vector<uint32_t> tokens_;  // [n_pages][page_tokens]
  std::vector<int32_t> free_;
  int n_held_ = 0;
  uint64_t clock_ = 0;
  uint64_t n_evictions_ = 0;
};

}  // namespace hearth
