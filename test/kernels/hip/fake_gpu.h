// The common part of both fake runtimes (fake_amdhip64.cc, fake_cuda.cc), which run on the emulated
// GPU. HEARTH_FAKE_GPU selects a fault: "small" means no free memory, "wrong:KERNEL" a kernel that
// does nothing, "stuck" a first call that never returns, "dies" a first call that crashes the
// process, "exits" a first call that ends the process with status 0, "words" names with line
// breaks. The files of the two runtimes list further faults.
#pragma once

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "emulation.h"
#include "gpu.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace test {

constexpr int kNoDevice = 100;  // both runtimes use this number
constexpr size_t kGiB = size_t{1} << 30;

/// The text after "kind:" in the fault, "" for "kind" alone; null for any other fault.
inline const char* fault(const char* kind) {
  const char* given = std::getenv("HEARTH_FAKE_GPU");
  const size_t n = std::strlen(kind);
  if (!given || std::strncmp(given, kind, n) != 0) return nullptr;
  return given + n + (given[n] == ':');
}

/// Runs the fault of a driver's first call.
inline void fake_start() {
  while (fault("stuck")) std::this_thread::sleep_for(std::chrono::hours(1));
  if (fault("dies")) std::abort();
  if (fault("exits")) std::_Exit(0);
}

inline int fake_memory_info(size_t* free, size_t* total) {
  *total = 8 * kGiB;
  *free = fault("small") ? kGiB / 2 : 7 * kGiB;
  if (const char* bytes = fault("free")) *free = std::strtoull(bytes, nullptr, 10);
  return 0;
}

inline int fake_find_function(void** function, void* module, const char* name) {
  const char* wrong = fault("wrong");
  if (!wrong || std::strcmp(wrong, name) != 0)
    return gpu_api().find_function(function, module, name);
  *function = &emulation::broken;
  return 0;
}

}  // namespace test
