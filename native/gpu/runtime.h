// The GPU runtimes of a machine, found at run time by name: AMD's HIP runtime and NVIDIA's
// driver. Hearth is linked against neither, so it starts the same without them.
#pragma once

#include <string>
#include <vector>

#include "hip/gpu_api.h"

namespace hearth::gpu {

struct GpuDevice {
  int index = 0;                  // in the runtime
  std::string architecture;       // "gfx1100", "sm_89"
  std::string name;               // "AMD Radeon RX 7900 XTX"
  std::string code_file;          // name of the file with its kernels; empty: not supported
  std::string generic_code_file;  // a second choice, or empty
  bool is_integrated = false;
  int shared_bytes = 64 << 10;  // this and the next: DeviceChoice
  bool has_copies = false;
  int n_processors = 0;
  int clock_mhz = 0;   // maximum
  size_t n_bytes = 0;  // of memory
};

struct Runtime {
  std::string library;   // name under which it was found
  std::string versions;  // of driver and library, to notice when the installation changes
  kernels::hip::GpuApi api{};
  std::vector<GpuDevice> devices;  // at least one
};

/// Environment variables that name another library than the system's.
inline constexpr const char *kAmdLibraryVariable = "HEARTH_HIP_LIBRARY",
                            *kNvidiaLibraryVariable = "HEARTH_CUDA_LIBRARY";

/// Both throw std::runtime_error saying what is missing: the library, a function, or a GPU (with
/// the runtime's message). The libraries are never unloaded, because they leave threads behind.
Runtime amd_runtime();
Runtime nvidia_runtime();

/// A library, opened by the first of these names that exists; handle is null if none does. The
/// variable, if it is set, names another.
struct Library {
  Library(const char* variable, std::vector<std::string> names);
  /// Throws std::runtime_error if the function is missing; the message says what to update.
  template <class Function>
  void get(const char* function, Function& pointer) const {
    pointer = reinterpret_cast<Function>(require(function));
  }
  void* find(const char* function) const;
  void* require(const char* function) const;

  void* handle = nullptr;
  std::string name;    // of the one that is open, or of the one that was wanted most
  std::string update;  // "update ROCm"
};

}  // namespace hearth::gpu
