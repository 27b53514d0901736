// Paths in the radix tree. Most of this file is about the last, partly filled page of a path:
// whether the path may append to it in place or must copy it first (tail_kind()).
#include "page_cache.h"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace hearth {

Path::Path(PageCache& cache, int root, size_t capacity_tokens)
    : cache_(&cache), id_(++cache.n_paths_), root_(root) {
  tokens_.reserve(capacity_tokens);
  pages_.reserve(pages_for(static_cast<int>(capacity_tokens)));
}

void Path::swap(Path& other) noexcept {
  std::swap(cache_, other.cache_);
  std::swap(id_, other.id_);
  std::swap(root_, other.root_);
  tokens_.swap(other.tokens_);
  pages_.swap(other.pages_);
}

PageTree& Path::tree() const { return cache_->tree_; }

int Path::pages_for(int n_tokens) const {
  return (n_tokens + tree().page_tokens() - 1) / tree().page_tokens();
}

bool Path::is_unshared_leaf(int32_t page) const {
  const PageTree::Node& node = tree().node(page);
  return node.n_holders == 1 && node.first_child == PageTree::kNone;
}

// Other paths and lookups in the tree also read the page, so positions that they might see are
// never overwritten. Node::writer keeps two paths from appending to one page.
Path::Tail Path::tail_kind() const {
  const int fill = length() % tree().page_tokens();
  if (fill == 0) return Tail::kAppend;
  const int32_t page = pages_[length() / tree().page_tokens()];
  const PageTree::Node& node = tree().node(page);
  const bool is_writer = node.writer == id_;
  if (node.n_tokens == fill && (is_writer || node.writer == 0)) return Tail::kAppend;
  return is_writer && is_unshared_leaf(page) ? Tail::kShrink : Tail::kCopy;
}

void Path::make_tail_writable(Tail kind) {
  const int fill = length() % tree().page_tokens();
  if (fill == 0) return;
  int32_t& page = pages_[length() / tree().page_tokens()];
  if (kind == Tail::kCopy) {
    const int32_t source = page;
    const int32_t parent = tree().node(source).parent;
    page = tree().allocate(id_);
    cache_->copy_(page, source, fill);
    for (int i = 0; i < fill; i++) tree().append(page, parent, tree().tokens(source)[i]);
    tree().release(source);
  }
  if (kind == Tail::kShrink) tree().shrink(page, fill);
  tree().node(page).writer = id_;
}

// If two paths have computed the same page, this path takes the other's page and frees its own.
// Then later pages of both paths have the same parent and can be shared as well.
void Path::replace_duplicate(int page_i) {
  const int32_t page = pages_[page_i];
  if (!is_unshared_leaf(page)) return;
  const int32_t duplicate = tree().duplicate_of(page);
  if (duplicate == PageTree::kNone) return;
  tree().hold(duplicate);
  pages_[page_i] = duplicate;
  tree().release(page);
}

// Releases the last page first, so that a parent is held as long as its children are.
void Path::drop_pages(int n_kept) {
  while (static_cast<int>(pages_.size()) > n_kept) {
    const int32_t page = pages_.back();
    pages_.pop_back();
    if (tree().node(page).writer == id_) tree().node(page).writer = 0;
    tree().release(page);
  }
}

bool Path::reserve(int n) {
  if (!cache_) return false;
  if (n <= 0) return true;
  const int n_new = std::max(0, pages_for(length() + n) - static_cast<int>(pages_.size()));
  Tail tail = tail_kind();
  // A prompt that fits an empty pool must also fit a warm one. So if there is no page for the copy
  // and nobody else holds this page, the path drops the page's positions after length() and writes
  // in place.
  if (tail == Tail::kCopy && n_new + 1 > tree().n_available() &&
      is_unshared_leaf(pages_[length() / tree().page_tokens()]))
    tail = Tail::kShrink;
  if (n_new + (tail == Tail::kCopy) > tree().n_available()) return false;
  // Comes first because it may throw, and an allocated page must not be lost.
  pages_.reserve(pages_.size() + n_new);
  make_tail_writable(tail);
  for (int i = 0; i < n_new; i++) pages_.push_back(tree().allocate(id_));
  return true;
}

