// Launches of a decode step, collected and sent as two graphs: the first few as soon as they are
// there, so that the GPU has work while the host prepares the others. A step repeats the same
// launches with the same parameters (what changes lies in device memory), so its graphs are found
// by comparing them.
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

  /// The next launches are the first of a step.
  void begin_step() { is_start_ = true; }
  /// deferred: kept until flush() or until a step's first few are there; else started at once
  /// (after what is pending).
  void add(const Launch& launch, bool deferred);
  void flush();

  /// All that were ever added.
  uint64_t n_launches() const { return n_launches_; }
  uint64_t n_graph_launches() const { return n_graph_launches_; }
  uint64_t n_plain_launches() const { return n_plain_launches_; }

 private:
  struct Graph {
    std::vector<Launch> launches;
    void* executable = nullptr;  // null until the launches have come a second time
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
