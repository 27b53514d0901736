// A fake libamdhip64 for the loader, which runs on the emulated GPU (fake_gpu.h). Its own faults:
// "none": no device; "unknown": an architecture without kernels; "full": no memory for large
// allocations; "memory:N": N bytes of memory, which allocations use up; "copy:N": copies of N bytes
// fail; "slow:MS": work ends MS milliseconds after its launch; "hang:FILE": no response once FILE
// exists.
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include "fake_gpu.h"

namespace {

using hearth::kernels::hip::kNotReady;
using hearth::kernels::hip::kOutOfMemory;
using test::fault;
using test::kGiB;
using test::kNoDevice;

// The offset of the architecture's name in ROCm 6's hipDeviceProp_t.
constexpr size_t kArchitectureOffset = 1160;
constexpr int kBadCopy = 1;

const hearth::kernels::hip::GpuApi& gpu() { return test::gpu_api(); }

bool hangs() {
  const char* file = fault("hang");
  return file && std::filesystem::exists(file);
}

std::mutex mutex;  // guards the next two
std::map<void*, size_t> allocations;
size_t n_allocated = 0;

/// Large allocations take whole pieces of 2 MiB.
size_t taken_by(size_t n_bytes) {
  constexpr size_t kPiece = size_t{2} << 20;
  return n_bytes < kPiece / 2 ? n_bytes : (n_bytes + kPiece - 1) / kPiece * kPiece;
}

using Clock = std::chrono::steady_clock;
Clock::time_point done_at;

void delay() {
  if (const char* ms = fault("slow"))
    done_at = Clock::now() + std::chrono::milliseconds(std::atoi(ms));
}

}  // namespace

EXPORT const char* hipGetErrorString(int error) {
  if (error == kNoDevice) return "hipErrorNoDevice";
  return error == kOutOfMemory ? "hipErrorOutOfMemory" : "an emulated error";
}
EXPORT int hipGetDeviceCount(int* n) {
  test::fake_start();
  *n = fault("none") ? 0 : 1;
  return fault("none") ? kNoDevice : 0;
}
EXPORT int hipGetDevicePropertiesR0600(void* properties, int) {
  char* bytes = static_cast<char*>(properties);
  std::strcpy(bytes, "Emulated GPU");
  std::strcpy(bytes + kArchitectureOffset, fault("unknown") ? "gfx803" : "gfx1100:xnack-");
  return 0;
}
/// Two pairs of compute units.
EXPORT int hipDeviceGetAttribute(int* value, int attribute, int) {
  constexpr int kPhysicalProcessors = 10015;
  *value = attribute == kPhysicalProcessors ? 4 : 2;
  return 0;
}
EXPORT int hipDeviceTotalMem(size_t* n_bytes, int) { return *n_bytes = 8 * kGiB, 0; }
EXPORT int hipDriverGetVersion(int* version) { return *version = 60443483, 0; }
EXPORT int hipRuntimeGetVersion(int* version) { return *version = 60443483, 0; }
EXPORT int hipSetDevice(int device) { return gpu().set_device(device); }
EXPORT int hipMemGetInfo(size_t* free, size_t* total) {
  const char* bytes = fault("memory");
  if (!bytes) return test::fake_memory_info(free, total);
  const std::lock_guard lock(mutex);
  *total = std::strtoull(bytes, nullptr, 10);
  *free = *total - std::min(*total, n_allocated);
  return 0;
}
EXPORT int hipMalloc(void** memory, size_t n_bytes) {
  if (fault("full") && n_bytes > kGiB / 16) return kOutOfMemory;
  const int result = gpu().allocate(memory, n_bytes);
  const std::lock_guard lock(mutex);
  n_allocated += allocations[*memory] = taken_by(n_bytes);
  return result;
}
EXPORT int hipFree(void* memory) {
  if (hangs()) std::abort();  // a real one would never return
  const std::lock_guard lock(mutex);
  n_allocated -= std::exchange(allocations[memory], 0);
  return gpu().release(memory);
}
EXPORT int hipHostMalloc(void** memory, size_t n_bytes, unsigned flags) {
  return gpu().allocate_host(memory, n_bytes, flags);
}
EXPORT int hipHostFree(void* memory) { return gpu().release_host(memory); }
EXPORT int hipMemcpyAsync(void* to, const void* from, size_t n_bytes, int kind, void* stream) {
  const char* bad = fault("copy");
  if (bad && n_bytes == std::strtoull(bad, nullptr, 10)) return kBadCopy;
  return gpu().copy(to, from, n_bytes, kind, stream);
}
EXPORT int hipMemsetAsync(void* memory, int value, size_t n_bytes, void* stream) {
  return gpu().fill(memory, value, n_bytes, stream);
}
EXPORT int hipStreamCreateWithFlags(void** stream, unsigned flags) {
  return gpu().create_stream(stream, flags);
}
EXPORT int hipStreamDestroy(void* stream) { return gpu().destroy_stream(stream); }
EXPORT int hipEventCreateWithFlags(void** event, unsigned flags) {
  return gpu().create_event(event, flags);
}
EXPORT int hipEventRecord(void* event, void* stream) { return gpu().record_event(event, stream); }
EXPORT int hipEventQuery(void* event) {
  return hangs() || Clock::now() < done_at ? kNotReady : gpu().query_event(event);
}
EXPORT int hipEventDestroy(void* event) { return gpu().destroy_event(event); }
EXPORT int hipModuleLoadData(void** module, const void* code_object) {
  return gpu().load_module(module, code_object);
}
EXPORT int hipModuleGetFunction(void** function, void* module, const char* name) {
  return test::fake_find_function(function, module, name);
}
EXPORT int hipModuleUnload(void* module) { return gpu().unload_module(module); }
EXPORT int hipModuleLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z,
                                 unsigned shared_bytes, void* stream, void** params, void** extra) {
  if (hangs()) return 0;  // accepts work and does none
  delay();
  return gpu().launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                      stream, params, extra);
}
EXPORT int hipStreamBeginCapture(void* stream, int mode) {
  return gpu().begin_capture(stream, mode);
}
EXPORT int hipStreamEndCapture(void* stream, void** graph) {
  return gpu().end_capture(stream, graph);
}
EXPORT int hipGraphInstantiate(void** executable, void* graph, void* node, char* log,
                               size_t log_bytes) {
  return gpu().instantiate_graph(executable, graph, node, log, log_bytes);
}
EXPORT int hipGraphLaunch(void* executable, void* stream) {
  if (hangs()) return 0;
  delay();
  return gpu().launch_graph(executable, stream);
}
EXPORT int hipGraphDestroy(void* graph) { return gpu().destroy_graph(graph); }
EXPORT int hipGraphExecDestroy(void* executable) { return gpu().destroy_executable(executable); }
