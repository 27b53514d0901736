// NVIDIA's driver (libcuda), called through the functions of GpuApi. Types and numbers are those of
// cuda.h, which is not needed to build. A device's primary context is retained and never released:
// it ends with the process.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "hip/device.h"
#include "runtime.h"

namespace hearth::gpu {
namespace {

using DevicePointer = unsigned long long;

// CUdevice_attribute
constexpr int kClock = 13, kProcessors = 16, kIntegrated = 18, kMajor = 75, kMinor = 76,
              kMostShared = 97;
// CUfunction_attribute
constexpr int kStaticShared = 1, kMostDynamicShared = 8;
// Shared memory of a thread block unless a kernel asks for more.
constexpr size_t kUsualShared = 48 << 10;
// CUresult: an image for other GPUs, or one that a newer driver would understand
constexpr int kInvalidImage = 200, kNoBinary = 209, kUnsupportedPtx = 222;

struct LaunchAttribute {
  int id, padding = 0;
  int value[16]{};
};
constexpr int kEarlyStart = 6;  // programmatic stream serialization

struct LaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  unsigned n_attributes;
};

/// The driver's functions; there is one driver in a process.
struct Driver {
  int (*init)(unsigned);
  int (*version)(int*);
  int (*error_string)(int, const char**);
  int (*count)(int*);
  int (*device)(int*, int);
  int (*name)(char*, int, int);
  int (*attribute)(int*, int, int);
  int (*total)(size_t*, int);
  int (*retain_context)(void**, int);
  int (*set_context)(void*);
  int (*allocate)(DevicePointer*, size_t);
  int (*release)(DevicePointer);
  int (*copy)(DevicePointer, DevicePointer, size_t, void*);
  int (*fill)(DevicePointer, unsigned char, size_t, void*);
  int (*find_function)(void**, void*, const char*);
  int (*function_attribute)(int*, int, void*);
  int (*set_function_attribute)(void*, int, int);
  int (*launch)(const LaunchConfig*, void*, void**, void**);
  int (*instantiate_graph)(void**, void*, unsigned long long);
};
Driver driver;

// Of the device that this thread uses.
thread_local bool starts_early = false;
thread_local int most_shared = kUsualShared;

int attribute_of(int device, int attribute) {
  int value = 0;
  return driver.attribute(&value, attribute, device) == 0 ? value : 0;
}

DevicePointer pointer(const void* memory) { return reinterpret_cast<DevicePointer>(memory); }

const char* error_string(int error) {
  if (error == kInvalidImage || error == kNoBinary || error == kUnsupportedPtx)
    return "NVIDIA's driver is older than Hearth's kernels: update it";
  const char* text = nullptr;
  return driver.error_string(error, &text) == 0 && text ? text : "an error without a name";
}
int set_device(int index) {
  int device = 0;
  void* context = nullptr;
  int result = driver.device(&device, index);
  if (result == 0) result = driver.retain_context(&context, device);
  if (result == 0) result = driver.set_context(context);
  starts_early = attribute_of(device, kMajor) >= 9;
  most_shared = attribute_of(device, kMostShared);
  return result;
}
int allocate(void** memory, size_t n_bytes) {
  return driver.allocate(reinterpret_cast<DevicePointer*>(memory), n_bytes);
}
int release(void* memory) { return driver.release(pointer(memory)); }
int copy(void* to, const void* from, size_t n_bytes, int, void* stream) {
  return driver.copy(pointer(to), pointer(from), n_bytes, stream);
}
int fill(void* memory, int value, size_t n_bytes, void* stream) {
  return driver.fill(pointer(memory), static_cast<unsigned char>(value), n_bytes, stream);
}
int find_function(void** function, void* module, const char* name) {
  const int result = driver.find_function(function, module, name);
  int own = 0;
  if (result != 0 || driver.function_attribute(&own, kStaticShared, *function) != 0) return result;
  const int dynamic = std::min<int>(kernels::hip::kMaxCopySharedBytes, most_shared - own);
  if (dynamic > static_cast<int>(kUsualShared))
    driver.set_function_attribute(*function, kMostDynamicShared, dynamic);
  return 0;
}
/// A kernel may start before the previous one has ended: it first begins to load its weights and
/// then waits for its predecessor itself.
int launch(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
           unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** params,
           void** extra) {
  LaunchAttribute early{kEarlyStart};
  early.value[0] = 1;
  const LaunchConfig config{
      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream, &early,
      starts_early ? 1u : 0u};
  return driver.launch(&config, function, params, extra);
}
int instantiate_graph(void** executable, void* graph, void*, char*, size_t) {
  return driver.instantiate_graph(executable, graph, 0);
}

kernels::hip::GpuApi functions(const Library& cuda) {
  cuda.get("cuInit", driver.init);
  cuda.get("cuDriverGetVersion", driver.version);
  cuda.get("cuGetErrorString", driver.error_string);
  cuda.get("cuDeviceGetCount", driver.count);
  cuda.get("cuDeviceGet", driver.device);
  cuda.get("cuDeviceGetName", driver.name);
  cuda.get("cuDeviceGetAttribute", driver.attribute);
  cuda.get("cuDeviceTotalMem_v2", driver.total);
  cuda.get("cuDevicePrimaryCtxRetain", driver.retain_context);
  cuda.get("cuCtxSetCurrent", driver.set_context);
  cuda.get("cuMemAlloc_v2", driver.allocate);
  cuda.get("cuMemFree_v2", driver.release);
  cuda.get("cuMemcpyAsync", driver.copy);
  cuda.get("cuMemsetD8Async", driver.fill);
  cuda.get("cuModuleGetFunction", driver.find_function);
  cuda.get("cuFuncGetAttribute", driver.function_attribute);
  cuda.get("cuFuncSetAttribute", driver.set_function_attribute);
  cuda.get("cuLaunchKernelEx", driver.launch);
  cuda.get("cuGraphInstantiateWithFlags", driver.instantiate_graph);

  kernels::hip::GpuApi api{};
  api.error_string = error_string;
  api.set_device = set_device;
  api.allocate = allocate;
  api.release = release;
  api.copy = copy;
  api.fill = fill;
  api.find_function = find_function;
  api.launch = launch;
  api.instantiate_graph = instantiate_graph;
  cuda.get("cuMemGetInfo_v2", api.memory_info);
  cuda.get("cuMemHostAlloc", api.allocate_host);
  cuda.get("cuMemFreeHost", api.release_host);
  cuda.get("cuStreamCreate", api.create_stream);
  cuda.get("cuStreamDestroy_v2", api.destroy_stream);
  cuda.get("cuEventCreate", api.create_event);
  cuda.get("cuEventRecord", api.record_event);
  cuda.get("cuEventQuery", api.query_event);
  cuda.get("cuEventDestroy_v2", api.destroy_event);
  cuda.get("cuModuleLoadData", api.load_module);
  cuda.get("cuModuleUnload", api.unload_module);
  cuda.get("cuStreamBeginCapture_v2", api.begin_capture);
  cuda.get("cuStreamEndCapture", api.end_capture);
  cuda.get("cuGraphLaunch", api.launch_graph);
  cuda.get("cuGraphDestroy", api.destroy_graph);
  cuda.get("cuGraphExecDestroy", api.destroy_executable);
  return api;
}

/// The architectures that scripts/build-gpu.mjs compiles for, in the same order. Machine code also
/// runs on later minor versions. The last one is included as PTX, too, which the driver translates
/// for later GPUs.
struct Code {
  int major, minor;
  bool has_copies;  // and 160 KiB of shared memory for a thread block (gpu.hip.h)
};
constexpr Code kCodes[] = {{7, 5, false}, {8, 0, true},  {8, 6, false}, {8, 9, false},
                           {9, 0, true},  {10, 0, true}, {12, 0, false}};

const Code* code_for(int major, int minor) {
  const auto found = std::find_if(std::rbegin(kCodes), std::rend(kCodes), [&](const Code& code) {
    return code.major == major && code.minor <= minor;
  });
  if (found != std::rend(kCodes)) return &*found;
  const Code& last = std::end(kCodes)[-1];
  return major > last.major ? &last : nullptr;
}

GpuDevice describe(int index) {
  GpuDevice device;
  int handle = 0;
  std::array<char, 256> name{};
  if (driver.device(&handle, index) != 0 || driver.name(name.data(), name.size() - 1, handle) != 0)
    throw std::runtime_error("the properties of GPU " + std::to_string(index) + " cannot be read");
  const int major = attribute_of(handle, kMajor), minor = attribute_of(handle, kMinor);
  device.index = index;
  device.name = name.data();
  device.architecture = "sm_" + std::to_string(major) + std::to_string(minor);
  device.is_integrated = attribute_of(handle, kIntegrated) != 0;
  device.n_processors = attribute_of(handle, kProcessors);
  device.clock_mhz = attribute_of(handle, kClock) / 1000;  // kHz
  driver.total(&device.n_bytes, handle);
  if (const Code* code = code_for(major, minor)) {
    device.code_file = "nvidia.fatbin";
    device.has_copies = code->has_copies;
  }
  return device;
}

}  // namespace

/// HEARTH_CUDA_LIBRARY names another library.
Runtime nvidia_runtime() {
  const char* named = std::getenv("HEARTH_CUDA_LIBRARY");
  Library cuda({named ? named : "libcuda.so.1"});
  if (!cuda.handle) throw std::runtime_error("no NVIDIA driver: libcuda.so.1 is not installed");
  cuda.update = "update NVIDIA's driver";
  Runtime runtime;
  runtime.library = cuda.name;
  runtime.api = functions(cuda);
  const int result = driver.init(0);
  if (result != 0)
    throw std::runtime_error("no NVIDIA GPU: the driver says \"" +
                             std::string(error_string(result)) + '"');
  int version = 0, n_devices = 0;
  driver.version(&version);
  runtime.versions = "CUDA " + std::to_string(version);
  driver.count(&n_devices);
  if (n_devices == 0) throw std::runtime_error("no NVIDIA GPU: the driver finds none");
  for (int i = 0; i < n_devices; i++) runtime.devices.push_back(describe(i));
  return runtime;
}

}  // namespace hearth::gpu
