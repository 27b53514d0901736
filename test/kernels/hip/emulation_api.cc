// The GPU runtime's functions for the emulation: everything runs synchronously, new memory is
// filled with NaN, and graphs are lists of launches.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "emulation.h"
#include "gpu.h"

namespace test {
namespace {

namespace hip = hearth::kernels::hip;

struct RecordedLaunch {
  emulation::Launcher kernel;
  dim3 grid, block;
  unsigned shared_bytes;
  std::vector<std::byte> params;
};
using RecordedGraph = std::vector<RecordedLaunch>;
RecordedGraph* capture = nullptr;

/// How much of new memory is filled with NaN: filling megabytes would take longer than the kernels.
constexpr size_t kMaxPoisonedBytes = size_t{1} << 20;

int allocate(void** memory, size_t n_bytes) {
  *memory = std::malloc(n_bytes);
  std::memset(*memory, 0xff, std::min(n_bytes, kMaxPoisonedBytes));
  return 0;
}
/// Kernels read and write all of it, so it must be mapped.
int allocate_host(void** memory, size_t n_bytes, unsigned flags) {
  return flags == hip::kMapped ? allocate(memory, n_bytes) : 1;
}
int release(void* memory) {
  std::free(memory);
  return 0;
}
int copy(void* to, const void* from, size_t n_bytes, int, void*) {
  std::memmove(to, from, n_bytes);
  return 0;
}
int fill(void* memory, int value, size_t n_bytes, void*) {
  std::memset(memory, value, n_bytes);
  return 0;
}
int create_handle(void** handle, unsigned) {
  *handle = std::malloc(1);
  return 0;
}
int load_module(void** module, const void*) { return create_handle(module, 0); }
int find_function(void** function, void*, const char* name) {
  *function = const_cast<emulation::Kernel*>(emulation::find(name));
  return *function ? 0 : 500;
}
void run(const RecordedLaunch& launch) {
  emulation::launch(launch.kernel, launch.grid, launch.block, launch.shared_bytes,
                    launch.params.data());
}
int launch(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
           unsigned block_y, unsigned block_z, unsigned shared_bytes, void*, void** params,
           void**) {
  const std::byte* bytes = static_cast<const std::byte*>(params[0]);
  const auto& kernel = *static_cast<const emulation::Kernel*>(function);
  RecordedLaunch recorded{kernel.run,
                          {grid_x, grid_y, grid_z},
                          {block_x, block_y, block_z},
                          shared_bytes,
                          {bytes, bytes + kernel.n_param_bytes}};
  if (capture)
    capture->push_back(recorded);
  else
    run(recorded);
  return 0;
}
int begin_capture(void*, int) {
  capture = new RecordedGraph;
  return 0;
}
int end_capture(void*, void** graph) {
  *graph = capture;
  capture = nullptr;
  return 0;
}
int instantiate_graph(void** executable, void* graph, void*, char*, size_t) {
  *executable = new RecordedGraph(*static_cast<RecordedGraph*>(graph));
  return 0;
}
int launch_graph(void* executable, void*) {
  for (const RecordedLaunch& recorded : *static_cast<RecordedGraph*>(executable)) run(recorded);
  return 0;
}
int destroy_graph(void* graph) {
  delete static_cast<RecordedGraph*>(graph);
  return 0;
}
int memory_info(size_t* free, size_t* total) {
  *free = *total = size_t{1} << 30;
  return 0;
}
int done(void*) { return 0; }
int record_event(void*, void*) { return 0; }
int set_device(int) { return 0; }
const char* error_string(int) { return "emulated"; }

const hip::GpuApi kApi = {
    error_string,  set_device,        memory_info,  allocate,      release,
    allocate_host, release,           copy,         fill,          create_handle,
    release,       create_handle,     record_event, done,          release,
    load_module,   find_function,     release,      launch,        begin_capture,
    end_capture,   instantiate_graph, launch_graph, destroy_graph, destroy_graph,
};

}  // namespace

const hip::GpuApi& gpu_api() { return kApi; }
const hip::DeviceChoice& gpu_choice() {
  static const hip::DeviceChoice choice = [] {
    hip::DeviceChoice emulation;
    emulation.name = "emulation";
    emulation.n_processors = 2;
    emulation.shared_bytes = 227 << 10;
    emulation.has_copies = true;
    return emulation;
  }();
  return choice;
}

}  // namespace test
