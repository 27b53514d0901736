// The GPU runtimes of a machine, AMD's HIP runtime and NVIDIA's driver. They are found by name at
// run time: Hearth is linked against neither, so it also starts without them.
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
  std::string generic_code_file;  // used if there is no code_file; may be empty
  bool is_integrated = false;
  int shared_bytes = 64 << 10;  // this and the next field: see DeviceChoice
  bool has_copies = false;
  int n_processors = 0;
  int clock_mhz = 0;   // maximum
  size_t n_bytes = 0;  // of memory
};

struct Runtime {
  std::string library;   // the name under which it was found
  std::string versions;  // of driver and library; they show when the installation changes
  kernels::hip::GpuApi api{};
  std::vector<GpuDevice> devices;  // at least one
};

/// Environment variables that name a library to use instead of the system's.
inline constexpr const char *kAmdLibraryVariable = "HEARTH_HIP_LIBRARY",
                            *kNvidiaLibraryVariable = "HEARTH_CUDA_LIBRARY";

/// Both throw std::runtime_error, which names what is missing: the library, a function, or a GPU
/// (with the runtime's message). The libraries are never unloaded, because their threads keep
/// running.
Runtime amd_runtime();
Runtime nvidia_runtime();

/// Opens the first of several names of a library; if none exists, handle is null. If the
/// environment variable is set, only the library that it names is tried.
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
  std::string name;    // the name of the open library or, if none was found, the first choice
  std::string update;  // advice if a function is missing: "update ROCm"
};

}  // namespace hearth::gpu
