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
  /// n_threads counts the caller; 0 means one a core that this process may use, but at most 8. It
  /// has fewer where the system gives no more.
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
    run(n_chunks, task_of(body), true);
  }
  /// The same for what is done once, at load: says nothing of whether threads will pay in a step,
  /// as other work of loading may have the cores.
  template <typename Body>
  void parallel_for_once(int n_chunks, const Body& body) {
    run(n_chunks, task_of(body), false);
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Task {
    const void* body = nullptr;
    void (*call)(const void* body, int chunk, int thread) noexcept = nullptr;
  };

  /// All that a thread is told of a loop, in one cache line: that line's way from the caller's core
  /// to the thread's, up to a quarter of a microsecond, is what it costs to begin.
  struct alignas(64) Share {
    /// Chunks [begin, end) that nobody has begun: begin in the low half.
    std::atomic<uint64_t> unclaimed{0};
    /// Written by the caller while all shares are empty, read by those who have claimed a chunk.
    Task task;
    /// Counts the loops that this thread had a share of, to wait for; not the caller's.
    std::atomic<int> n_dealt{0};
  };
  struct Claim {
    Task task;
    int chunk = -1;  // none is left
  };

  template <typename Body>
  static Task task_of(const Body& body) {
    return {&body, [](const void* context, int chunk, int thread) noexcept {
              (*static_cast<const Body*>(context))(chunk, thread);
            }};
  }
  void run(int n_chunks, Task task, bool adapts);
  void deal_out(int n_chunks, Task task);
  Claim claim(int thread);
  int work(int thread);
  void worker_main(int thread);
  void wait_for_share(const Share& share, int seen);
  void wait_for_workers();
  void adapt(int n_chunks, int own_chunks, Clock::duration own, Clock::duration total);

  int n_threads_;                               // read by a worker once it has been dealt a share
  const std::unique_ptr<Share[]> shares_;       // [n_threads_]
  std::atomic<bool> is_closing_{false};         // read after n_dealt
  alignas(64) std::atomic<int> unfinished_{0};  // chunks that are not known to be done

  // The caller's alone: how many threads get a share, at least 1, and how well those that did have
  // paid (see adapt()).
  alignas(64) int n_active_;
  double window_speedup_ = 0;
  int window_loops_ = 0;
  int loops_until_retry_ = 0;
  int retry_interval_;
  std::vector<std::thread> workers_;
};

}  // namespace hearth::kernels::cpu
