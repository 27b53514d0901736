// Threads for short parallel loops (5-100 us) on a machine that belongs to an editor.
//
// Each thread has a share of consecutive chunks, so that it reads one stream of memory, and takes
// from the others' once its own is done: a thread that the system has put aside holds up at most
// the chunk that it was in (a static split waits for its whole share). The caller takes part.
// Workers spin for a moment after a loop, because the next op usually follows within microseconds,
// then sleep in the kernel: an idle pool costs nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace hearth::kernels::cpu {

class ThreadPool {
 public:
  /// n_threads counts the caller; 0 means one a core that this process may use, but at most 8.
  explicit ThreadPool(int n_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int n_threads() const { return n_threads_; }

  /// Calls body(chunk, thread) for each chunk of [0, n_chunks), with 0 <= thread < n_threads(), and
  /// returns when all are done. No allocation. One caller at a time; body must neither throw nor
  /// call parallel_for.
  template <typename Body>
  void parallel_for(int n_chunks, const Body& body) {
    run(n_chunks, {&body, [](const void* context, int chunk, int thread) noexcept {
                     (*static_cast<const Body*>(context))(chunk, thread);
                   }});
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Task {
    const void* body = nullptr;
    void (*call)(const void* body, int chunk, int thread) noexcept = nullptr;
  };

  /// Chunks [begin, end) of a thread's share that nobody has begun: begin in the low half.
  struct alignas(64) Share {
    std::atomic<uint64_t> unclaimed{0};
  };

  void run(int n_chunks, Task task);
  void deal_out(int n_chunks, int n_active);
  int claim(int thread);
  int work(int thread);
  void worker_main(int thread);
  void wait_for_work(int thread);
  void wait_for_workers();
  void adapt(int n_chunks, int own_chunks, Clock::duration own, Clock::duration total);

  const int n_threads_;
  // Written by the caller while all shares are empty, read by those who have claimed a chunk.
  Task task_;
  const std::unique_ptr<Share[]> shares_;       // [n_threads_]
  alignas(64) std::atomic<int> unclaimed_{0};   // chunks that nobody has begun, to wait for
  alignas(64) std::atomic<int> unfinished_{0};  // chunks that are not done
  alignas(64) std::atomic<int> n_active_;       // threads that may take part, at least 1

  // The caller's alone: how well the threads that were awake have paid (see adapt()).
  double window_speedup_ = 0;
  int window_loops_ = 0;
  int loops_until_retry_ = 0;
  int retry_interval_;
  std::vector<std::thread> workers_;
};

}  // namespace hearth::kernels::cpu
