// The prefix cache: KV pages of 32 tokens, shared by all sequences and found again by their token
// ids (SGLang calls this a radix cache). PageCache looks a prompt up in the radix tree of
// page_tree.h; Path is one sequence, which holds the pages that it uses and gives them back to the
// tree when it is destroyed. Page bytes belong to Ops. Only the engine thread may use a PageCache
// and its Paths.
//
// A match may end inside a page. Pages are append-only while others may read them, so a path that
// goes on differently copies what it shares to a page of its own and writes there (copy-on-write):
//
//   cached page: a b c d e       path: a b c X       new page of the path: a b c X
//
// The keys and values of a token differ with the adapter in use: each adapter has a root of its
// own, and a path says which one its pages belong to.
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
  int pages_held = 0;        // held by a path: not evictable
  uint64_t hit_tokens = 0;   // prompt tokens found in the cache since load
  uint64_t miss_tokens = 0;  // prompt tokens evaluated since load
  uint64_t evictions = 0;
};

/// A page as the disk cache (page_store.h) sees it.
struct CachedPage {
  int32_t page = 0;
  int32_t parent = 0;  // the page before it, or PageCache::kNone
  int root = 0;
  std::span<const uint32_t> tokens;  // valid until the cache is used again
};

class PageCache;

/// One sequence: its tokens, and a reference to each page that holds their KV. Destroying it
/// releases the pages, which stay cached until they are evicted. Must not outlive its cache.
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
  /// 0: of the model as it is; else the number of an adapter, from 1.
  int root() const { return root_; }
  /// The page table: one page id for every 32 positions, for length() and what reserve() added.
  std::span<const int32_t> pages() const { return pages_; }

  /// Makes room for n more positions and evicts for them if need be. The last, partly filled page
  /// becomes writable: it is copied if others may read it. False if other paths hold too many
  /// pages; nothing has changed then.
  bool reserve(int n);
  /// Declares that the KV of the next tokens has been written. Needs reserve() first. A page that
  /// becomes full is exchanged for another path's page with the same tokens, if there is one.
  void commit(std::span<const uint32_t> tokens);
  /// Drops all positions from length on. The next reserve() copies the last page if it is shared.
  void truncate(int length);
  /// A second path with the same tokens, which shares all pages; the last one is copied on write.
  Path fork() const;

 private:
  friend class PageCache;
  // How the last, partly filled page becomes writable.
  enum class Tail {
    kAppend,  // in place: nothing follows the path's last position, and nobody else writes; or the
              // path ends where a page ends
    kShrink,  // in place, after dropping what this path alone has written after that position
    kCopy,    // others may read what follows that position: copy-on-write
  };
  Path(PageCache& cache, int root, size_t capacity_tokens);
  void swap(Path& other) noexcept;
  PageTree& tree() const;
  int pages_for(int n_tokens) const;
  Tail tail_kind() const;
  /// No other path holds the page, and no page follows it.
  bool is_unshared_leaf(int32_t page) const;
  void make_tail_writable(Tail kind);
  void replace_duplicate(int page_i);
  void drop_pages(int n_kept);

  PageCache* cache_ = nullptr;  // null: an empty path that cannot grow
  uint64_t id_ = 0;             // in Node::writer; 0: no path
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

  /// The longest cached prefix of a prompt, and at most tokens.size() - 1 of it: the last token is
  /// always evaluated, because its logits are wanted. Counts as a hit in the statistics.
  Path find(std::span<const uint32_t> tokens, int root = 0);
  /// The longest cached prefix, to pin it: all of the tokens may match, and no hit is counted.
  Path find_whole(std::span<const uint32_t> tokens, int root = 0);
  /// The length of what find() would return. Changes neither the LRU order nor the statistics.
  int match_length(std::span<const uint32_t> tokens, int root = 0) const;
  /// At most n_most cached tokens that follow the given ones, on the branch used last.
  std::vector<uint32_t> continuation(std::span<const uint32_t> tokens, int n_most,
                                     int root = 0) const {
    return tree_.continuation(tree_.root(root), tokens, n_most);
  }
  /// Adds to miss_tokens of the statistics.
  void count_evaluated(int n_tokens) { miss_tokens_ += n_tokens; }
  /// Drops every page that no path holds.
  void clear() { tree_.clear(); }
  CacheStatistics statistics() const;

  // --- for the disk cache ---

  static constexpr int32_t kNone = PageTree::kNone;
  /// All cached pages, the most recently used first, except that no page precedes its parent.
  std::vector<CachedPage> pages() const;
  struct Inserted {
    int32_t page = kNone;  // kNone: no page is free
    bool is_new = false;
  };
  /// Inserts a page below a full one (kNone: below this root), unless its tokens are cached there;
  /// fill(page) must write its KV. Evicts nothing.
  Inserted insert(int32_t parent, std::span<const uint32_t> tokens,
                  const std::function<void(int32_t)>& fill, int root = 0);

 private:
  friend class Path;
  PageTree tree_;
  std::function<void(int, int, int)> copy_;
  uint64_t n_paths_ = 0;  // ids given so far
  uint64_t hit_tokens_ = 0;
  uint64_t miss_tokens_ = 0;
};

}  // namespace hearth
