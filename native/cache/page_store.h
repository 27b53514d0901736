// The disk cache: when an engine closes, its cached KV pages are written to a file, and the next
// engine loads them. This class owns the folder: it decides which files are read, written and
// deleted, and limits their total size; page_file.h knows the format. Pages reveal the user's
// documents, so only their owner can read the files, and the engine writes them only if the user
// has enabled the disk cache.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include "ops.h"
#include "page_cache.h"
#include "page_file.h"

namespace hearth {

class PageStore {
 public:
  /// Ops must outlive it. identities are those of kv_identities(), one for each root of the cache.
  PageStore(std::string folder, uint64_t max_bytes, std::vector<uint64_t> identities,
            kernels::Ops& ops);

  struct Restored {
    int n_pages = 0;
    std::vector<std::string> problems;  // for the log: a sentence for each file that was skipped
  };
  /// Fills free pages of the cache from the folder's files, the newest first. It skips damaged
  /// files and pages, and files that cannot be opened, and does not throw for them.
  Restored restore(PageCache& cache);

  /// Writes the most recently used pages to new files, one for each root, up to max_bytes in total.
  /// Then deletes the files that the new ones replace and, if the folder exceeds max_bytes, the
  /// oldest files of any model. Throws EngineError "cache-unwritable".
  void save(const PageCache& cache);

 private:
  PageShape shape(int root) const;
  bool restore_file(const std::string& path, int root, PageCache& cache, Restored& restored);
  void write_file(int root, std::span<const CachedPage> pages);
  std::error_code write_records(const std::string& path, int root,
                                std::span<const CachedPage> pages);
  void drop_oldest() const;

  std::string folder_;
  uint64_t max_bytes_;
  std::vector<uint64_t> identities_;  // by root
  kernels::Ops& ops_;
  std::vector<std::string> replaced_;  // files read to the end, or damaged: save() deletes them
};

}  // namespace hearth
