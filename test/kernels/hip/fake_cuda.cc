// A fake libcuda for the loader, which runs on the emulated GPU (fake_gpu.h). Its own faults:
// "init": the driver finds no device; "none": it counts no devices; "unknown": an architecture
// without kernels; "old": a driver that cannot read the kernels; "twins": two GPUs with the same
// name.
#include <map>

#include "fake_gpu.h"

namespace {

using test::fault;
using test::kGiB;
using test::kNoDevice;
using DevicePointer = unsigned long long;

constexpr int kInvalidContext = 201, kNoBinary = 209;

const hearth::kernels::hip::GpuApi& gpu() { return test::gpu_api(); }

thread_local void* current = nullptr;  // the context, without which most functions fail
char context;

void* memory(DevicePointer pointer) { return reinterpret_cast<void*>(pointer); }

struct LaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  const void* attributes;
  unsigned n_attributes;
};

}  // namespace

EXPORT int cuInit(unsigned) {
  test::fake_start();
  return fault("init") ? kNoDevice : 0;
}
EXPORT int cuDriverGetVersion(int* version) { return *version = 13000, 0; }
EXPORT int cuGetErrorString(int error, const char** text) {
  *text = error == kNoDevice ? "no CUDA-capable device is detected" : "an emulated error";
  return 0;
}
EXPORT int cuDeviceGetCount(int* n) {
  *n = fault("none") ? 0 : 2;
  return 0;
}
EXPORT int cuDeviceGet(int* device, int index) {
  *device = index;
  return 0;
}
EXPORT int cuDeviceGetName(char* name, int, int device) {
  if (fault("words")) return std::strcpy(name, "GPU\n[error] \x1b[2J\xe2\x80\xaex\xff"), 0;
  std::strcpy(name, device == 0 && !fault("twins") ? "NVIDIA Small" : "NVIDIA Large");
  return 0;
}
EXPORT int cuDeviceGetAttribute(int* value, int attribute, int) {
  const std::map<int, int> values = {
      {13, 1980000},                   // clock in kHz
      {16, 2},                         // processors
      {18, 0},                         // integrated
      {75, fault("unknown") ? 5 : 9},  // compute capability, major
      {76, 0},                         // and minor
      {97, 227 << 10},                 // shared memory of a thread block
  };
  const auto found = values.find(attribute);
  if (found == values.end()) return 1;
  *value = found->second;
  return 0;
}
EXPORT int cuDeviceTotalMem_v2(size_t* n_bytes, int device) {
  *n_bytes = (device == 0 && !fault("twins") ? 4 : 8) * kGiB;
  return 0;
}
EXPORT int cuDevicePrimaryCtxRetain(void** retained, int) {
  *retained = &context;
  return 0;
}
EXPORT int cuCtxSetCurrent(void* wanted) {
  current = wanted;
  return 0;
}
EXPORT int cuMemGetInfo_v2(size_t* free, size_t* total) {
  if (!current) return kInvalidContext;
  return test::fake_memory_info(free, total);
}
EXPORT int cuMemAlloc_v2(DevicePointer* pointer, size_t n_bytes) {
  if (!current) return kInvalidContext;
  return gpu().allocate(reinterpret_cast<void**>(pointer), n_bytes);
}
EXPORT int cuMemFree_v2(DevicePointer pointer) {
  if (!current) std::abort();  // a real one would keep the memory forever
  return gpu().release(memory(pointer));
}
EXPORT int cuMemHostAlloc(void** pinned, size_t n_bytes, unsigned flags) {
  return current ? gpu().allocate_host(pinned, n_bytes, flags) : kInvalidContext;
}
EXPORT int cuMemFreeHost(void* pinned) {
  if (!current) std::abort();
  return gpu().release_host(pinned);
}
EXPORT int cuMemcpyAsync(DevicePointer to, DevicePointer from, size_t n_bytes, void* stream) {
  return gpu().copy(memory(to), memory(from), n_bytes, 0, stream);
}
EXPORT int cuMemsetD8Async(DevicePointer to, unsigned char value, size_t n_bytes, void* stream) {
  return gpu().fill(memory(to), value, n_bytes, stream);
}
EXPORT int cuStreamCreate(void** stream, unsigned flags) {
  return current ? gpu().create_stream(stream, flags) : kInvalidContext;
}
EXPORT int cuStreamDestroy_v2(void* stream) { return gpu().destroy_stream(stream); }
EXPORT int cuEventCreate(void** event, unsigned flags) {
  return current ? gpu().create_event(event, flags) : kInvalidContext;
}
EXPORT int cuEventRecord(void* event, void* stream) { return gpu().record_event(event, stream); }
EXPORT int cuEventQuery(void* event) { return gpu().query_event(event); }
EXPORT int cuEventDestroy_v2(void* event) { return gpu().destroy_event(event); }
EXPORT int cuModuleLoadData(void** module, const void* code) {
  return fault("old") ? kNoBinary : gpu().load_module(module, code);
}
EXPORT int cuModuleGetFunction(void** function, void* module, const char* name) {
  return test::fake_find_function(function, module, name);
}
EXPORT int cuModuleUnload(void* module) { return gpu().unload_module(module); }
EXPORT int cuFuncGetAttribute(int* value, int, void*) { return *value = 0, 0; }
EXPORT int cuFuncSetAttribute(void*, int, int) { return 0; }
EXPORT int cuLaunchKernelEx(const LaunchConfig* config, void* function, void** params,
                            void** extra) {
  if (!current) return kInvalidContext;
  const auto& [grid, block, shared_bytes, stream, attributes, n_attributes] = *config;
  return gpu().launch(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                      shared_bytes, stream, params, extra);
}
EXPORT int cuStreamBeginCapture_v2(void* stream, int mode) {
  return gpu().begin_capture(stream, mode);
}
EXPORT int cuStreamEndCapture(void* stream, void** graph) {
  return gpu().end_capture(stream, graph);
}
EXPORT int cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long) {
  return gpu().instantiate_graph(executable, graph, nullptr, nullptr, 0);
}
EXPORT int cuGraphLaunch(void* executable, void* stream) {
  return gpu().launch_graph(executable, stream);
}
EXPORT int cuGraphDestroy(void* graph) { return gpu().destroy_graph(graph); }
EXPORT int cuGraphExecDestroy(void* executable) { return gpu().destroy_executable(executable); }
