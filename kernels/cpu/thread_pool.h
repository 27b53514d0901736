// A thread pool with work stealing for short parallel loops (5-100 us), on a machine that it shares
// with an editor.
//
// Each thread gets a range of consecutive chunks (its Share), so that it reads one stream of
// memory. When its share is done, it steals chunks from others. So a thread that the system has
// descheduled delays the loop by at most one chunk; without stealing, the loop would wait for all
// of the thread's chunks. The calling thread takes part. After a loop, the other threads (workers)
// spin briefly, since the next op usually follows within microseconds, and then sleep in the
// kernel, so that an idle pool costs nothing.
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
  /// n_threads includes the caller; 0 means one for each core that this process can use, but at
  /// most 8. If the system refuses to start that many, the pool has fewer.
  explicit ThreadPool(int n_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int n_threads() const { return n_threads_; }

  /// Calls body(chunk, thread) for each chunk of [0, n_chunks), with 0 <= thread < n_threads(), and
  /// returns when all are done. Does not allocate. Only one thread may call it at a time; body must
  /// neither throw nor call parallel_for.
  void parallel_for(int n_chunks, const auto& body) { run(n_chunks, task_of(body), true); }
  /// The same for one-time work at load. adapt() does not measure it, since other work of loading
  /// might occupy the cores.
  void parallel_for_once(int n_chunks, const auto& body) { run(n_chunks, task_of(body), false); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Task {
    const void* body = nullptr;
    void (*call)(const void* body, int chunk, int thread) noexcept = nullptr;
  };

  /// A thread's part of a loop, in one cache line. When a loop starts, this line moves from the
  /// caller's core to the thread's, which takes up to a quarter of a microsecond.
  struct alignas(64) Share {
    /// Chunks [begin, end) that nobody has claimed; begin is in the low half.
    std::atomic<uint64_t> unclaimed{0};
    /// Written by the caller while all shares are empty, read by threads that have claimed a chunk.
    Task task;
    /// The number of loops that have given this thread chunks; the thread waits until it changes.
    /// It is not used for the caller.
    std::atomic<int> n_dealt{0};
  };
  struct Claim {
    Task task;
    int chunk = -1;  // -1: none is left
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

  int n_threads_;                               // workers read it only once they have chunks
  const std::unique_ptr<Share[]> shares_;       // [n_threads_]
  std::atomic<bool> is_closing_{false};         // read after n_dealt
  alignas(64) std::atomic<int> unfinished_{0};  // chunks not yet reported as done

  // Only the caller uses these: the number of threads that get chunks (at least 1), and the
  // measurements of adapt().
  alignas(64) int n_active_;
  double window_speedup_ = 0;
  int window_loops_ = 0;
  int loops_until_retry_ = 0;
  int retry_interval_;
  std::vector<std::thread> workers_;
};

}  // namespace hearth::kernels::cpu
