// Collects the launches of a decode step and submits them as two graphs. The first graph has only
// the first few launches, so that the GPU has work while the host prepares the others. Steps repeat
// the same launches with the same parameters (changing data is in device memory), so the queue
// finds a step's graph by comparing its launches with those of earlier graphs.
#pragma once

#include <cstdint>
#include <vector>

#include "device.h"

namespace hearth::kernels::hip {

class LaunchQueue {
 public:
  explicit LaunchQueue(Device& device) : device_(device) {}
  ~LaunchQueue();
  LaunchQueue(const LaunchQueue&) = delete;

  /// Marks the beginning of a step: the next launches are its first.
  void begin_step() { is_start_ = true; }
  /// deferred: keeps the launch until flush(), or until the first few launches of a step are
  /// complete. Otherwise submits pending launches and then this one.
  void add(const Launch& launch, bool deferred);
  void flush();

  /// Counts since construction.
  uint64_t n_launches() const { return n_launches_; }
  uint64_t n_graph_launches() const { return n_graph_launches_; }
  uint64_t n_plain_launches() const { return n_plain_launches_; }

 private:
  struct Graph {
    std::vector<Launch> launches;
    void* executable = nullptr;  // null until the same launches come a second time
    uint64_t last_use = 0;
  };
  Graph* find();
  Graph& remember();
  void instantiate(Graph& graph);

  Device& device_;
  std::vector<Launch> pending_;
  std::vector<Graph> graphs_;
  bool is_start_ = false;
  uint64_t clock_ = 0, n_launches_ = 0, n_graph_launches_ = 0, n_plain_launches_ = 0;
};

}  // namespace hearth::kernels::hip
