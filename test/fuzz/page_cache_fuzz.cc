// Runs any sequence of requests, forks, truncations, pins and evictions. The pages of a path must
// hold the KV of its tokens. A list of all evaluated prompts proves that every prefix found in the
// cache was evaluated before.
#include <deque>
#include <utility>

#include "fuzz.h"
#include "page_simulation.h"

using hearth::CachedPage;
using hearth::Path;
using test::Simulation;
using test::Tokens;

namespace {

constexpr size_t kMaxPaths = 6;

class Model {
 public:
  Model(int n_pages, int page_tokens) : simulation_(n_pages, page_tokens) {}

  void step(fuzz::Input& input) {
    switch (input.below(8)) {
      case 0:
        return request(input);
      case 1:
        return extend(input);
      case 2:
        if (Path* path = any(input)) truncate(*path, input);
        return;
      case 3:
        if (Path* path = any(input); path && paths_.size() < kMaxPaths)
          paths_.push_back(path->fork());
        return;
      case 4:
        return drop(input);
      case 5:
        if (paths_.size() < kMaxPaths) paths_.push_back(simulation_.cache.find_whole(text(input)));
        return;
      case 6:
        return move_to_another_cache();
      default:
        simulation_.cache.clear();
    }
  }

  void check() {
    std::vector<int32_t> held;
    for (const Path& path : paths_) {
      simulation_.check(path);
      EXPECT(was_read(path.tokens()));
      held.insert(held.end(), path.pages().begin(), path.pages().end());
    }
    std::sort(held.begin(), held.end());
    held.erase(std::unique(held.begin(), held.end()), held.end());
    const hearth::CacheStatistics statistics = simulation_.cache.statistics();
    EXPECT(statistics.pages_held == static_cast<int>(held.size()));
    EXPECT(statistics.pages_held <= statistics.pages_used);
    EXPECT(statistics.pages_used <= statistics.pages_total);
  }

  void end() {
    paths_.clear();
    EXPECT(simulation_.cache.statistics().pages_held == 0);
    simulation_.cache.clear();
    EXPECT(simulation_.cache.statistics().pages_used == 0);
  }

 private:
  static Tokens text(fuzz::Input& input) {
    Tokens tokens(static_cast<size_t>(1 + input.below(24)));
    // Few different tokens, so that paths often share prefixes.
    uint32_t bits = input.byte();
    for (uint32_t& token : tokens) token = (bits = bits * 75 + 74) >> 6 & 1;
    return tokens;
  }

  Path* any(fuzz::Input& input) {
    return paths_.empty() ? nullptr : &paths_[input.byte() % paths_.size()];
  }

  size_t longest_known(const Tokens& tokens) const {
    size_t longest = 0;
    for (const Tokens& known : read_) {
      const auto [end, _] = std::mismatch(known.begin(), known.end(), tokens.begin(), tokens.end());
      longest = std::max(longest, static_cast<size_t>(end - known.begin()));
    }
    return longest;
  }
  bool was_read(std::span<const uint32_t> tokens) const {
    return longest_known({tokens.begin(), tokens.end()}) == tokens.size();
  }
  void note(const Path& path) { read_.emplace_back(path.tokens().begin(), path.tokens().end()); }

  void request(fuzz::Input& input) {
    const Tokens tokens = text(input);
    const int n_drafts = input.below(4);
    const size_t n_known = std::min(longest_known(tokens), tokens.size() - 1);
    const int n_matching = simulation_.cache.match_length(tokens);
    Path path = simulation_.cache.find(tokens);
    EXPECT(path.length() == n_matching);
    // The cache may find less: pages were evicted, or two full pages with the same tokens have
    // different successors, since pages that several paths hold are not merged.
    EXPECT(path.length() <= static_cast<int>(n_known));
    simulation_.check(path);
    if (!simulation_.extend(path, Tokens(tokens.begin() + path.length(), tokens.end()), n_drafts))
      return;
    note(path);
    if (paths_.size() < kMaxPaths) paths_.push_back(std::move(path));
  }

  void extend(fuzz::Input& input) {
    Path* path = any(input);
    if (!path) return;
    if (simulation_.extend(*path, text(input), input.below(4))) note(*path);
  }

  static void truncate(Path& path, fuzz::Input& input) {
    path.truncate(input.byte() % (path.length() + 1));
  }

  void drop(fuzz::Input& input) {
    if (paths_.empty()) return;
    std::swap(paths_[input.byte() % paths_.size()], paths_.back());
    paths_.pop_back();
  }

  /// Like the disk tier: puts every page, the last used first, into an empty cache of the same
  /// size.
  void move_to_another_cache() const {
    const int n_pages = simulation_.cache.statistics().pages_total;
    Simulation other(n_pages, simulation_.page_tokens);
    std::vector<int32_t> new_pages(static_cast<size_t>(n_pages), hearth::PageCache::kNone);
    for (const CachedPage& page : simulation_.cache.pages()) {
      const bool is_first = page.parent == hearth::PageCache::kNone;
      const int32_t parent = is_first ? page.parent : new_pages[page.parent];
      EXPECT(is_first || parent != hearth::PageCache::kNone);
      const auto inserted = other.cache.insert(parent, page.tokens, [&](int32_t to) {
        std::copy_n(&simulation_.slots[page.page * other.page_tokens], other.page_tokens,
                    &other.slots[to * other.page_tokens]);
      });
      EXPECT(inserted.page != hearth::PageCache::kNone);
      new_pages[page.page] = inserted.page;
    }
    for (const Tokens& known : read_) other.check(other.cache.find(known));
  }

  Simulation simulation_;
  std::deque<Path> paths_;
  std::vector<Tokens> read_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t n) {
  fuzz::Input input(data, std::min<size_t>(n, 600));
  const int page_tokens = 1 << input.below(4);
  Model model(1 + input.below(40), page_tokens);
  while (!input.is_empty()) {
    model.step(input);
    model.check();
  }
  model.end();
  return 0;
}
