// Random requests, forks, truncations and evictions in small caches. The pages of a path must
// always hold the KV of exactly its tokens.
#include <deque>
#include <random>
#include <utility>

#include "page_simulation.h"
#include "test.h"

using hearth::CacheStatistics;
using hearth::Path;
using test::joined;
using test::Simulation;
using test::Tokens;

namespace {

/// Makes random requests, forks, truncations, rejected drafts and clears with a few documents.
class RandomEdits {
 public:
  RandomEdits(uint32_t seed, int n_pages, int page_tokens)
      : random_(seed), simulation_(n_pages, page_tokens), n_pages_(n_pages) {
    for (int i = 0; i < 3; i++)
      documents_.push_back(random_tokens(pick(n_pages * page_tokens) + 1));
  }

  void run(int n_steps) {
    for (int i = 0; i < n_steps; i++) {
      step();
      for (const Running& running : running_) simulation_.check(running.path);
      check_counts();
    }
    running_.clear();
    CHECK_EQUAL(simulation_.cache.statistics().pages_held, 0);
    simulation_.cache.clear();
    CHECK_EQUAL(simulation_.cache.statistics().pages_used, 0);
  }

 private:
  struct Running {
    Path path;
    Tokens written;  // tokens that are already in the pages, but not yet committed
  };

  int pick(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  // Only a few different tokens, so that paths often share a prefix and then differ.
  Tokens random_tokens(int n) {
    Tokens tokens(n);
    for (uint32_t& token : tokens) token = static_cast<uint32_t>(pick(3));
    return tokens;
  }

  void step() {
    const int action = pick(12);
    if (action < 3 || running_.empty()) return request();
    Running& running = running_[pick(static_cast<int>(running_.size()))];
    Path& path = running.path;
    path.commit(std::exchange(running.written, {}));
    if (action < 6) {
      // Half of the batches are committed only after other batches have run.
      const Tokens tokens = random_tokens(pick(2 * simulation_.page_tokens) + 1);
      if (!simulation_.write(path, tokens, pick(4))) return;
      if (pick(2))
        path.commit(tokens);
      else
        running.written = tokens;
    } else if (action < 8) {
      path.truncate(pick(path.length() + 1));
    } else if (action == 8 && running_.size() < 5) {
      running_.push_back({path.fork(), {}});
    } else if (action == 9) {
      simulation_.cache.clear();
    } else {
      std::swap(running, running_.back());
      running_.pop_back();
    }
  }

  void request() {
    Tokens& document = documents_[pick(3)];
    edit(document);
    const int expected = simulation_.cache.match_length(document);
    Path path = simulation_.cache.find(document);
    CHECK_EQUAL(path.length(), expected);
    const bool fits =
        simulation_.extend(path, Tokens(document.begin() + path.length(), document.end()), pick(3));
    if (fits)
      CHECK_EQUAL(simulation_.cache.match_length(joined(document, {9})),
                  static_cast<int>(document.size()));
    if (running_.size() < 5 && pick(2)) running_.push_back({std::move(path), {}});
  }

  void edit(Tokens& document) {
    const int at = pick(static_cast<int>(document.size()));
    if (pick(4) == 0) document.resize(at + 1);
    if (pick(4) == 0) document[at % document.size()] = static_cast<uint32_t>(pick(3));
    document = joined(std::move(document), random_tokens(1 + pick(3)));
    const int n_max = (n_pages_ + 2) * simulation_.page_tokens;
    if (static_cast<int>(document.size()) > n_max) document.resize(n_max / 2);
  }

  void check_counts() {
    std::vector<int32_t> held;
    for (const Running& running : running_) {
      const auto pages = running.path.pages();
      held.insert(held.end(), pages.begin(), pages.end());
    }
    std::sort(held.begin(), held.end());
    held.erase(std::unique(held.begin(), held.end()), held.end());
    const CacheStatistics statistics = simulation_.cache.statistics();
    CHECK_EQUAL(statistics.pages_held, static_cast<int>(held.size()));
    CHECK(statistics.pages_used >= statistics.pages_held);
    CHECK(statistics.pages_used <= statistics.pages_total);
  }

  std::mt19937 random_;
  Simulation simulation_;
  int n_pages_;
  std::vector<Tokens> documents_;
  std::deque<Running> running_;  // a deque keeps references valid when one is added
};

}  // namespace

TEST("after any edits, forks and evictions, the pages of a path hold the KV of its tokens") {
  for (uint32_t seed = 0; seed < 1500; seed++) {
    const int page_tokens = seed % 4 == 0 ? 1 : seed % 4 == 1 ? 2 : seed % 4 == 2 ? 4 : 8;
    RandomEdits(seed, 1 + static_cast<int>(seed % 17), page_tokens).run(150);
  }
}
