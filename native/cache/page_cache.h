// The prefix cache: KV pages of 32 tokens, which all sequences share and which are found by their
// token ids (SGLang calls this a radix cache). PageCache looks up a prompt in the radix tree of
// page_tree.h. A Path is one sequence: it holds references to its pages, and releases them when it
// is destroyed. Ops own the page bytes. Only the engine thread may use a PageCache and its Paths.
//
// A match may end inside a page, but a page that others might read is append-only. So a path that
// continues with different tokens copies the matching part to a new page and writes there
// (copy-on-write):
//
//   cached page: a b c d e       path: a b c X       new page of the path: a b c X
//
// Keys and values depend on the adapter in use, so the tree has one root for each adapter and one
// for none. A path knows the root of its pages.
//
// Pages that no path holds are evicted leaf by leaf, see PageTree::retention_score().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "common/error.h"
#include "page_tree.h"

namespace hearth {

/// Thrown when sequences hold so many pages that none is left for another token.
struct NoPages : EngineError {
  NoPages()
      : EngineError("context-full",
                    "every page of the KV cache is in use; raise hearth.cache.memoryMiB") {}
};

struct CacheStatistics {
  int pages_total = 0;       // the budget
  int pages_used = 0;        // held or cached
  int pages_held = 0;        // held by a path, so not evictable
  uint64_t hit_tokens = 0;   // prompt tokens found in the cache since load
  uint64_t miss_tokens = 0;  // prompt tokens evaluated since load
  uint64_t evictions = 0;
};

/// A page in the form that the disk cache (page_store.h) uses.
struct CachedPage {
  int32_t page = 0;
  int32_t parent = 0;  // the page with the tokens before it, or PageCache::kNone
  int root = 0;
  std::span<const uint32_t> tokens;  // valid until the cache is used again
};

class PageCache;

/// One sequence: its tokens, and a reference to each page that holds their KV. Destroying it
/// releases the pages; they stay cached until they are evicted. It must not outlive its cache.
class Path {
 public:
  Path() = default;
  ~Path() { drop_pages(0); }
  Path(Path&& other) noexcept { swap(other); }
  Path& operator=(Path&& other) noexcept {
    Path(std::move(other)).swap(*this);
    return *this;
  }

  /// The tokens whose KV is in the pages.
  std::span<const uint32_t> tokens() const { return tokens_; }
  int length() const { return static_cast<int>(tokens_.size()); }
  /// The number of the adapter that the pages were computed with, from 1; 0: none.
  int root() const { return root_; }
  /// The page table: one page id for every 32 positions, up to the end of the reserved positions.
  std::span<const int32_t> pages() const { return pages_; }

  /// Makes room for n more positions, and evicts pages if necessary. The last, partly filled page
  /// becomes writable: it is copied if others might read it. Returns false if other paths hold too
  /// many pages; then nothing has changed.
  bool reserve(int n);
  /// Call it when the KV of the next tokens has been written; reserve() must have made room for
  /// them. From now on, others can find these tokens. If this fills a page and another path has a
  /// page with the same tokens, this path switches to that page.
  void commit(std::span<const uint32_t> tokens);
  /// Drops all positions from length on. The next reserve() copies the last page if it is shared.
  void truncate(int length);
  /// A second path with the same tokens, which shares all pages. The last page is copied on write.
  Path fork() const;

 private:
  friend class PageCache;
  // The way in which the last, partly filled page becomes writable.
  enum class Tail {
    kAppend,  // in place: the path ends at the page's last cached position, and no other path
              // writes to it; or the path ends at a page boundary
    kShrink,  // in place: the page's later positions are dropped; only this path wrote them
    kCopy,    // others might read the page's later positions: copy-on-write
  };
  Path(PageCache& cache, int root, size_t capacity_tokens);
  void swap(Path& other) noexcept;
  PageTree& tree() const;
  int pages_for(int n_tokens) const;
  Tail tail_kind() const;
  /// Whether no other path holds the page, and it has no children.
  bool is_unshared_leaf(int32_t page) const;
  void make_tail_writable(Tail kind);
  void replace_duplicate(int page_i);
  void drop_pages(int n_kept);

  PageCache* cache_ = nullptr;  // null: an empty path that cannot grow
  uint64_t id_ = 0;             // for Node::writer; 0: no path
  int root_ = 0;
  std::vector<uint32_t> tokens_;
  std::vector<int32_t> pages_;
};

class PageCache {
 public:
  /// copy(to, from, n_positions) must copy page bytes. page_tokens is kernels::kPageTokens, except
  /// in tests. n_roots: see Path::root().
  PageCache(int n_pages, int page_tokens, std::function<void(int, int, int)> copy, int n_roots = 1)
      : tree_(n_pages, page_tokens, n_roots), copy_(std::move(copy)) {}
  PageCache(const PageCache&) = delete;

  /// The longest cached prefix of a prompt, at most tokens.size() - 1 tokens: the last token is
  /// always evaluated, because its logits are wanted. Adds the prefix to hit_tokens.
  Path find(std::span<const uint32_t> tokens, int root = 0);
  /// The longest cached prefix, for pinning it: all tokens can match, and no hit is counted.
  Path find_whole(std::span<const uint32_t> tokens, int root = 0);
  /// The length of the path that find() would return. Changes neither the LRU order nor the
  /// statistics.
  int match_length(std::span<const uint32_t> tokens, int root = 0) const;
  /// At most n_max cached tokens that follow the given ones, on the most recently used branch.
  std::vector<uint32_t> continuation(std::span<const uint32_t> tokens, int n_max,
                                     int root = 0) const {
    return tree_.continuation(tree_.root(root), tokens, n_max);
  }
  /// Adds to miss_tokens of the statistics.
  void count_evaluated(int n_tokens) { miss_tokens_ += n_tokens; }
  /// Drops every page that no path holds.
  void clear() { tree_.clear(); }
  CacheStatistics statistics() const;

  // --- for the disk cache ---

  static constexpr int32_t kNone = PageTree::kNone;
  /// All cached pages, the most recently used first, except that no page comes before its parent.
  std::vector<CachedPage> pages() const;
  struct Inserted {
    int32_t page = kNone;  // kNone: no page is free
    bool is_new = false;
  };
  /// Inserts a page below a full one (kNone: below the root), unless its tokens are already cached
  /// there. fill(page) must write its KV. Evicts nothing.
  Inserted insert(int32_t parent, std::span<const uint32_t> tokens,
                  const std::function<void(int32_t)>& fill, int root = 0);

 private:
  friend class Path;
  PageTree tree_;
  std::function<void(int, int, int)> copy_;
  uint64_t n_paths_ = 0;  // the number of paths that have an id
  uint64_t hit_tokens_ = 0;
  uint64_t miss_tokens_ = 0;
};

}  // namespace hearth
