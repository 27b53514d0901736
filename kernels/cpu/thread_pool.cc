#include "thread_pool.h"

#include <algorithm>
#include <exception>

#include "system/processor.h"
#include "system/wait.h"

namespace hearth::kernels::cpu {
namespace {

constexpr int kMaxThreads = 8;     // more would wait for memory in decode; the editor needs cores
constexpr int kEnoughThreads = 4;  // beyond these, slow cores add little
constexpr std::chrono::microseconds kSpin{50};
constexpr int kWindowLoops = 128;
constexpr double kMinEfficiency = 0.6;  // speedup per thread: with 2 threads, 1.2
constexpr int kFirstRetryInterval = 128, kMaxRetryInterval = 16384;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Uses slow cores only if there are too few fast ones, and so leaves some to the editor.
int choose_threads(int wanted) {
  if (wanted > 0) return wanted;
  const auto [n_fast, n_slow] = system::usable_cores();
  const int n_filled = std::min(n_fast + n_slow, kEnoughThreads);
  return std::clamp(std::max(n_fast, n_filled), 1, kMaxThreads);
}

}  // namespace

ThreadPool::ThreadPool(int n_threads)
    : n_threads_(choose_threads(n_threads)),
      shares_(std::make_unique<Share[]>(static_cast<size_t>(n_threads_))),
      n_active_(n_threads_),
      retry_interval_(kFirstRetryInterval) {
  workers_.reserve(static_cast<size_t>(n_threads_ - 1));
  try {
    for (int thread = 1; thread < n_threads_; thread++)
      workers_.emplace_back([this, thread] { worker_main(thread); });
  } catch (const std::exception&) {  // a container can limit a process's threads
    n_active_ = n_threads_ = static_cast<int>(workers_.size()) + 1;
  }
}

ThreadPool::~ThreadPool() {
  is_closing_.store(true);
  for (int thread = 1; thread < n_threads_; thread++) {
    std::atomic<int>& n_dealt = shares_[static_cast<size_t>(thread)].n_dealt;
    n_dealt.fetch_add(1);
    system::wake_one(n_dealt);
  }
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(int n_chunks, Task task, bool adapts) {
  if (n_chunks <= 0) return;
  if (n_chunks == 1 || n_active_ == 1) {
    for (int chunk = 0; chunk < n_chunks; chunk++) task.call(task.body, chunk, 0);
    if (n_chunks > 1 && adapts) adapt(n_chunks, n_chunks, {}, {});
    return;
  }
  const Clock::time_point start = Clock::now();
  unfinished_.store(n_chunks, std::memory_order_relaxed);
  deal_out(n_chunks, task);
  const int own_chunks = work(0);
  const Clock::time_point own_end = Clock::now();
  wait_for_workers();
  if (adapts) adapt(n_chunks, own_chunks, own_end - start, Clock::now() - start);
}

// If there are fewer chunks than threads, the caller gets the first one, since it is awake.
void ThreadPool::deal_out(int n_chunks, Task task) {
  const auto first_of = [&](int thread) {
    return static_cast<uint64_t>((int64_t{n_chunks} * thread + n_active_ - 1) / n_active_);
  };
  for (int thread = n_active_ - 1; thread >= 0; thread--) {
    const uint64_t begin = first_of(thread), end = first_of(thread + 1);
    if (begin == end) continue;
    Share& share = shares_[static_cast<size_t>(thread)];
    share.task = task;
    share.unclaimed.store(end << 32 | begin, std::memory_order_release);
    if (thread == 0) continue;
    share.n_dealt.fetch_add(1);
    system::wake_one(share.n_dealt);
  }
}

// Claims the next chunk of the thread's own share or, if that is empty, the last chunk of another
// share. During a loop shares only shrink, so a late worker finds either nothing or the chunks of a
// new loop.
ThreadPool::Claim ThreadPool::claim(int thread) {
  for (int i = 0; i < n_threads_; i++) {
    Share& share = shares_[static_cast<size_t>((thread + i) % n_threads_)];
    uint64_t left = share.unclaimed.load(std::memory_order_relaxed);
    while (true) {
      const uint64_t begin = left & 0xffffffff, end = left >> 32;
      if (begin == end) break;
      const uint64_t rest = i == 0 ? end << 32 | (begin + 1) : (end - 1) << 32 | begin;
      if (share.unclaimed.compare_exchange_weak(left, rest, std::memory_order_acquire,
                                                std::memory_order_relaxed)) {
        return {share.task, static_cast<int>(i == 0 ? begin : end - 1)};
      }
    }
  }
  return {};
}

// Claims and runs chunks until none is left, and returns their number. Subtracts them from
// unfinished_ all at once, since each change costs as much as moving a share between cores.
int ThreadPool::work(int thread) {
  int done = 0;
  for (Claim next = claim(thread); next.chunk >= 0; next = claim(thread)) {
    next.task.call(next.task.body, next.chunk, thread);
    done++;
  }
  if (done > 0 && unfinished_.fetch_sub(done, std::memory_order_acq_rel) == done && thread != 0)
    system::wake_one(unfinished_);
  return done;
}

void ThreadPool::worker_main(int thread) {
  system::prefer_fast_cores();
  const Share& share = shares_[static_cast<size_t>(thread)];
  for (int seen = 0;;) {
    wait_for_share(share, seen);
    seen = share.n_dealt.load();
    if (is_closing_.load()) return;
    work(thread);
  }
}

// Inactive threads wait here, too, since they get no share.
void ThreadPool::wait_for_share(const Share& share, int seen) {
  const Clock::time_point spin_end = Clock::now() + kSpin;
  while (Clock::now() < spin_end) {
    for (int i = 0; i < 16; i++) {
      if (share.n_dealt.load(std::memory_order_relaxed) != seen) return;
      pause();
    }
  }
  system::wait(share.n_dealt, seen);
}

// A late worker might have lost its core to another process. So the caller spins briefly, then
// sleeps, which frees its core for the worker.
void ThreadPool::wait_for_workers() {
  const Clock::time_point spin_end = Clock::now() + kSpin;
  int left = unfinished_.load(std::memory_order_acquire);
  while (left > 0 && Clock::now() < spin_end) {
    pause();
    left = unfinished_.load(std::memory_order_acquire);
  }
  for (; left > 0; left = unfinished_.load(std::memory_order_acquire))
    system::wait(unfinished_, left);
}

// Halves the number of threads if they do not make loops much faster: other processes may use the
// cores, or loops may be too short. After some time it tries all threads again; that time grows
// with each failure. The speedup is estimated from the caller's own chunks: alone, the caller would
// have needed their mean time for every chunk.
void ThreadPool::adapt(int n_chunks, int own_chunks, Clock::duration own, Clock::duration total) {
  if (n_active_ < n_threads_ && --loops_until_retry_ <= 0) {
    n_active_ = n_threads_;
    window_loops_ = 0;
    window_speedup_ = 0;
    return;
  }
  if (n_active_ == 1) return;
  if (own_chunks > 0 && total.count() > 0) {
    window_speedup_ += static_cast<double>(n_chunks) / own_chunks *
                       static_cast<double>(own.count()) / static_cast<double>(total.count());
  } else {
    window_speedup_ += n_active_;  // the workers finished before the caller began
  }
  if (++window_loops_ < kWindowLoops) return;
  const bool pays = window_speedup_ / kWindowLoops >= kMinEfficiency * n_active_;
  window_loops_ = 0;
  window_speedup_ = 0;
  if (pays) {
    if (n_active_ == n_threads_) retry_interval_ = kFirstRetryInterval;
    return;
  }
  n_active_ = (n_active_ + 1) / 2;
  loops_until_retry_ = retry_interval_;
  retry_interval_ = std::min(2 * retry_interval_, kMaxRetryInterval);
}

}  // namespace hearth::kernels::cpu
