#include "cpu/thread_pool.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "test.h"

using hearth::kernels::cpu::ThreadPool;

namespace {

double process_cpu_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A chunk that takes workers 2 ms, as if they had lost their cores.
constexpr auto kStarved = [](int, int thread) {
  std::this_thread::sleep_for(std::chrono::microseconds(thread == 0 ? 20 : 2000));
};

}  // namespace

TEST("runs each chunk of a parallel loop exactly once") {
  for (int n_threads : {1, 2, 3, 4}) {
    ThreadPool pool(n_threads);
    CHECK_EQUAL(pool.n_threads(), n_threads);
    for (int n_chunks : {0, 1, 2, 3, 7, 64, 1000}) {
      std::vector<int> runs(static_cast<size_t>(n_chunks));  // written without a lock, on purpose
      pool.parallel_for(n_chunks, [&](int chunk, int) { runs[static_cast<size_t>(chunk)]++; });
      for (int count : runs) CHECK_EQUAL(count, 1);
    }
  }
}

TEST("hands out thread numbers that no two threads use at once") {
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

TEST("sees in every loop what the loop before it wrote") {
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

TEST("wakes sleeping workers for a loop that comes late") {
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
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // past the spinning
  const double before = process_cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  CHECK(process_cpu_seconds() - before < 0.002);
}

TEST("stops using workers that do not pay, and tries them again later") {
  ThreadPool pool(2);
  for (int i = 0; i < 128; i++) pool.parallel_for(4, kStarved);
  std::atomic<int> by_workers{0};
  const auto count = [&](int, int thread) { by_workers += thread != 0; };
  for (int i = 0; i < 100; i++) pool.parallel_for(8, count);
  CHECK_EQUAL(by_workers.load(), 0);
  for (int i = 0; i < 1000 && by_workers == 0; i++) {
    pool.parallel_for(8, [&](int, int thread) {
      by_workers += thread != 0;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    });
  }
  CHECK(by_workers > 0);
}

TEST("does not conclude from loading that workers do not pay") {
  ThreadPool pool(2);
  for (int i = 0; i < 200; i++) pool.parallel_for_once(4, kStarved);
  std::atomic<int> by_workers{0};
  for (int i = 0; i < 10 && by_workers == 0; i++) {
    pool.parallel_for(8, [&](int, int thread) {
      by_workers += thread != 0;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    });
  }
  CHECK(by_workers > 0);
}

TEST("does with fewer threads where the system gives no more") {
  // What a process may map: room for a few stacks.
  if (test::kIsSanitized) throw test::NotRun("a sanitizer maps far more memory than it may");
  size_t n_pages = 0;
  std::ifstream("/proc/self/statm") >> n_pages;
  rlimit before, limited;
  CHECK_EQUAL(getrlimit(RLIMIT_AS, &before), 0);
  limited = before;
  limited.rlim_cur = n_pages * 4096 + (rlim_t{256} << 20);
  CHECK_EQUAL(setrlimit(RLIMIT_AS, &limited), 0);
  const size_t much = size_t{1} << 30;
  void* const mapped = mmap(nullptr, much, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool is_limited = mapped == MAP_FAILED;
  if (!is_limited) munmap(mapped, much);
  std::unique_ptr<ThreadPool> pool;
  if (is_limited) pool = std::make_unique<ThreadPool>(1000);
  CHECK_EQUAL(setrlimit(RLIMIT_AS, &before), 0);
  if (!is_limited) throw test::NotRun("the system does not limit what a process may map");
  CHECK(pool->n_threads() >= 1 && pool->n_threads() < 1000);
  std::atomic<int> n_runs{0};
  pool->parallel_for(5000, [&](int, int thread) { n_runs += thread < pool->n_threads(); });
  CHECK_EQUAL(n_runs.load(), 5000);
}

TEST("chooses between 1 and 8 threads on its own") {
  ThreadPool pool(0);
  CHECK(pool.n_threads() >= 1 && pool.n_threads() <= 8);
}