void Path::commit(std::span<const uint32_t> tokens) {
  assert(cache_ || tokens.empty());
  for (const uint32_t token : tokens) {
    const int page_i = length() / tree().page_tokens();
    assert(page_i < static_cast<int>(pages_.size()) && "commit needs reserve");
    const int32_t page = pages_[page_i];
    assert(tree().node(page).writer == id_);
    assert(tree().node(page).n_tokens == length() % tree().page_tokens());
    tree().append(page, page_i == 0 ? tree().root(root_) : pages_[page_i - 1], token);
    tokens_.push_back(token);
    if (length() % tree().page_tokens() == 0) replace_duplicate(page_i);
  }
}

void Path::truncate(int length) {
  if (!cache_) return;
  assert(length >= 0 && length <= this->length());
  tokens_.resize(length);
  drop_pages(pages_for(length));
}

Path Path::fork() const {
  if (!cache_) return Path();
  Path path(*cache_, root_, tokens_.capacity());
  path.tokens_ = tokens_;
  const auto shared = pages().first(pages_for(length()));
  path.pages_.reserve(pages_.capacity());
  path.pages_.assign(shared.begin(), shared.end());
  for (const int32_t page : shared) tree().hold(page);
  return path;
}

Path PageCache::find(std::span<const uint32_t> tokens, int root) {
  Path path = find_whole(tokens.first(tokens.empty() ? 0 : tokens.size() - 1), root);
  hit_tokens_ += path.length();
  return path;
}

Path PageCache::find_whole(std::span<const uint32_t> tokens, int root) {
  tree_.tick();
  Path path(*this, root,
            tokens.size() + 512);  // room for an answer, so that decoding rarely reallocates
  const int n_found = tree_.walk(tree_.root(root), tokens, [&](int32_t page, int) {
    tree_.hold(page);
    path.pages_.push_back(page);
  });
  path.tokens_.assign(tokens.begin(), tokens.begin() + n_found);
  return path;
}

int PageCache::match_length(std::span<const uint32_t> tokens, int root) const {
  const auto wanted = tokens.first(tokens.empty() ? 0 : tokens.size() - 1);
  return tree_.walk(tree_.root(root), wanted, [](int32_t, int) {});
}

std::vector<CachedPage> PageCache::pages() const {
  std::vector<CachedPage> pages;
  for (int32_t page = 0; page < tree_.n_pages(); page++) {
    const PageTree::Node& node = tree_.node(page);
    if (node.n_tokens == 0) continue;
    const bool is_first = tree_.is_root(node.parent);
    pages.push_back({page, is_first ? kNone : node.parent,
                     is_first ? node.parent - tree_.root(0) : 0, tree_.tokens(page)});
  }
  // Using a page also uses its ancestors, so a parent is at least as recent as its child. Pages
  // used at the same time are ordered by depth.
  std::sort(pages.begin(), pages.end(), [&](const CachedPage& a, const CachedPage& b) {
    const PageTree::Node& left = tree_.node(a.page);
    const PageTree::Node& right = tree_.node(b.page);
    return std::tie(right.last_used, left.depth) < std::tie(left.last_used, right.depth);
  });
  // One exception: last_used is set on release. If a path has released its last page but still
  // holds the earlier ones, a child may precede its parent in this order. Such children are left
  // out.
  constexpr int kNotListed = -1;
  std::vector<int> root_of(tree_.n_pages(), kNotListed);
  std::vector<CachedPage> listed;
  for (CachedPage& page : pages) {
    if (page.parent != kNone) page.root = root_of[page.parent];
    if (page.root == kNotListed) continue;
    root_of[page.page] = page.root;
    listed.push_back(page);
  }
  return listed;
}

PageCache::Inserted PageCache::insert(int32_t parent, std::span<const uint32_t> tokens,
                                      const std::function<void(int32_t)>& fill, int root) {
  assert(parent == kNone || tree_.node(parent).n_tokens == tree_.page_tokens());
  Inserted inserted;
  inserted.page =
      tree_.insert(parent == kNone ? tree_.root(root) : parent, tokens, [&](int32_t page) {
        inserted.is_new = true;
        fill(page);
      });
  return inserted;
}

CacheStatistics PageCache::statistics() const {
  return {.pages_total = tree_.n_pages(),
          .pages_used = tree_.n_used(),
          .pages_held = tree_.n_held(),
          .hit_tokens = hit_tokens_,
          .miss_tokens = miss_tokens_,
          .evictions = tree_.n_evictions()};
}

}  // namespace hearth
