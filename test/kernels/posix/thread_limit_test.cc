#include <sys/mman.h>
#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <memory>

#include "cpu/thread_pool.h"
#include "test.h"

using hearth::kernels::cpu::ThreadPool;

TEST("a pool works with fewer threads if the system refuses more") {
  // RLIMIT_AS limits the memory that a process may map. Here it leaves room for a few stacks.
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
  if (!is_limited)
    throw test::NotRun("the system does not limit the memory that a process may map");
  CHECK(pool->n_threads() >= 1 && pool->n_threads() < 1000);
  std::atomic<int> n_runs{0};
  pool->parallel_for(5000, [&](int, int thread) { n_runs += thread < pool->n_threads(); });
  CHECK_EQUAL(n_runs.load(), 5000);
}
