#include "kv_identity.h"

#include <array>
#include <string>

#include "cache/page_file.h"
#include "gguf/gguf_part.h"
#include "scheduler/workbench.h"

namespace hearth {
namespace {

uint64_t hash(const std::string& text, uint64_t seed) {
  return checksum(std::as_bytes(std::span(text)), seed);
}

/// Times are part of the identity because a rewritten file might differ only in a row that the
/// probe does not read.
std::string sizes_and_times(const GgufFile& file) {
  std::string text;
  for (const GgufPart& part : file.parts()) {
    const auto [n_bytes, changed] = part.file.state();
    text += std::to_string(n_bytes) + " " + std::to_string(changed) + " ";
  }
  return text;
}

/// The bytes of a page with a few tokens; the other positions are zero.
std::vector<std::byte> probe(Workbench& bench) {
  constexpr std::array<uint32_t, 4> kTokens{0, 1, 2, 3};
  std::vector<std::byte> bytes(bench.ops.kv_page_bytes());
  Path path = bench.cache.find({});
  path.reserve(kTokens.size());
  const int32_t page = path.pages().front();
  bench.ops.write_page(page, bytes);
  const Extension extension{&path, kTokens};
  bench.forward.evaluate_for_logits(std::span(&extension, 1));  // commits nothing to the cache
  bench.ops.read_page(bytes, page);
  bench.heartbeat.idle();
  return bytes;
}

}  // namespace

std::vector<uint64_t> kv_identities(Workbench& bench, const GgufFile& file,
                                    const std::vector<GgufFile>& adapters) {
  const uint64_t own = checksum(probe(bench), hash(sizes_and_times(file), hash(HEARTH_KERNELS, 0)));
  std::vector<uint64_t> identities{own};
  for (const GgufFile& adapter : adapters) {
    uint64_t sum = own;
    for (const GgufPart& part : adapter.parts()) sum = checksum(part.file.bytes(), sum);
    identities.push_back(sum);
  }
  return identities;
}

}  // namespace hearth
