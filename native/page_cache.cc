// Paths over the radix tree. Most of this file is about the last, partly filled page of a path:
// when it may be appended to in place, and when it must be copied first (tail_kind()).
#include "page_cache.h"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

#include "page_tree.h"

namespace hearth {

struct PageCache::State {
  PageTree tree;
  std::function<void(int, int, int)> copy;
  uint64_t hit_tokens = 0;
  uint64_t miss_tokens = 0;
};

// Its address identifies the path as the writer of pages: it stays the same when a Path is moved.
struct Path::State {
  // How the last, partly filled page becomes writable.
  enum class Tail {
    kAppend,  // in place: nothing stands behind the path's last position, nobody else writes
    kShrink,  // in place, after dropping what the path itself wrote behind that position
    kCopy,    // somebody may read what stands behind that position: copy-on-write
  };

  explicit State(std::shared_ptr<PageCache::State> cache) : cache(std::move(cache)) {}
  State(const State&) = delete;
  ~State() { drop_pages(0); }

  PageTree& tree() const { return cache->tree; }
  int length() const { return static_cast<int>(tokens.size()); }
  int pages_for(int n_tokens) const {
    return (n_tokens + tree().page_tokens() - 1) / tree().page_tokens();
  }

  Tail tail_kind() const;
  bool is_sole_leaf(int32_t page) const;
  void make_tail_writable(Tail kind);
  void replace_duplicate(int page_i);
  void drop_pages(int n_kept);

