// The cache's promise: what a path's pages hold is the KV of exactly the tokens that the path
// claims. A simulated pool stores, for a position, a hash of the whole prefix: as KV, it depends on
// all of it.
#include "page_cache.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <numeric>
#include <random>
#include <utility>

#include "test.h"

using hearth::CacheStatistics;
using hearth::PageCache;
using hearth::Path;

namespace {

using Tokens = std::vector<uint32_t>;
constexpr uint64_t kGarbage = ~uint64_t{0};

uint64_t next_hash(uint64_t hash, uint32_t token) {
  return (hash ^ token) * 0x9E3779B97F4A7C15u + (hash >> 29);
}

/// A cache over simulated pages that are written as an engine writes them.
struct Simulation {
  Simulation(int n_pages, int page_tokens)
      : page_tokens(page_tokens),
        slots(static_cast<size_t>(n_pages) * page_tokens),
        cache(n_pages, page_tokens, [this](int to, int from, int n_positions) {
          n_copied += n_positions;
          std::copy_n(&slots[from * this->page_tokens], n_positions,
                      &slots[to * this->page_tokens]);
        }) {}

  uint64_t& slot(const Path& path, int position) {
    const int page = path.pages()[position / page_tokens];
    return slots[static_cast<size_t>(page) * page_tokens + position % page_tokens];
  }

  static uint64_t prefix_hash(const Path& path) {
    uint64_t hash = 1;
    for (const uint32_t token : path.tokens()) hash = next_hash(hash, token);
    return hash;
  }

  /// Reserves for tokens and rejected drafts and writes both, as a batch does.
  bool write(Path& path, const Tokens& tokens, int n_drafts) {
    const int n = static_cast<int>(tokens.size());
    const int start = path.length();
    if (!path.reserve(n + n_drafts)) return false;
    uint64_t hash = prefix_hash(path);
    for (int i = 0; i < n; i++) slot(path, start + i) = hash = next_hash(hash, tokens[i]);
    for (int i = n; i < n + n_drafts; i++) slot(path, start + i) = kGarbage;
    return true;
  }

  bool extend(Path& path, const Tokens& tokens, int n_drafts = 0) {
    if (!write(path, tokens, n_drafts)) return false;
    path.commit(tokens);
    return true;
  }

  void check(const Path& path) {
    uint64_t hash = 1;
    for (int i = 0; i < path.length(); i++) {
      hash = next_hash(hash, path.tokens()[i]);
      if (slot(path, i) != hash) test::fail(__FILE__, __LINE__, "position " + std::to_string(i));
    }
  }

  /// As a request does: find, then evaluate the rest. The whole of tokens is in the path after it.
  Path evaluate(const Tokens& tokens) {
    Path path = cache.find(tokens);
    CHECK(path.length() < static_cast<int>(tokens.size()));
    CHECK(std::equal(path.tokens().begin(), path.tokens().end(), tokens.begin()));
    cache.count_evaluated(static_cast<int>(tokens.size()) - path.length());
    CHECK(extend(path, Tokens(tokens.begin() + path.length(), tokens.end())));
    check(path);
    return path;
  }

  int page_tokens;
  std::vector<uint64_t> slots;
  int n_copied = 0;
  PageCache cache;
};

Tokens counting(uint32_t first, int n) {
  Tokens tokens(n);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

Tokens joined(Tokens tokens, const Tokens& more) {
  tokens.insert(tokens.end(), more.begin(), more.end());
  return tokens;
}

}  // namespace

TEST("a path's partly filled last page is found again after it ends") {
  Simulation simulation(8, 4);
  simulation.evaluate(counting(0, 10));
  CHECK_EQUAL(simulation.cache.match_length(counting(0, 11)), 10);
  CHECK_EQUAL(simulation.cache.statistics().pages_held, 0);
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 3);
}

TEST("find leaves the last token to be evaluated") {
  Simulation simulation(8, 4);
  simulation.evaluate(counting(0, 8));
  CHECK_EQUAL(simulation.cache.find(counting(0, 8)).length(), 7);
  CHECK_EQUAL(simulation.cache.find(counting(0, 1)).length(), 0);
  CHECK_EQUAL(simulation.cache.find({}).length(), 0);
}

