// The functions of the GPU runtime that Hearth calls, as a table. native/gpu fills it from AMD's
// runtime or NVIDIA's driver, and tests fill it from the emulation. Signatures and numbers are
// HIP's; every function returns 0 for success. A device-wide synchronize is missing on purpose: it
// would also wait for the desktop, possibly forever.
#pragma once

#include <cstddef>

namespace hearth::kernels::hip {

inline constexpr int kNotReady = 600;          // hipErrorNotReady
inline constexpr int kOutOfMemory = 2;         // hipErrorOutOfMemory
inline constexpr unsigned kNonBlocking = 1;    // hipStreamNonBlocking
inline constexpr unsigned kDisableTiming = 2;  // hipEventDisableTiming
inline constexpr unsigned kMapped = 2;         // hipHostMallocMapped, CU_MEMHOSTALLOC_DEVICEMAP
inline constexpr int kCaptureThreadLocal = 1;  // hipStreamCaptureModeThreadLocal
enum CopyKind { kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3 };

struct GpuApi {
  const char* (*error_string)(int error);
  int (*set_device)(int device);  // per thread
  int (*memory_info)(size_t* free, size_t* total);
  int (*allocate)(void** memory, size_t n_bytes);
  int (*release)(void* memory);
  int (*allocate_host)(void** memory, size_t n_bytes, unsigned flags);
  int (*release_host)(void* memory);
  int (*copy)(void* to, const void* from, size_t n_bytes, int kind, void* stream);
  int (*fill)(void* memory, int value, size_t n_bytes, void* stream);
  int (*create_stream)(void** stream, unsigned flags);
  int (*destroy_stream)(void* stream);
  int (*create_event)(void** event, unsigned flags);
  int (*record_event)(void* event, void* stream);
  int (*query_event)(void* event);
  int (*destroy_event)(void* event);
  int (*load_module)(void** module, const void* code_object);
  int (*find_function)(void** function, void* module, const char* name);
  int (*unload_module)(void* module);
  int (*launch)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream,
                void** params, void** extra);
  int (*begin_capture)(void* stream, int mode);
  int (*end_capture)(void* stream, void** graph);
  int (*instantiate_graph)(void** executable, void* graph, void* node, char* log, size_t log_bytes);
  int (*launch_graph)(void* executable, void* stream);
  int (*destroy_graph)(void* graph);
  int (*destroy_executable)(void* executable);
};

}  // namespace hearth::kernels::hip