  std::shared_ptr<PageCache::State> cache;
  std::vector<uint32_t> tokens;
  std::vector<int32_t> pages;
};

bool Path::State::is_sole_leaf(int32_t page) const {
  const PageTree::Node& node = tree().node(page);
  return node.n_holders == 1 && node.first_child == PageTree::kNone;
}

// Readers are other paths and lookups in the tree: positions that they may see are never
// overwritten. Two paths must not append to one page either, hence Node::writer.
Path::State::Tail Path::State::tail_kind() const {
  const int fill = length() % tree().page_tokens();
  if (fill == 0) return Tail::kAppend;
  const int32_t page = pages[length() / tree().page_tokens()];
  const PageTree::Node& node = tree().node(page);
  const bool is_writer = node.writer == this;
  if (node.n_tokens == fill && (is_writer || !node.writer)) return Tail::kAppend;
  return is_writer && is_sole_leaf(page) ? Tail::kShrink : Tail::kCopy;
}

void Path::State::make_tail_writable(Tail kind) {
  const int fill = length() % tree().page_tokens();
  if (fill == 0) return;
  int32_t& page = pages[length() / tree().page_tokens()];
  if (kind == Tail::kCopy) {
    const int32_t source = page;
    const int32_t parent = tree().node(source).parent;
    page = tree().allocate(this);
    cache->copy(page, source, fill);
    for (int i = 0; i < fill; i++) tree().append(page, parent, tree().tokens(source)[i]);
    tree().release(source);
  }
  if (kind == Tail::kShrink) tree().shrink(page, fill);
  tree().node(page).writer = this;
}

// When two paths have computed the same page, this path takes the other's and frees its own. Later
// pages of both then have one parent and can be shared as well.
void Path::State::replace_duplicate(int page_i) {
  const int32_t page = pages[page_i];
  if (!is_sole_leaf(page)) return;
  const int32_t duplicate = tree().duplicate_of(page);
  if (duplicate == PageTree::kNone) return;
  tree().hold(duplicate);
  pages[page_i] = duplicate;
  tree().release(page);
}

// Releases from the last page to the first, so that a parent is held until its children are not.
void Path::State::drop_pages(int n_kept) {
  while (static_cast<int>(pages.size()) > n_kept) {
    const int32_t page = pages.back();
    pages.pop_back();
    if (tree().node(page).writer == this) tree().node(page).writer = nullptr;
    tree().release(page);
  }
}

Path::Path() = default;
Path::~Path() = default;
Path::Path(Path&&) noexcept = default;
Path& Path::operator=(Path&&) noexcept = default;

std::span<const uint32_t> Path::tokens() const {
  return state_ ? std::span<const uint32_t>(state_->tokens) : std::span<const uint32_t>();
}

int Path::length() const { return state_ ? state_->length() : 0; }

std::span<const int32_t> Path::pages() const {
  return state_ ? std::span<const int32_t>(state_->pages) : std::span<const int32_t>();
}

bool Path::reserve(int n) {
  if (!state_) return false;
  if (n <= 0) return true;
  PageTree& tree = state_->tree();
  const int n_pages = state_->pages_for(length() + n);
  const int n_new = std::max(0, n_pages - static_cast<int>(state_->pages.size()));
  State::Tail tail = state_->tail_kind();
  // A prompt that fits an empty pool must fit a warm one: if there is no page for the copy and
  // nobody else holds this one, its cached positions are dropped instead.
  if (tail == State::Tail::kCopy && n_new + 1 > tree.n_available() &&
      state_->is_sole_leaf(state_->pages[length() / tree.page_tokens()])) {
    tail = State::Tail::kShrink;
  }
  if (n_new + (tail == State::Tail::kCopy) > tree.n_available()) return false;
  // This may throw, so it comes first: a page that was allocated must not be lost.
  state_->pages.reserve(state_->pages.size() + n_new);
  state_->make_tail_writable(tail);
  for (int i = 0; i < n_new; i++) state_->pages.push_back(tree.allocate(state_.get()));
  return true;
}

void Path::commit(std::span<const uint32_t> tokens) {
  assert(state_ || tokens.empty());
  for (const uint32_t token : tokens) {
    PageTree& tree = state_->tree();
    const int page_i = length() / tree.page_tokens();
    assert(page_i < static_cast<int>(state_->pages.size()) && "commit needs reserve");
    const int32_t page = state_->pages[page_i];
    assert(tree.node(page).writer == state_.get());
    assert(tree.node(page).n_tokens == length() % tree.page_tokens());
    tree.append(page, page_i == 0 ? tree.root() : state_->pages[page_i - 1], token);
    state_->tokens.push_back(token);
    if (length() % tree.page_tokens() == 0) state_->replace_duplicate(page_i);
  }
}

void Path::truncate(int length) {
  if (!state_) return;
  assert(length >= 0 && length <= this->length());
  state_->tokens.resize(length);
  state_->drop_pages(state_->pages_for(length));
}

Path Path::fork() const {
  Path path;
  if (!state_) return path;
  path.state_ = std::make_unique<State>(state_->cache);
  path.state_->tokens.reserve(state_->tokens.capacity());
  path.state_->pages.reserve(state_->pages.capacity());
  path.state_->tokens = state_->tokens;
  const auto shared = pages().first(state_->pages_for(length()));
  path.state_->pages.assign(shared.begin(), shared.end());
  for (const int32_t page : shared) state_->tree().hold(page);
  return path;
}

PageCache::PageCache(int n_pages, int page_tokens, std::function<void(int, int, int)> copy)
    : state_(std::make_shared<State>(PageTree(n_pages, page_tokens), std::move(copy))) {}

PageCache::~PageCache() = default;

Path PageCache::find(std::span<const uint32_t> tokens) {
  Path path = hold(tokens.first(tokens.empty() ? 0 : tokens.size() - 1));
  state_->hit_tokens += path.length();
  return path;
}

Path PageCache::hold(std::span<const uint32_t> tokens) {
  state_->tree.tick();
  Path path;
  path.state_ = std::make_unique<Path::State>(state_);
  // Includes room for an answer, so that decoding seldom reallocates.
  path.state_->tokens.reserve(tokens.size() + 512);
  path.state_->pages.reserve(path.state_->pages_for(static_cast<int>(tokens.size()) + 512));
  const int n_found = state_->tree.walk(tokens, [&](int32_t page, int) {
    state_->tree.hold(page);
    path.state_->pages.push_back(page);
  });
  path.state_->tokens.assign(tokens.begin(), tokens.begin() + n_found);
  return path;
}

int PageCache::match_length(std::span<const uint32_t> tokens) const {
  const auto wanted = tokens.first(tokens.empty() ? 0 : tokens.size() - 1);
  return state_->tree.walk(wanted, [](int32_t, int) {});
}

std::vector<uint32_t> PageCache::continuation(std::span<const uint32_t> tokens, int n_most) const {
  return state_->tree.continuation(tokens, n_most);
}

void PageCache::count_evaluated(int n_tokens) { state_->miss_tokens += n_tokens; }

void PageCache::clear() { state_->tree.clear(); }

std::vector<CachedPage> PageCache::pages() const {
  const PageTree& tree = state_->tree;
  std::vector<CachedPage> pages;
  for (int32_t page = 0; page < tree.n_pages(); page++) {
    const PageTree::Node& node = tree.node(page);
    if (node.n_tokens == 0) continue;
    pages.push_back({page, node.parent == tree.root() ? kNone : node.parent, tree.tokens(page)});
  }
  // Using a page uses its ancestors, so of two pages of one branch the parent is never older; equal
  // ones are ordered by depth.
  std::sort(pages.begin(), pages.end(), [&](const CachedPage& a, const CachedPage& b) {
    const PageTree::Node& left = tree.node(a.page);
    const PageTree::Node& right = tree.node(b.page);
    return std::tie(right.last_used, left.depth) < std::tie(left.last_used, right.depth);
  });
  // An ancestor that a path still holds has not got its last_used yet and may come too late in this
  // order: what lies below it is left out.
  std::vector<bool> is_known(tree.n_pages());
  std::erase_if(pages, [&](const CachedPage& page) {
    return !(is_known[page.page] = page.parent == kNone || is_known[page.parent]);
  });
  return pages;
}

PageCache::Inserted PageCache::insert(int32_t parent, std::span<const uint32_t> tokens,
                                      const std::function<void(int32_t)>& fill) {
  PageTree& tree = state_->tree;
  assert(parent == kNone || tree.node(parent).n_tokens == tree.page_tokens());
  Inserted inserted;
  inserted.page = tree.insert(parent == kNone ? tree.root() : parent, tokens, [&](int32_t page) {
    inserted.is_new = true;
    fill(page);
  });
  return inserted;
}

CacheStatistics PageCache::statistics() const {
  return {.pages_total = state_->tree.n_pages(),
          .pages_used = state_->tree.n_used(),
          .pages_held = state_->tree.n_held(),
          .hit_tokens = state_->hit_tokens,
          .miss_tokens = state_->miss_tokens,
          .evictions = state_->tree.n_evictions()};
}

}  // namespace hearth
