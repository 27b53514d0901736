// wgpu-native, and the GPUs that it finds. Its word for a GPU with one of its drivers is adapter.
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

/// The choice that opens this GPU. Fields that only an opened Device knows are not set.
kernels::webgpu::DeviceChoice choice_of(const WebgpuAdapter& adapter);

/// The loaded library. It is never unloaded, because its threads keep running.
struct WebgpuRuntime {
  std::string library;
  kernels::webgpu::WgpuApi api;
  std::vector<WebgpuAdapter> adapters;  // at least one; discrete ones first
};

/// An environment variable that names the library. By default, the library is in Hearth's folder of
/// GPU kernels.
inline constexpr const char* kWebgpuLibraryVariable = "HEARTH_WGPU_LIBRARY";
/// Tests set it to accept drivers that compute on the processor.
inline constexpr const char* kAnyAdapterVariable = "HEARTH_WEBGPU_ANY_ADAPTER";
/// Tests set it to the MiB of memory that a GPU appears to have.
inline constexpr const char* kWebgpuMemoryVariable = "HEARTH_WEBGPU_MEMORY";

/// Opens the library at the first call. Throws std::runtime_error, which names what is missing: the
/// library, a function, or a GPU.
const WebgpuRuntime& webgpu_runtime(const std::string& folder);

}  // namespace hearth::gpu