TEST("evaluating a known prompt again takes no page for longer than the request") {
  Simulation simulation(8, 4);
  for (int i = 0; i < 20; i++) simulation.evaluate(counting(0, 8));
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 2);
  CHECK_EQUAL(simulation.cache.statistics().evictions, 0u);
  CHECK_EQUAL(simulation.cache.statistics().miss_tokens, 8u + 19u);
}

TEST("appending one token at a time reuses every earlier token and copies nothing") {
  Simulation simulation(32, 4);
  for (int n = 1; n <= 100; n++) simulation.evaluate(counting(0, n));
  CHECK_EQUAL(simulation.cache.statistics().miss_tokens, 100u);
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 25);
  CHECK_EQUAL(simulation.n_copied, 0);
}

TEST("a prompt that differs inside a page reuses the page's matching positions and keeps both") {
  Simulation simulation(8, 4);
  simulation.evaluate(counting(0, 8));
  const Tokens other = joined(counting(0, 6), {90, 91, 92});
  CHECK_EQUAL(simulation.evaluate(other).length(), 9);
  CHECK_EQUAL(simulation.n_copied, 2);
  CHECK_EQUAL(simulation.cache.match_length(joined(other, {1})), 9);
  CHECK_EQUAL(simulation.cache.match_length(counting(0, 9)), 8);
}

TEST("a fork shares full pages and copies the tail when it is written") {
  Simulation simulation(8, 4);
  Path path = simulation.evaluate(counting(0, 6));
  Path fork = path.fork();
  CHECK_EQUAL(simulation.cache.statistics().pages_held, 2);
  CHECK(simulation.extend(fork, {50}));
  CHECK(simulation.extend(path, {60}));
  CHECK_EQUAL(fork.pages()[0], path.pages()[0]);
  CHECK(fork.pages()[1] != path.pages()[1]);
  CHECK_EQUAL(simulation.n_copied, 2);
  simulation.check(path);
  simulation.check(fork);
}

TEST("a page reserved by one path is not written by a fork that stands at the same end") {
  Simulation simulation(8, 4);
  Path path = simulation.evaluate(counting(0, 5));
  Path fork = path.fork();
  CHECK(path.reserve(1));
  simulation.slot(path, 5) = next_hash(Simulation::prefix_hash(path), 7);
  CHECK(simulation.extend(fork, {8}, 2));
  path.commit(Tokens{7});
  simulation.check(path);
  simulation.check(fork);
}

TEST("a path that takes its own tokens back rewrites them in place") {
  Simulation simulation(2, 4);
  Path path = simulation.evaluate(counting(0, 7));
  path.truncate(5);
  CHECK(simulation.extend(path, {70, 71}));
  simulation.check(path);
  CHECK_EQUAL(simulation.n_copied, 0);
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 2);
}

TEST("taking tokens back never changes what a fork or a later page still needs") {
  Simulation simulation(8, 4);
  Path path = simulation.evaluate(counting(0, 10));
  const Path fork = path.fork();
  path.truncate(6);
  CHECK(simulation.extend(path, {70, 71, 72}));
  simulation.check(path);
  simulation.check(fork);
  CHECK_EQUAL(fork.length(), 10);
}

TEST("truncating gives reserved pages back") {
  Simulation simulation(8, 4);
  Path path = simulation.evaluate(counting(0, 4));
  CHECK(path.reserve(20));
  CHECK_EQUAL(simulation.cache.statistics().pages_held, 6);
  path.truncate(4);
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 1);
  path.truncate(0);
  CHECK_EQUAL(simulation.cache.statistics().pages_held, 0);
}

TEST("reserve answers false and changes nothing when other paths hold the pool") {
  Simulation simulation(4, 4);
  const Path holder = simulation.evaluate(counting(0, 9));
  Path path = simulation.cache.find(counting(100, 2));
  CHECK(!path.reserve(5));
  CHECK_EQUAL(path.pages().size(), size_t{0});
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 3);
  CHECK(path.reserve(4));
  CHECK(!Path().reserve(1));
}

