// Implements GpuApi on NVIDIA's driver (libcuda). Types and numbers are those of cuda.h, which is
// not needed to build. A device's primary context is retained and never released: it ends with the
// process.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "hip/device.h"
#include "runtime.h"
#include "system/libraries.h"

namespace hearth::gpu {
namespace {

using DevicePointer = unsigned long long;

// CUdevice_attribute
constexpr int kClockRate = 13, kMultiprocessors = 16, kIsIntegrated = 18, kMajor = 75, kMinor = 76,
              kMaxSharedOptIn = 97;
// CUfunction_attribute
constexpr int kStaticShared = 1, kMaxDynamicShared = 8;
// Shared memory of a thread block unless a kernel asks for more.
constexpr size_t kDefaultShared = 48 << 10;
// CUresult values: the driver can use no code in the kernels' file.
constexpr int kInvalidImage = 200, kNoBinary = 209, kUnsupportedPtx = 222;

/// CUlaunchAttribute
struct LaunchAttribute {
  int id, padding = 0;
  int value[16]{};
};
constexpr int kProgrammaticLaunch = 6;  // programmatic stream serialization, from sm_90 on

/// CUlaunchConfig
struct LaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  unsigned n_attributes;
};

/// The driver's functions.
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
// Written only once, since other threads read it. A process has one driver, which is never
// unloaded.
Driver driver;
std::once_flag driver_is_found;

// Properties of the device that this thread has chosen with set_device().
thread_local bool has_programmatic_launch = false;
thread_local int max_shared = kDefaultShared;

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
  has_programmatic_launch = attribute_of(device, kMajor) >= 9;
  max_shared = attribute_of(device, kMaxSharedOptIn);
  return result;
}
int allocate(void** memory, size_t n_bytes) {
  return driver.allocate(reinterpret_cast<DevicePointer*>(memory), n_bytes);
}
int release(void* memory) { return driver.release(pointer(memory)); }
/// The driver infers the kind of a copy from the addresses.
int copy(void* to, const void* from, size_t n_bytes, int, void* stream) {
  return driver.copy(pointer(to), pointer(from), n_bytes, stream);
}
int fill(void* memory, int value, size_t n_bytes, void* stream) {
  return driver.fill(pointer(memory), static_cast<unsigned char>(value), n_bytes, stream);
}
/// Also raises the kernel's limit of dynamic shared memory to the maximum of a thread block minus
/// the kernel's static shared memory.
int find_function(void** function, void* module, const char* name) {
  const int result = driver.find_function(function, module, name);
  int static_bytes = 0;
  if (result != 0 || driver.function_attribute(&static_bytes, kStaticShared, *function) != 0)
    return result;
  const int dynamic_bytes = max_shared - static_bytes;
  if (dynamic_bytes > static_cast<int>(kDefaultShared))
    driver.set_function_attribute(*function, kMaxDynamicShared, dynamic_bytes);
  return 0;
}
/// Programmatic dependent launch: the kernel may start before the previous one has ended. It begins
/// to load its weights, and waits for the previous kernel itself.
int launch(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
           unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** params,
           void** extra) {
  LaunchAttribute programmatic{kProgrammaticLaunch};
  programmatic.value[0] = 1;
  const LaunchConfig config{{grid_x, grid_y, grid_z},
                            {block_x, block_y, block_z},
                            shared_bytes,
                            stream,
                            &programmatic,
                            has_programmatic_launch ? 1u : 0u};
  return driver.launch(&config, function, params, extra);
}
int instantiate_graph(void** executable, void* graph, void*, char*, size_t) {
  return driver.instantiate_graph(executable, graph, 0);
}

Driver driver_functions(const Library& cuda) {
  Driver driver;
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
  return driver;
}

kernels::hip::GpuApi api_functions(const Library& cuda) {
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

/// The architectures that scripts/build-nvidia.mjs compiles for, in ascending order. Machine code
/// also runs on later minor versions. For later GPUs, the driver translates the PTX of the last
/// architecture.
struct Code {
  int major, minor;
};
constexpr Code kCodes[] = {{7, 5}, {8, 0}, {8, 6}, {8, 9}, {9, 0}, {10, 0}, {12, 0}};

const Code* code_for(int major, int minor) {
  const Code* best = nullptr;
  for (const Code& code : kCodes)
    if (code.major == major && code.minor <= minor) best = &code;
  const Code& last = std::end(kCodes)[-1];
  return major > last.major ? &last : best;
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
  device.is_integrated = attribute_of(handle, kIsIntegrated) != 0;
  device.n_processors = attribute_of(handle, kMultiprocessors);
  device.clock_mhz = attribute_of(handle, kClockRate) / 1000;  // the attribute is in kHz
  driver.total(&device.n_bytes, handle);
  device.has_copies = major >= 8;
  device.shared_bytes = attribute_of(handle, kMaxSharedOptIn);
  if (code_for(major, minor)) device.code_file = "nvidia.fatbin";
  return device;
}

}  // namespace

Runtime nvidia_runtime() {
  Library cuda(kNvidiaLibraryVariable, system::nvidia_libraries());
  if (!cuda.handle)
    throw std::runtime_error("no NVIDIA driver: " + cuda.name + " is not installed");
  cuda.update = "update NVIDIA's driver";
  Runtime runtime;
  runtime.library = cuda.name;
  std::call_once(driver_is_found, [&] { driver = driver_functions(cuda); });
  runtime.api = api_functions(cuda);
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
