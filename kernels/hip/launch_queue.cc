#include "launch_queue.h"

#include <algorithm>

namespace hearth::kernels::hip {
namespace {

// Enough for batches of 1 to 8 tokens, each at a few context lengths and with two graphs.
constexpr size_t kMaxGraphs = 48;
// The number of launches in the first graph. A launch takes the host up to a third of a microsecond
// and the GPU about five: while the GPU runs two layers, the host prepares all others. The first
// kernel of a graph cannot overlap the kernel before it, which costs a little over a microsecond.
// Attention loses least by this; it is launch 13, so the second graph begins with it.
constexpr size_t kFirstLaunches = 12;

}  // namespace

LaunchQueue::~LaunchQueue() {
  if (device_.is_lost()) return;
  device_.attach_to_free();
  for (const Graph& graph : graphs_)
    if (graph.executable) device_.api().destroy_executable(graph.executable);
}

void LaunchQueue::add(const Launch& launch, bool deferred) {
  n_launches_++;
  if (deferred) {
    pending_.push_back(launch);
    if (is_start_ && pending_.size() == kFirstLaunches) flush();
    return;
  }
  flush();
  device_.launch(launch);
  n_plain_launches_++;
}

LaunchQueue::Graph* LaunchQueue::find() {
  const auto found = std::ranges::find(graphs_, pending_, &Graph::launches);
  return found == graphs_.end() ? nullptr : &*found;
}

LaunchQueue::Graph& LaunchQueue::remember() {
  if (graphs_.size() == kMaxGraphs) {
    const auto oldest = std::ranges::min_element(graphs_, {}, &Graph::last_use);
    device_.wait();  // the graph may still run
    if (oldest->executable) device_.api().destroy_executable(oldest->executable);
    graphs_.erase(oldest);
  }
  return graphs_.emplace_back(Graph{.launches = pending_});
}

void LaunchQueue::instantiate(Graph& graph) {
  void* captured = nullptr;
  const GpuApi& api = device_.api();
  device_.check(api.begin_capture(device_.stream(), kCaptureThreadLocal), "capturing a graph");
  for (const Launch& launch : pending_) device_.launch(launch);
  device_.check(api.end_capture(device_.stream(), &captured), "capturing a graph");
  const int result = api.instantiate_graph(&graph.executable, captured, nullptr, nullptr, 0);
  api.destroy_graph(captured);
  device_.check(result, "making a graph");
}

void LaunchQueue::flush() {
  is_start_ = false;
  if (pending_.empty()) return;
  Graph* graph = find();
  if (graph && !graph->executable) instantiate(*graph);
  if (!graph) {
    for (const Launch& launch : pending_) device_.launch(launch);
    n_plain_launches_ += pending_.size();
    graph = &remember();
  } else {
    device_.check(device_.api().launch_graph(graph->executable, device_.stream()),
                  "launching a graph");
    n_graph_launches_++;
  }
  graph->last_use = ++clock_;
  pending_.clear();
}

}  // namespace hearth::kernels::hip
