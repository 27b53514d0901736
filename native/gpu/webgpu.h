// wgpu-native and the adapters (GPUs with a driver) that it finds.
#pragma once

#include <string>
#include <vector>

#include "webgpu/device.h"

namespace hearth::gpu {

struct WebgpuAdapter {
  kernels::webgpu::Handle handle = nullptr;
  std::string name;
  std::string driver;
  std::string interface;  // "Vulkan", "Metal", "Direct3D 12"
  bool is_integrated = false, is_processor = false;
};

/// What to open it with; without what the Device tells.
kernels::webgpu::DeviceChoice choice_of(const WebgpuAdapter& adapter);

/// Never unloaded, because it leaves threads behind.
struct WebgpuRuntime {
  std::string library;
  kernels::webgpu::WgpuApi api;
  std::vector<WebgpuAdapter> adapters;  // at least one; discrete ones first
};

/// Names the library; without it the one in Hearth's folder of GPU kernels is tried.
inline constexpr const char* kWebgpuLibraryVariable = "HEARTH_WGPU_LIBRARY";
/// Set by tests: adapters that compute on the processor are good, too.
inline constexpr const char* kAnyAdapterVariable = "HEARTH_WEBGPU_ANY_ADAPTER";
/// Set by tests: MiB of memory that a GPU has.
inline constexpr const char* kWebgpuMemoryVariable = "HEARTH_WEBGPU_MEMORY";

/// Opened once. Throws std::runtime_error saying what is missing: the library, a function, or a
/// GPU.
const WebgpuRuntime& webgpu_runtime(const std::string& folder);

}  // namespace hearth::gpu
