// A snapshot of the engine's work, for callers that watch it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cache/page_cache.h"
#include "common/heartbeat.h"

namespace hearth {

enum class EngineState { kIdle, kPrefill, kDecode };

struct EngineStatus {
  EngineState state = EngineState::kIdle;
  uint64_t beat = 0;  // this and the next four fields: see Heartbeat
  int token = 0;
  int layer = 0;
  const char* op = "";
  uint64_t op_bytes = 0;
  double stalled_ms = 0;  // since the last heartbeat; 0 when idle
  int queued = 0;         // jobs, including the one that runs
  size_t page_bytes = 0;
  double busy_ms = 0;  // this and the next two fields count since loading, up to the last step
  CacheStatistics cache;
  std::vector<OpTime> ops;
};

}  // namespace hearth
