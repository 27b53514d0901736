#include "system/processor.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "windows.h"

namespace hearth::system {
namespace {

struct Core {
  int efficiency_class = 0;  // greater is faster
  GROUP_AFFINITY threads{};
};

std::vector<Core> all_cores() {
  DWORD n_bytes = 0;
  GetLogicalProcessorInformationEx(RelationProcessorCore, nullptr, &n_bytes);
  std::vector<std::byte> buffer(n_bytes);
  const auto entry = [&](DWORD at) {
    return reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(&buffer[at]);
  };
  std::vector<Core> cores;
  if (n_bytes == 0 || !GetLogicalProcessorInformationEx(RelationProcessorCore, entry(0), &n_bytes))
    return cores;
  for (DWORD at = 0; at < n_bytes; at += entry(at)->Size) {
    const PROCESSOR_RELATIONSHIP& core = entry(at)->Processor;
    const BYTE efficiency_class = (&core.Flags)[1];  // some headers have no name for it
    cores.push_back({efficiency_class, core.GroupMask[0]});
  }
  return cores;
}

/// The processors that this process may use. If it may use several groups, this is all processors.
KAFFINITY allowed_processors() {
  DWORD_PTR process = 0, machine = 0;
  const bool is_known =
      GetProcessAffinityMask(GetCurrentProcess(), &process, &machine) && process != 0;
  return is_known ? process : ~KAFFINITY{0};
}

}  // namespace

Cores usable_cores() {
  std::vector<Core> cores = all_cores();
  std::erase_if(cores, [allowed = allowed_processors()](const Core& core) {
    return (core.threads.Mask & allowed) == 0;
  });
  if (cores.empty()) return {static_cast<int>(std::thread::hardware_concurrency()), 0};
  const int fastest = std::ranges::max(cores, {}, &Core::efficiency_class).efficiency_class;
  const auto n_fast = std::ranges::count(cores, fastest, &Core::efficiency_class);
  return {static_cast<int>(n_fast), static_cast<int>(cores.size()) - static_cast<int>(n_fast)};
}

// Otherwise Windows might slow down a process without a window to save power, and run it on
// efficiency cores.
void prefer_fast_cores() {
  // THREAD_POWER_THROTTLING_STATE, which some headers lack.
  struct {
    ULONG version = 1, control_mask = 1, state_mask = 0;  // its execution speed: not throttled
  } state;
  SetThreadInformation(GetCurrentThread(), ThreadPowerThrottling, &state, sizeof state);
}

// Windows 11 and Server 2022 have the function.
bool may_use_tiles() {
  using Enable = BOOL(WINAPI*)(DWORD64);
  const auto enable = reinterpret_cast<Enable>(reinterpret_cast<void*>(
      GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "EnableProcessOptionalXStateFeatures")));
  constexpr DWORD64 kTileData = DWORD64{1} << 18;
  return enable && enable(kTileData);
}

bool has_dot_products() {
  constexpr DWORD kDotProducts = 43;  // PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE
  return IsProcessorFeaturePresent(kDotProducts);
}

bool has_matrix_products() {
  constexpr DWORD kMatrixProducts = 66;  // PF_ARM_V82_I8MM_INSTRUCTIONS_AVAILABLE
  return IsProcessorFeaturePresent(kMatrixProducts);
}

}  // namespace hearth::system
