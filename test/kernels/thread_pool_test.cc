#include "cpu/thread_pool.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "system_help.h"
#include "test.h"

using hearth::kernels::cpu::ThreadPool;

namespace {

/// Waits without sleeping, since on Windows such a short sleep might take no time at all.
void pass(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

/// A chunk that takes the workers 2 ms, as if they had lost their cores.
constexpr auto kStarved = [](int, int thread) {
  pass(std::chrono::microseconds(thread == 0 ? 20 : 2000));
};

}  // namespace

TEST("the pool runs each chunk of a parallel loop exactly once") {
  for (int n_threads : {1, 2, 3, 4}) {
    ThreadPool pool(n_threads);
    CHECK_EQUAL(pool.n_threads(), n_threads);
    for (int n_chunks : {0, 1, 2, 3, 7, 64, 1000}) {
      // Threads write to it without a lock, so that a sanitizer detects two threads in the same
      // chunk.
      std::vector<int> runs(static_cast<size_t>(n_chunks));
      pool.parallel_for(n_chunks, [&](int chunk, int) { runs[static_cast<size_t>(chunk)]++; });
      for (int count : runs) CHECK_EQUAL(count, 1);
    }
  }
}

TEST("no two threads use the same thread number at once") {
  constexpr int kThreads = 4;
  ThreadPool pool(kThreads);
  std::atomic<int> users[kThreads] = {};
  std::atomic<bool> clashed{false};
  for (int i = 0; i < 500; i++) {
    pool.parallel_for(32, [&](int, int thread) {
      if (thread < 0 || thread >= kThreads || users[thread]++ != 0) clashed = true;
      users[thread]--;
    });
  }
  CHECK(!clashed);
}

TEST("every loop sees the previous loop's writes") {
  ThreadPool pool(3);
  constexpr size_t kSize = 48;
  std::vector<int> values(kSize), next(kSize);
  for (int round = 0; round < 3000; round++) {
    pool.parallel_for(kSize, [&](int i, int) {
      const size_t to = static_cast<size_t>(i);
      next[to] = values[(to + 17) % kSize] + 1;
    });
    values.swap(next);
  }
  for (int value : values) CHECK_EQUAL(value, 3000);
}

TEST("sleeping workers wake up for the next loop") {
  ThreadPool pool(3);
  for (int i = 0; i < 20; i++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int> sum{0};
    pool.parallel_for(100, [&](int chunk, int) { sum += chunk; });
    CHECK_EQUAL(sum.load(), 4950);
  }
}

TEST("an idle pool uses no CPU time") {
  ThreadPool pool(4);
  pool.parallel_for(16, [](int, int) {});
  double spent = 1;
  // On a busy machine, a worker might stop spinning late.
  for (int look = 0; look < 50 && spent >= 0.002; look++) {
    const double before = test::process_cpu_seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    spent = test::process_cpu_seconds() - before;
  }
  CHECK(spent < 0.002);
}

TEST("the pool stops using workers that do not make loops faster, and tries them again later") {
  ThreadPool pool(2);
  std::atomic<int> by_workers{1};
  const auto count = [&](int, int thread) { by_workers += thread != 0; };
  // On a busy machine the caller might lose its core, too; then the pool notices later.
  for (int window = 0; window < 20 && by_workers > 0; window++) {
    for (int i = 0; i < 128; i++) pool.parallel_for(4, kStarved);
    by_workers = 0;
    for (int i = 0; i < 100; i++) pool.parallel_for(8, count);
  }
  CHECK_EQUAL(by_workers.load(), 0);
  for (int i = 0; i < 100'000 && by_workers == 0; i++) {
    pool.parallel_for(8, [&](int, int thread) {
      by_workers += thread != 0;
      pass(std::chrono::microseconds(200));
    });
  }
  CHECK(by_workers > 0);
}

TEST("the pool keeps using workers that were slow only during loading") {
  ThreadPool pool(2);
  for (int i = 0; i < 200; i++) pool.parallel_for_once(4, kStarved);
  std::atomic<int> by_workers{0};
  // On a busy machine, a worker might start late.
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  pool.parallel_for(8, [&](int, int thread) {
    by_workers += thread != 0;
    while (by_workers == 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  });
  CHECK(by_workers > 0);
}

TEST("the pool chooses between 1 and 8 threads by itself") {
  ThreadPool pool(0);
  CHECK(pool.n_threads() >= 1 && pool.n_threads() <= 8);
}
