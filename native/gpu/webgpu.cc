#include "webgpu.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "runtime.h"
#include "system/memory.h"

namespace hearth::gpu {
namespace {

using namespace kernels::webgpu;

// The major version of wgpu-native, the upper byte of its version number. Other versions have other
// structures.
constexpr uint32_t kVersion = 29;
// Hearth's share of the memory that the system grants this process. The rest is for the desktop.
constexpr uint8_t kMemoryPercent = 90;
// How long to wait for a driver that computes on the processor, for tests.
constexpr std::chrono::minutes kPatienceWithProcessor{10};

std::string text_of(StringView view) {
  if (!view.data) return {};
  return {view.data, view.length == SIZE_MAX ? std::strlen(view.data) : view.length};
}

/// An integrated GPU shares the computer's memory.
uint64_t memory_of(const WebgpuAdapter& adapter) {
  if (const char* mib = std::getenv(kWebgpuMemoryVariable)) return std::stoull(mib) << 20;
  const bool has_own = !adapter.is_integrated && !adapter.is_processor;
  return has_own ? UINT64_MAX : system::physical_memory_bytes() / 2;
}

std::string interface_of(uint32_t backend) {
  if (backend == 4) return "Direct3D 12";
  return backend == 5 ? "Metal" : "Vulkan";
}

WebgpuRuntime open_runtime(const std::string& folder) {
  Library library(kWebgpuLibraryVariable, {folder + "/wgpu-native.library"});
  if (!library.handle)
    throw std::runtime_error("no WebGPU: wgpu-native is not in this installation");
  library.update = "it must be wgpu-native 29";
  WebgpuRuntime runtime;
  runtime.library = library.name;
  WgpuApi& api = runtime.api;
#define HEARTH_GET(name, c_name, ...) library.get("wgpu" #c_name, api.name);
  HEARTH_WGPU_FUNCTIONS(HEARTH_GET)
#undef HEARTH_GET
  if (api.version() >> 24 != kVersion)
    throw std::runtime_error(library.name + " has another version: " + library.update);
  InstanceExtras extras;
  extras.backends = kVulkan | kMetal | kDirect3d12;
  extras.creation_budget = &kMemoryPercent;
  InstanceDescriptor descriptor;
  descriptor.next = &extras;
  const Handle instance = api.create_instance(&descriptor);
  if (!instance) throw std::runtime_error("no WebGPU: wgpu-native does not start");
  std::vector<Handle> handles(api.enumerate_adapters(instance, nullptr, nullptr));
  api.enumerate_adapters(instance, nullptr, handles.data());
  for (const Handle handle : handles) {
    AdapterInfo info;
    api.adapter_info(handle, &info);
    WebgpuAdapter adapter{handle,
                          text_of(info.device),
                          text_of(info.description),
                          interface_of(info.backend),
                          info.type == kIntegratedGpu,
                          info.type == kProcessor};
    api.free_adapter_info(info);
    if (adapter.is_processor && !std::getenv(kAnyAdapterVariable))
      api.release_adapter(handle);
    else
      runtime.adapters.push_back(std::move(adapter));
  }
  if (runtime.adapters.empty())
    throw std::runtime_error("no WebGPU: no GPU has a driver of Vulkan, Metal or Direct3D 12");
  std::stable_sort(runtime.adapters.begin(), runtime.adapters.end(),
                   [](const WebgpuAdapter& a, const WebgpuAdapter& b) {
                     return a.is_integrated < b.is_integrated;
                   });
  return runtime;
}

}  // namespace

kernels::webgpu::DeviceChoice choice_of(const WebgpuAdapter& adapter) {
  kernels::webgpu::DeviceChoice choice;
  choice.name = adapter.name;
  choice.adapter = adapter.handle;
  choice.n_bytes = memory_of(adapter);
  if (adapter.is_processor) {
    choice.patience = kPatienceWithProcessor;
    choice.spin = {};  // spinning would keep a core from computing
  }
  return choice;
}

const WebgpuRuntime& webgpu_runtime(const std::string& folder) {
  static const WebgpuRuntime runtime = open_runtime(folder);
  return runtime;
}

}  // namespace hearth::gpu
