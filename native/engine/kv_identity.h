// The identities of an engine's KV pages: numbers that tell whether pages saved by one engine are
// valid in another. The disk cache puts them into its files and their names.
#pragma once

#include <cstdint>
#include <vector>

namespace hearth {

struct Workbench;
class GgufFile;

/// The first identity is for pages without an adapter, each other one for an adapter's pages. An
/// identity hashes everything that the bytes of a page depend on: size and time of each part of the
/// model file, the source of the kernels, all bytes of the adapter's file and, as a probe of
/// everything else (weights, processor, page layout), the KV of a few tokens. It evaluates those
/// tokens, so it must be called before the first request.
std::vector<uint64_t> kv_identities(Workbench& bench, const GgufFile& file,
                                    const std::vector<GgufFile>& adapters);

}  // namespace hearth
