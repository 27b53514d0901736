// The page cache with simulated pages (page_simulation.h). The pages of a path must hold the KV of
// exactly its tokens; Simulation::check() compares them.
#include "cache/page_cache.h"

#include <stdexcept>

#include "page_simulation.h"
#include "test.h"

using hearth::CacheStatistics;
using hearth::Path;
using test::counting;
using test::joined;
using test::Simulation;
using test::Tokens;

TEST("a path's partly filled last page is found again after it ends") {
  Simulation simulation(8, 4);
  simulation.evaluate(counting(0, 10));
  CHECK_EQUAL(simulation.cache.match_length(counting(0, 11)), 10);
  CHECK_EQUAL(simulation.cache.statistics().pages_held, 0);
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 3);
}

TEST("find() leaves out the prompt's last token, which must be evaluated again") {
  Simulation simulation(8, 4);
  simulation.evaluate(counting(0, 8));
  CHECK_EQUAL(simulation.cache.find(counting(0, 8)).length(), 7);
  CHECK_EQUAL(simulation.cache.find(counting(0, 1)).length(), 0);
  CHECK_EQUAL(simulation.cache.find({}).length(), 0);
}

TEST("evaluating a cached prompt again takes an additional page only during the request") {
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

TEST("a fork does not write into a shared page in which the path has reserved a position") {
  Simulation simulation(8, 4);
  Path path = simulation.evaluate(counting(0, 5));
  Path fork = path.fork();
  CHECK(path.reserve(1));
  simulation.slot(path, 5) = test::next_hash(Simulation::prefix_hash(path), 7);
  CHECK(simulation.extend(fork, {8}, 2));
  path.commit(Tokens{7});
  simulation.check(path);
  simulation.check(fork);
}

TEST("a path that removes its last tokens writes others in their place, without a copy") {
  Simulation simulation(2, 4);
  Path path = simulation.evaluate(counting(0, 7));
  path.truncate(5);
  CHECK(simulation.extend(path, {70, 71}));
  simulation.check(path);
  CHECK_EQUAL(simulation.n_copied, 0);
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 2);
}

TEST("removing tokens never changes the pages that a fork or a later page needs") {
  Simulation simulation(8, 4);
  Path path = simulation.evaluate(counting(0, 10));
  const Path fork = path.fork();
  path.truncate(6);
  CHECK(simulation.extend(path, {70, 71, 72}));
  simulation.check(path);
  simulation.check(fork);
  CHECK_EQUAL(fork.length(), 10);
}

TEST("truncating a path frees its reserved pages") {
  Simulation simulation(8, 4);
  Path path = simulation.evaluate(counting(0, 4));
  CHECK(path.reserve(20));
  CHECK_EQUAL(simulation.cache.statistics().pages_held, 6);
  path.truncate(4);
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 1);
  path.truncate(0);
  CHECK_EQUAL(simulation.cache.statistics().pages_held, 0);
}

TEST("reserve() returns false and changes nothing if other paths hold all pages") {
  Simulation simulation(4, 4);
  const Path holder = simulation.evaluate(counting(0, 9));
  Path path = simulation.cache.find(counting(100, 2));
  CHECK(!path.reserve(5));
  CHECK_EQUAL(path.pages().size(), size_t{0});
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 3);
  CHECK(path.reserve(4));
  CHECK(!Path().reserve(1));
}

TEST("a prompt that fits an empty pool also fits a warm one") {
  Simulation simulation(2, 4);
  simulation.evaluate(counting(0, 8));
  // The second page matches partly, but there is no third page for a copy of it.
  CHECK_EQUAL(simulation.evaluate(joined(counting(0, 5), {80, 81, 82})).length(), 8);
}

TEST("two paths that compute the same page share one of the copies") {
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

TEST("the least recently used document is evicted first") {
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

TEST("among pages last used at the same time, the cheapest to recompute are evicted first") {
  Simulation simulation(2052, 4);
  {
    // The last pages are at depths 2047, 0 and 0. The last page of `fragment` has only one token.
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

TEST("clear() drops only the pages that no path holds") {
  Simulation simulation(16, 4);
  const Path held = simulation.evaluate(counting(0, 6));
  simulation.evaluate(joined(counting(0, 4), counting(50, 9)));
  simulation.evaluate(counting(90, 9));
  simulation.cache.clear();
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 2);
  CHECK_EQUAL(simulation.cache.match_length(counting(0, 7)), 6);
  simulation.check(held);
}

TEST("continuation() returns the latest tokens after a prompt, even across pages") {
  Simulation simulation(32, 4);
  const auto after = [&](int n_tokens, int n_max) {
    return simulation.cache.continuation(counting(0, n_tokens), n_max);
  };
  CHECK(after(6, 8).empty());
  simulation.evaluate(joined(counting(0, 6), counting(50, 5)));
  CHECK(after(6, 8) == counting(50, 5));
  CHECK(after(6, 2) == counting(50, 2));
  CHECK(after(4, 3) == Tokens({4, 5, 50}));
  CHECK(after(6, 0).empty());
  // A shorter answer to the same prompt, which differs from the other in the second page.
  simulation.evaluate(joined(counting(0, 6), counting(70, 1)));
  CHECK(after(6, 8) == counting(70, 1));
  simulation.evaluate(joined(counting(0, 6), counting(50, 5)));
  CHECK(after(6, 8) == counting(50, 5));
  simulation.evaluate(counting(0, 6));
  CHECK(!after(6, 8).empty());
}

TEST("if a page cannot be filled, it is free afterwards") {
  Simulation simulation(8, 4);
  bool has_thrown = false;
  try {
    simulation.cache.insert(hearth::PageCache::kNone, counting(0, 4),
                            [](int32_t) { throw std::runtime_error("the page cannot be read"); });
  } catch (const std::runtime_error&) {
    has_thrown = true;
  }
  CHECK(has_thrown);
  CHECK_EQUAL(simulation.cache.statistics().pages_held, 0);
  CHECK_EQUAL(simulation.cache.statistics().pages_used, 0);
}
