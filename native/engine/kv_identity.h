// The identity of an engine's KV pages: a number that tells whether pages saved by one engine are
// valid in another. The disk cache puts it into its files and their names.
#pragma once

#include <cstdint>

namespace hearth {

struct Workbench;
class GgufFile;

/// A hash of all that the bytes of a page depend on: size and time of each part of the model file,
/// the source of the kernels and, as a probe of everything else (weights, processor, page layout),
/// the KV of a few tokens. It evaluates those tokens, so it must be called before the first
/// request.
uint64_t kv_identity(Workbench& bench, const GgufFile& file);

}  // namespace hearth
