// All nodes are in one array, and siblings form linked lists. So a page id is an index, and nothing
// is allocated after construction. Lookups and eviction are linear scans, since a pool has only a
// few thousand pages.
#include "page_tree.h"

#include <algorithm>
#include <cassert>

namespace hearth {
namespace {

// Attention over about this many positions costs as much as the rest of a token's forward pass, so
// recomputing a page at this depth costs twice as much as one below the root.
constexpr double kCostDoublingTokens = 4096;

}  // namespace

PageTree::PageTree(int n_pages, int page_tokens, int n_roots)
    : n_pages_(n_pages),
      page_tokens_(page_tokens),
      nodes_(static_cast<size_t>(n_pages) + n_roots),
      tokens_(static_cast<size_t>(n_pages) * page_tokens) {
  // With -1, pages below a root have depth 0.
  for (int i = 0; i < n_roots; i++) nodes_[root(i)].depth = -1;
  free_.reserve(n_pages);
  for (int32_t page = n_pages - 1; page >= 0; page--) free_.push_back(page);
}

std::span<const uint32_t> PageTree::tokens(int32_t page) const {
  return std::span(tokens_).subspan(static_cast<size_t>(page) * page_tokens_,
                                    nodes_[page].n_tokens);
}

/// The length of the common prefix of the page's tokens and the given ones.
int PageTree::n_common(int32_t page, std::span<const uint32_t> tokens) const {
  const std::span<const uint32_t> own = this->tokens(page);
  const auto end = std::mismatch(own.begin(), own.end(), tokens.begin(), tokens.end());
  return static_cast<int>(end.first - own.begin());
}

PageTree::Match PageTree::best_child(int32_t parent, std::span<const uint32_t> tokens) const {
  Match best;
  for (int32_t page = nodes_[parent].first_child; page != kNone; page = nodes_[page].next) {
    const int n_tokens = n_common(page, tokens);
    if (n_tokens > best.n_tokens) best = {page, n_tokens};
    if (best.n_tokens == page_tokens_) break;
  }
  return best;
}

std::vector<uint32_t> PageTree::continuation(int32_t root, std::span<const uint32_t> tokens,
                                             size_t n_max) const {
  std::vector<uint32_t> next;
  // Whether the page, or its beginning, equals the beginning of the tokens, and the page has
  // further tokens or is full.
  const auto continues = [&](int32_t page) {
    const size_t n = nodes_[page].n_tokens;
    const bool is_long_enough = n > tokens.size() || static_cast<int>(n) == page_tokens_;
    return is_long_enough && n_common(page, tokens) == static_cast<int>(std::min(n, tokens.size()));
  };
  for (int32_t parent = root; parent != kNone && next.size() < n_max;) {
    int32_t newest = kNone;
    for (int32_t page = nodes_[parent].first_child; page != kNone; page = nodes_[page].next)
      if (continues(page) && (newest == kNone || nodes_[page].last_used > nodes_[newest].last_used))
        newest = page;
    if (newest == kNone) break;
    const std::span<const uint32_t> own = this->tokens(newest);
    const size_t n_known = std::min(own.size(), tokens.size());
    tokens = tokens.subspan(n_known);
    next.insert(next.end(), own.begin() + n_known, own.end());
    parent = static_cast<int>(own.size()) == page_tokens_ ? newest : kNone;
  }
  next.resize(std::min(next.size(), n_max));
  return next;
}

int32_t PageTree::allocate(uint64_t writer) {
  if (free_.empty()) evict();
  const int32_t page = free_.back();
  free_.pop_back();
  nodes_[page].n_holders = 1;
  nodes_[page].writer = writer;
  n_held_++;
  return page;
}

void PageTree::hold(int32_t page) {
  if (nodes_[page].n_holders++ == 0) n_held_++;
}

void PageTree::release(int32_t page) {
  Node& node = nodes_[page];
  node.last_used = clock_;
  if (--node.n_holders > 0) return;
  n_held_--;
  if (node.n_tokens == 0) {
    free_.push_back(page);
  } else {
    remove_redundant(page);
  }
}

void PageTree::append(int32_t page, int32_t parent, uint32_t token) {
  Node& node = nodes_[page];
  if (node.n_tokens == 0) link(page, parent);
  tokens_[static_cast<size_t>(page) * page_tokens_ + node.n_tokens++] = token;
}

int32_t PageTree::insert(int32_t parent, std::span<const uint32_t> tokens,
                         const std::function<void(int32_t)>& fill) {
  const Match known = best_child(parent, tokens);
  if (known.n_tokens == static_cast<int>(tokens.size())) return known.page;
  if (free_.empty()) return kNone;
  const int32_t page = allocate(0);
  try {
    fill(page);
  } catch (...) {
    release(page);
    throw;
  }
  for (const uint32_t token : tokens) append(page, parent, token);
  release(page);
  return page;
}

int32_t PageTree::duplicate_of(int32_t page) const {
  const std::span<const uint32_t> own = tokens(page);
  for (int32_t other = nodes_[nodes_[page].parent].first_child; other != kNone;
       other = nodes_[other].next)
    if (other != page && n_common(other, own) == page_tokens_) return other;
  return kNone;
}

void PageTree::clear() {
  for (int32_t page = 0; page < n_pages(); page++) {
    // Nothing below an unheld page is held, so its whole subtree goes, leaf by leaf.
    while (nodes_[page].n_tokens > 0 && nodes_[page].n_holders == 0) {
      int32_t leaf = page;
      while (nodes_[leaf].first_child != kNone) leaf = nodes_[leaf].first_child;
      remove_leaf(leaf);
    }
  }
}

bool PageTree::is_evictable(const Node& node) const {
  return node.n_tokens > 0 && node.n_holders == 0 && node.first_child == kNone;
}

/// The cost to recompute a page divided by its age: n_tokens * (1 + depth / 4096) / ticks since its
/// last use. The page with the lowest score is evicted. So this is LRU, but it favours deep and
/// full pages.
double PageTree::retention_score(const Node& node) const {
  const double depth_tokens = static_cast<double>(node.depth) * page_tokens_;
  const double cost = node.n_tokens * (1 + depth_tokens / kCostDoublingTokens);
  return cost / static_cast<double>(clock_ - node.last_used + 1);
}

/// A scan takes about 1 ns per page; filling the page that it frees takes milliseconds.
void PageTree::evict() {
  int32_t victim = kNone;
  double least = 0;
  for (int32_t page = 0; page < n_pages(); page++) {
    if (!is_evictable(nodes_[page])) continue;
    const double score = retention_score(nodes_[page]);
    if (victim == kNone || score < least) victim = page, least = score;
  }
  assert(victim != kNone);
  remove_leaf(victim);
  n_evictions_++;
}

void PageTree::remove_leaf(int32_t page) {
  unlink(page);
  nodes_[page] = Node{};
  free_.push_back(page);
}

/// Frees the page if it is unheld and a sibling has all its tokens. Also frees unheld siblings if
/// this page has all their tokens. That loses nothing: the same tokens have the same KV, whichever
/// sequence computed it.
void PageTree::remove_redundant(int32_t page) {
  const Node& node = nodes_[page];
  for (int32_t other = nodes_[node.parent].first_child; other != kNone;) {
    const int32_t next = nodes_[other].next;
    if (other != page) {
      const int n = n_common(other, tokens(page));
      if (n == node.n_tokens && is_evictable(node)) {
        nodes_[other].last_used = clock_;
        return remove_leaf(page);
      }
      if (n == nodes_[other].n_tokens && is_evictable(nodes_[other])) remove_leaf(other);
    }
    other = next;
  }
}

void PageTree::link(int32_t page, int32_t parent) {
  Node& node = nodes_[page];
  node.parent = parent;
  node.depth = nodes_[parent].depth + 1;
  node.next = nodes_[parent].first_child;
  if (node.next != kNone) nodes_[node.next].previous = page;
  nodes_[parent].first_child = page;
}

void PageTree::unlink(int32_t page) {
  const Node& node = nodes_[page];
  if (node.next != kNone) nodes_[node.next].previous = node.previous;
  int32_t& link_here =
      node.previous == kNone ? nodes_[node.parent].first_child : nodes_[node.previous].next;
  link_here = node.next;
}

}  // namespace hearth
