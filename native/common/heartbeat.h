// The heartbeat tells other threads what the engine thread is doing right now. Each op advances it,
// so that a watchdog can tell whether an engine is slow or stuck, and in which op. The file also
// has the records of op times, for traces and benchmarks.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace hearth {

inline int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Written by the engine thread at every op and read by Scheduler::status(). Relaxed order is
/// enough: the fields need not be consistent with each other.
struct Heartbeat {
  std::atomic<uint64_t> beat{0};  // counts ops
  std::atomic<int64_t> at_ns{0};  // now_ns() at the last beat; 0 when idle
  std::atomic<int> token{0};      // position in the prompt, or tokens of the answer
  std::atomic<int> layer{0};
  std::atomic<const char*> op{""};
  std::atomic<uint64_t> bytes{0};  // of weights, keys and values that the op reads

  void mark(const char* op_name, int layer_i, uint64_t n_bytes) {
    op.store(op_name, std::memory_order_relaxed);
    layer.store(layer_i, std::memory_order_relaxed);
    bytes.store(n_bytes, std::memory_order_relaxed);
    at_ns.store(now_ns(), std::memory_order_relaxed);
    beat.fetch_add(1, std::memory_order_relaxed);
  }
  void idle() { at_ns.store(0, std::memory_order_relaxed); }
};

/// Accumulated time of one kind of op.
struct OpTime {
  const char* op = "";
  int64_t ns = 0;
  int64_t calls = 0;
  uint64_t bytes = 0;  // read
};

/// One run of an op in a trace.
struct OpEvent {
  const char* op = "";
  int layer = 0;
  int n_tokens = 0;      // in the batch
  int64_t start_ns = 0;  // by now_ns()
  int64_t ns = 0;
  uint64_t bytes = 0;
};

}  // namespace hearth