TEST("a prompt that fits the pool cold fits it warm") {
  Simulation simulation(2, 4);
  simulation.evaluate(counting(0, 8));
  // Warm, the second page matches in part, and there is no third page to copy it to.
  CHECK_EQUAL(simulation.evaluate(joined(counting(0, 5), {80, 81, 82})).length(), 8);
}

TEST("two paths that compute the same page end up with one") {
  Simulation simulation(8, 4);
  Path a = simulation.cache.find(counting(0, 6));
  Path b = simulation.cache.find(counting(0, 6));
  CHECK(simulation.extend(a, counting(0, 6)));
  CHECK(simulation.extend(b, counting(0, 6)));
  CHECK_EQUAL(a.pages()[0], b.pages()[0]);
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 3);
  a = Path();
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 2);
  simulation.check(b);
}

TEST("the document that was used longest ago is evicted first") {
  Simulation simulation(4, 4);
  const Tokens a = counting(100, 8), b = counting(200, 8), c = counting(300, 8);
  simulation.evaluate(a);
  simulation.evaluate(b);
  simulation.cache.find(joined(a, {0}));
  simulation.evaluate(c);
  CHECK_EQUAL(simulation.cache.match_length(joined(a, {0})), 8);
  CHECK_EQUAL(simulation.cache.match_length(joined(b, {0})), 0);
  CHECK_EQUAL(simulation.cache.statistics().evictions, 2u);
}

TEST("of pages unused as long, those that cost least to recompute are evicted first") {
  Simulation simulation(2052, 4);
  {
    // Last pages at depths 2047 and 0, and a last page with one token only.
    const Path deep = simulation.evaluate(counting(0, 8192));
    const Path shallow = simulation.evaluate(counting(20000, 4));
    const Path fragment = simulation.evaluate(counting(30000, 1));
  }
  simulation.evaluate(counting(40000, 12));
  CHECK_EQUAL(simulation.cache.match_length(counting(30000, 2)), 0);
  CHECK_EQUAL(simulation.cache.match_length(counting(20000, 5)), 4);
  simulation.evaluate(counting(50000, 4));
  CHECK_EQUAL(simulation.cache.match_length(counting(20000, 5)), 0);
  CHECK_EQUAL(simulation.cache.match_length(counting(0, 8193)), 8192);
}

TEST("clear drops what no path holds and nothing else") {
  Simulation simulation(16, 4);
  const Path held = simulation.evaluate(counting(0, 6));
  simulation.evaluate(joined(counting(0, 4), counting(50, 9)));
  simulation.evaluate(counting(90, 9));
  simulation.cache.clear();
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 2);
  CHECK_EQUAL(simulation.cache.match_length(counting(0, 7)), 6);
  simulation.check(held);
}

namespace {

/// Random requests, forks, truncations, rejected drafts and clears over a few documents.
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
    Tokens written;  // reserved and in the pages, not committed yet
  };

  int pick(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  // Few different tokens, so that paths meet and part often.
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
      // Half of the batches are committed only after others have run.
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
    const int n_most = (n_pages_ + 2) * simulation_.page_tokens;
    if (static_cast<int>(document.size()) > n_most) document.resize(n_most / 2);
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
  std::deque<Running> running_;  // references stay valid when one is added
};

}  // namespace

TEST("whatever is edited, forked, truncated and evicted, pages hold what their paths claim") {
  for (uint32_t seed = 0; seed < 1500; seed++) {
    const int page_tokens = seed % 4 == 0 ? 1 : seed % 4 == 1 ? 2 : seed % 4 == 2 ? 4 : 8;
    RandomEdits(seed, 1 + static_cast<int>(seed % 17), page_tokens).run(150);
  }
}

TEST("finding and extending a prompt of 4096 tokens takes microseconds") {
  Simulation simulation(512, 32);
  Tokens tokens = counting(0, 4096);
  simulation.evaluate(tokens);
  constexpr int kRounds = 200;
  const auto start = std::chrono::steady_clock::now();
  for (uint32_t i = 0; i < kRounds; i++) {
    Path path = simulation.cache.find(tokens);
    CHECK(path.reserve(1));
    path.commit(Tokens{i});
  }
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  std::printf("  %.1f us a round\n", spent.count() / kRounds);
  CHECK(spent.count() / kRounds < 2000);  // far above the 10 us measured: sanitizers, busy machines
}
