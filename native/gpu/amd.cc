// Loads AMD's HIP runtime, whose functions GpuApi mirrors.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "runtime.h"
#include "system/libraries.h"

namespace hearth::gpu {
namespace {

// Numbers of hipDeviceAttribute_t, equal from ROCm 5.2 on.
constexpr int kIntegrated = 16;
constexpr int kProcessors = 63;  // compute units, or pairs of them (WGPs) on Radeons from gfx10 on
constexpr int kPhysicalProcessors = 10015;  // compute units; unknown to older runtimes
constexpr int kClock = 5;                   // kHz

// ROCm 6 changed hipDeviceProp_t and so the offset of gcnArchName; its newer function uses the
// newer layout. The buffer is large enough for both layouts, and both begin with the name and the
// size of memory.
constexpr size_t kPropertyBytes = 4096, kNameBytes = 256;
constexpr size_t kNewArchitectureOffset = 1160, kOldArchitectureOffset = 396;

/// The file with kernels for all GPUs of a generation, which ROCm loads from 6.3 on; empty if there
/// is none.
std::string generic_code_file(const std::string& architecture) {
  if (architecture.starts_with("gfx103")) return "gfx10-3-generic.co";
  if (architecture.starts_with("gfx11")) return "gfx11-generic.co";
  if (architecture.starts_with("gfx12")) return "gfx12-generic.co";
  return "";
}

kernels::hip::GpuApi functions(const Library& hip) {
  kernels::hip::GpuApi api{};
  hip.get("hipGetErrorString", api.error_string);
  hip.get("hipSetDevice", api.set_device);
  hip.get("hipMemGetInfo", api.memory_info);
  hip.get("hipMalloc", api.allocate);
  hip.get("hipFree", api.release);
  hip.get("hipHostMalloc", api.allocate_host);
  hip.get("hipHostFree", api.release_host);
  hip.get("hipMemcpyAsync", api.copy);
  hip.get("hipMemsetAsync", api.fill);
  hip.get("hipStreamCreateWithFlags", api.create_stream);
  hip.get("hipStreamDestroy", api.destroy_stream);
  hip.get("hipEventCreateWithFlags", api.create_event);
  hip.get("hipEventRecord", api.record_event);
  hip.get("hipEventQuery", api.query_event);
  hip.get("hipEventDestroy", api.destroy_event);
  hip.get("hipModuleLoadData", api.load_module);
  hip.get("hipModuleGetFunction", api.find_function);
  hip.get("hipModuleUnload", api.unload_module);
  hip.get("hipModuleLaunchKernel", api.launch);
  hip.get("hipStreamBeginCapture", api.begin_capture);
  hip.get("hipStreamEndCapture", api.end_capture);
  hip.get("hipGraphInstantiate", api.instantiate_graph);
  hip.get("hipGraphLaunch", api.launch_graph);
  hip.get("hipGraphDestroy", api.destroy_graph);
  hip.get("hipGraphExecDestroy", api.destroy_executable);
  return api;
}

std::string versions(const Library& hip) {
  std::string versions;
  for (const char* name : {"hipDriverGetVersion", "hipRuntimeGetVersion"}) {
    int (*get)(int*);
    hip.get(name, get);
    int version = 0;
    get(&version);
    versions += std::to_string(version) + " ";
  }
  return versions;
}

GpuDevice describe(const Library& hip, int index) {
  using Properties = int (*)(void*, int);
  const auto newer = reinterpret_cast<Properties>(hip.find("hipGetDevicePropertiesR0600"));
  Properties properties = newer;
  if (!properties) hip.get("hipGetDeviceProperties", properties);
  int (*attribute)(int*, int, int);
  hip.get("hipDeviceGetAttribute", attribute);

  alignas(16) std::array<char, kPropertyBytes> buffer{};
  if (properties(buffer.data(), index) != 0)
    throw std::runtime_error("the properties of GPU " + std::to_string(index) + " cannot be read");
  const char* architecture =
      buffer.data() + (newer ? kNewArchitectureOffset : kOldArchitectureOffset);
  GpuDevice device;
  device.index = index;
  device.name = std::string(buffer.data(), strnlen(buffer.data(), kNameBytes));
  device.architecture = std::string(architecture, strnlen(architecture, kNameBytes));
  // "gfx1100:sramecc-:xnack-": the features do not matter to our code objects.
  device.architecture.resize(std::min(device.architecture.find(':'), device.architecture.size()));
  device.code_file = device.architecture + ".co";
  device.generic_code_file = generic_code_file(device.architecture);
  int value = 0;
  if (attribute(&value, kIntegrated, index) == 0) device.is_integrated = value != 0;
  if (attribute(&value, kProcessors, index) == 0) device.n_processors = value;
  const int n = device.n_processors;
  if (attribute(&value, kPhysicalProcessors, index) == 0 && value >= n && value <= 2 * n)
    device.n_processors = value;
  if (attribute(&value, kClock, index) == 0) device.clock_mhz = value / 1000;
  int (*total)(size_t*, int);
  hip.get("hipDeviceTotalMem", total);
  total(&device.n_bytes, index);
  return device;
}

}  // namespace

Runtime amd_runtime() {
  Library hip(kAmdLibraryVariable, system::amd_libraries());
  if (!hip.handle)
    throw std::runtime_error("no AMD GPU runtime: " + hip.name + " is not installed");
  hip.update = "update ROCm";
  Runtime runtime;
  runtime.library = hip.name;
  runtime.versions = versions(hip);
  runtime.api = functions(hip);
  int (*count)(int*);
  hip.get("hipGetDeviceCount", count);
  int n_devices = 0;
  const int result = count(&n_devices);
  if (result != 0)
    throw std::runtime_error("no AMD GPU: AMD's runtime finds none (" +
                             std::string(runtime.api.error_string(result)) + ")");
  if (n_devices == 0) throw std::runtime_error("no AMD GPU: AMD's runtime finds none");
  for (int i = 0; i < n_devices; i++) runtime.devices.push_back(describe(hip, i));
  return runtime;
}

}  // namespace hearth::gpu
