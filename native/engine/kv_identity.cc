#include "kv_identity.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>

#include "cache/page_file.h"
#include "engine.h"
#include "scheduler/workbench.h"
#include "system/paths.h"

namespace hearth {
namespace {

uint64_t hash(const std::string& text, uint64_t seed) {
  return checksum(std::as_bytes(std::span(text)), seed);
}

/// Part of the identity because a file that was written again may differ in a row that the probe
/// does not read.
int64_t time_of(const std::string& path) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(system::path_of(path), error);
  return error ? 0 : time.time_since_epoch().count();
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

uint64_t kv_identity(Workbench& bench, const ModelInfo& info) {
  const std::string file =
      std::to_string(info.file_bytes) + " " + std::to_string(time_of(info.path));
  return checksum(probe(bench), hash(file, hash(HEARTH_KERNELS, 0)));
}

}  // namespace hearth
