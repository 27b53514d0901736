// What makes one engine's KV pages good for another engine.
#pragma once

#include <cstdint>

namespace hearth {

struct Workbench;
struct ModelInfo;

/// Equal when the same tokens give the same pages, bit for bit: the model file, the kernels' source
/// and, as a check of everything else (weights, processor, layout of a page), the KV of a few
/// tokens as this engine computes it. Evaluates those tokens: for the time before the first
/// request.
uint64_t kv_identity(Workbench& bench, const ModelInfo& info);

}  // namespace hearth
