// AMD's HIP runtime, found at run time: libamdhip64 by dlopen, its functions as a GpuApi, the GPUs
// that it reports. Hearth is not linked against it, so it starts the same without it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hip/gpu_api.h"

namespace hearth::hip {

struct GpuDevice {
  int index = 0;
  std::string architecture;  // "gfx1100"
  std::string name;          // "AMD Radeon RX 7900 XTX"
  bool is_integrated = false;
  int n_processors = 0;
};

class Runtime {
 public:
  /// Throws std::runtime_error saying what is missing: the library, a function, or a GPU (with the
  /// runtime's own words).
  Runtime();
  Runtime(const Runtime&) = delete;

  const kernels::hip::GpuApi& api() const { return api_; }
  const std::string& library() const { return library_; }
  /// Of the driver and the library, for telling one installation from another.
  std::string versions() const;
  /// Discrete GPUs first, then by processors.
  const std::vector<GpuDevice>& devices() const { return devices_; }

 private:
  void load_functions();
  void list_devices();
  GpuDevice describe(int index) const;

  void* handle_ = nullptr;  // stays loaded: the library leaves threads behind
  std::string library_;
  kernels::hip::GpuApi api_{};
  std::vector<GpuDevice> devices_;
};

}  // namespace hearth::hip
