// The disk tier: what the page cache held when an engine ended, for the next one. Owns the folder:
// which files are read, what is written, and how much may lie there. Pages say what was in the
// user's documents, so files are for their owner alone, and nothing is written unless asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops.h"
#include "page_cache.h"
#include "page_file.h"

namespace hearth {

class PageStore {
 public:
  /// Ops must outlive it. identity: see PageShape.
  PageStore(std::string folder, uint64_t max_bytes, uint64_t identity, kernels::Ops& ops);

  struct Restored {
    int n_pages = 0;
    std::vector<std::string> problems;  // for the log: files that are damaged in part or whole
  };
  /// Fills free pages of the cache from the files there are, the newest first. Whatever the files
  /// hold, nothing is thrown.
  Restored restore(PageCache& cache);

  /// Writes the pages used last, as many as may lie in the folder, and drops the files that these
  /// replace and the oldest ones beyond the limit. Throws EngineError "cache-unwritable".
  void save(const PageCache& cache);

 private:
  bool restore_file(const std::string& path, PageCache& cache, Restored& restored);
  void write_file(const std::string& path, std::span<const CachedPage> pages);
  void drop_oldest() const;

  std::string folder_;
  uint64_t max_bytes_;
  PageShape shape_;
  kernels::Ops& ops_;
  std::vector<std::string> replaced_;  // files whose pages all came into the cache
};

}  // namespace hearth
