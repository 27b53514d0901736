#include "runtime.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace hearth::hip {
namespace {

/// By name, newest first, then where AMD's own packages put it. HEARTH_HIP_LIBRARY names another.
std::vector<std::string> libraries() {
  if (const char* named = std::getenv("HEARTH_HIP_LIBRARY")) return {named};
  return {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so",
          "/opt/rocm/lib/libamdhip64.so"};
}

// Numbers of hipDeviceAttribute_t, equal from ROCm 5.2 on.
constexpr int kIntegrated = 16;
constexpr int kProcessors = 63;

// hipDeviceProp_t changed in ROCm 6, and with it where gcnArchName lies; the newer function has the
// newer layout. Either fits the buffer, and the name comes first in both.
constexpr size_t kPropertyBytes = 4096;
constexpr size_t kNewArchitectureOffset = 1160, kOldArchitectureOffset = 396;

template <class Function>
void load(void* handle, const std::string& library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (!function) throw std::runtime_error(library + " lacks " + name + ": update ROCm");
}

}  // namespace

Runtime::Runtime() {
  for (const std::string& name : libraries()) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) continue;
    library_ = name;
    load_functions();
    list_devices();
    return;
  }
  throw std::runtime_error("no AMD GPU runtime: libamdhip64 is not installed");
}

void Runtime::load_functions() {
  const auto get = [this](const char* name, auto& function) {
    load(handle_, library_, name, function);
  };
  get("hipGetErrorString", api_.error_string);
  get("hipSetDevice", api_.set_device);
  get("hipMemGetInfo", api_.memory_info);
  get("hipMalloc", api_.allocate);
  get("hipFree", api_.release);
  get("hipHostMalloc", api_.allocate_host);
  get("hipHostFree", api_.release_host);
  get("hipMemcpyAsync", api_.copy);
  get("hipMemsetAsync", api_.fill);
  get("hipStreamCreateWithFlags", api_.create_stream);
  get("hipStreamDestroy", api_.destroy_stream);
  get("hipEventCreateWithFlags", api_.create_event);
  get("hipEventRecord", api_.record_event);
  get("hipEventQuery", api_.query_event);
  get("hipEventDestroy", api_.destroy_event);
  get("hipModuleLoadData", api_.load_module);
  get("hipModuleGetFunction", api_.find_function);
  get("hipModuleUnload", api_.unload_module);
  get("hipModuleLaunchKernel", api_.launch);
  get("hipStreamBeginCapture", api_.begin_capture);
  get("hipStreamEndCapture", api_.end_capture);
  get("hipGraphInstantiate", api_.instantiate_graph);
  get("hipGraphLaunch", api_.launch_graph);
  get("hipGraphDestroy", api_.destroy_graph);
  get("hipGraphExecDestroy", api_.destroy_executable);
}

std::string Runtime::versions() const {
  std::string versions;
  for (const char* name : {"hipDriverGetVersion", "hipRuntimeGetVersion"}) {
    int (*get)(int*);
    load(handle_, library_, name, get);
    int version = 0;
    get(&version);
    versions += std::to_string(version) + " ";
  }
  return versions;
}

void Runtime::list_devices() {
  int (*count)(int*);
  load(handle_, library_, "hipGetDeviceCount", count);
  int n_devices = 0;
  const int result = count(&n_devices);
  if (result != 0)
    throw std::runtime_error("no AMD GPU: AMD's runtime finds none (" +
                             std::string(api_.error_string(result)) + ")");
  if (n_devices == 0) throw std::runtime_error("no AMD GPU: AMD's runtime finds none");
  for (int i = 0; i < n_devices; i++) devices_.push_back(describe(i));
  std::stable_sort(devices_.begin(), devices_.end(), [](const GpuDevice& a, const GpuDevice& b) {
    if (a.is_integrated != b.is_integrated) return b.is_integrated;
    return a.n_processors > b.n_processors;
  });
}

GpuDevice Runtime::describe(int index) const {
  using Properties = int (*)(void*, int);
  const auto newer = reinterpret_cast<Properties>(dlsym(handle_, "hipGetDevicePropertiesR0600"));
  Properties properties = newer;
  if (!properties) load(handle_, library_, "hipGetDeviceProperties", properties);
  int (*attribute)(int*, int, int);
  load(handle_, library_, "hipDeviceGetAttribute", attribute);

  alignas(16) std::array<char, kPropertyBytes> buffer{};
  if (properties(buffer.data(), index) != 0)
    throw std::runtime_error("GPU " + std::to_string(index) + " does not tell its properties");
  const char* architecture =
      buffer.data() + (newer ? kNewArchitectureOffset : kOldArchitectureOffset);
  GpuDevice device;
  device.index = index;
  device.name = std::string(buffer.data(), strnlen(buffer.data(), 256));
  device.architecture = std::string(architecture, strnlen(architecture, 256));
  // "gfx90a:sramecc+:xnack-": the features do not matter to our code objects.
  device.architecture.resize(std::min(device.architecture.find(':'), device.architecture.size()));
  int value = 0;
  if (attribute(&value, kIntegrated, index) == 0) device.is_integrated = value != 0;
  if (attribute(&value, kProcessors, index) == 0) device.n_processors = value;
  return device;
}

}  // namespace hearth::hip
