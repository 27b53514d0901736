// Files are named IDENTITY-TIME.pages, both as 16 hexadecimal digits. The identity is a hash of the
// model, adapter and kernels that computed the pages; the time makes the files of one identity sort
// by age.
#include "page_store.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/error.h"
#include "system/files.h"
#include "system/paths.h"

namespace hearth {
namespace {

namespace fs = std::filesystem;
using system::path_of;
using system::utf8_of;

// A file is written with the second extension and renamed when it is complete, so that another
// server never reads half a file.
constexpr const char* kExtension = ".pages";
constexpr const char* kUnfinished = ".unfinished";

std::string hexadecimal(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::string new_name(uint64_t identity) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return hexadecimal(identity) + "-" + hexadecimal(static_cast<uint64_t>(now.count()));
}

/// Whether a file's name is one of ours. Files that others put into the folder are left alone.
bool is_store_file(const fs::path& path) {
  const std::string stem = path.stem().string();
  const bool has_name = path.extension() == kExtension || path.extension() == kUnfinished;
  return has_name && stem.size() == 33 && std::all_of(stem.begin(), stem.end(), [](char c) {
           return std::strchr("0123456789abcdef-", c) != nullptr;
         });
}

std::vector<fs::path> store_files(const std::string& folder) {
  std::vector<fs::path> paths;
  for (const std::string& name : system::names_in(folder)) {
    fs::path path = path_of(folder + "/" + name);
    if (is_store_file(path)) paths.push_back(std::move(path));
  }
  return paths;
}

/// Compares the times in the names.
bool is_newer(const fs::path& a, const fs::path& b) {
  return a.stem().string().substr(17) > b.stem().string().substr(17);
}

/// Deletes a file at the end of a scope, unless the file has been renamed.
struct DeletedAtScopeEnd {
  explicit DeletedAtScopeEnd(fs::path path) : path(std::move(path)) {}
  DeletedAtScopeEnd(const DeletedAtScopeEnd&) = delete;
  ~DeletedAtScopeEnd() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  const fs::path path;
};

[[noreturn]] void cannot_write(const std::string& path, const std::string& reason) {
  throw EngineError("cache-unwritable",
                    "The KV cache could not be saved to " + path + " (" + reason +
                        "). Free some space there, or set hearth.cache.diskMiB to 0.");
}

}  // namespace

PageStore::PageStore(std::string folder, uint64_t max_bytes, std::vector<uint64_t> identities,
                     kernels::Ops& ops)
    : folder_(std::move(folder)),
      max_bytes_(max_bytes),
      identities_(std::move(identities)),
      ops_(ops) {}

PageShape PageStore::shape(int root) const {
  return {identities_[root], kernels::kPageTokens, ops_.kv_page_bytes()};
}

PageStore::Restored PageStore::restore(PageCache& cache) {
  Restored restored;
  std::vector<fs::path> paths = store_files(folder_);
  std::sort(paths.begin(), paths.end(), is_newer);
  for (const fs::path& path : paths) {
    if (path.extension() != kExtension) continue;
    const auto identity = std::ranges::find_if(identities_, [&](uint64_t each) {
      return path.stem().string().starts_with(hexadecimal(each));
    });
    if (identity == identities_.end()) continue;
    const auto root = static_cast<int>(identity - identities_.begin());
    if (restore_file(utf8_of(path), root, cache, restored)) replaced_.push_back(utf8_of(path));
  }
  return restored;
}

/// Returns true if the file was read to its end or is damaged, so that save() may delete it.
/// Returns false if it cannot be opened now, or if the cache had no room for the rest of it.
bool PageStore::restore_file(const std::string& path, int root, PageCache& cache,
                             Restored& restored) {
  const std::unique_ptr<PageFileReader> reader = PageFileReader::open(path, shape(root));
  if (!reader) {
    std::error_code error;
    // A missing file is no problem: another server has replaced it since the folder was listed.
    if (fs::exists(path_of(path), error))
      restored.problems.push_back(path +
                                  " could not be opened, or others may write it, and was left out");
    return false;
  }
  if (!reader->is_sound()) {
    restored.problems.push_back(path + " is damaged and was left out");
    return true;
  }
  std::vector<int32_t> parents;  // cache page of each record; kNone: not cached, or not full
  PageRecord record;
  PageFileReader::Read read;
  bool has_room = true;
  uint32_t n_whole = 0;
  while (has_room && (read = reader->next(record)) != PageFileReader::Read::kEnd) {
    parents.push_back(PageCache::kNone);
    if (read == PageFileReader::Read::kDamaged) continue;
    n_whole++;
    const bool is_first = record.parent == PageRecord::kNoParent;
    const int32_t parent = is_first ? PageCache::kNone : parents[record.parent];
    if (!is_first && parent == PageCache::kNone) continue;
    const PageCache::Inserted inserted = cache.insert(
        parent, record.tokens, [&](int32_t page) { ops_.write_page(page, record.kv); }, root);
    if (record.tokens.size() == kernels::kPageTokens) parents.back() = inserted.page;
    restored.n_pages += inserted.is_new;
    has_room = inserted.page != PageCache::kNone;
  }
  if (has_room && n_whole < reader->n_records())
    restored.problems.push_back(path + ": " + std::to_string(reader->n_records() - n_whole) +
                                " of " + std::to_string(reader->n_records()) +
                                " pages are damaged and were left out");
  return has_room;
}

void PageStore::save(const PageCache& cache) {
  std::vector<CachedPage> pages = cache.pages();
  const uint64_t n_max =
      (max_bytes_ - std::min(max_bytes_, kPageFileHeaderBytes)) / shape(0).record_bytes();
  pages.resize(std::min<uint64_t>(pages.size(), n_max));
  if (!pages.empty()) {
    std::error_code error;
    const fs::path folder = path_of(folder_);
    fs::create_directories(folder, error);
    if (error) cannot_write(folder_, error.message());
    fs::permissions(folder, fs::perms::owner_all, error);
    for (int root = 0; root < static_cast<int>(identities_.size()); root++) write_file(root, pages);
  }
  std::error_code ignored;
  for (const std::string& path : replaced_) fs::remove(path_of(path), ignored);
  replaced_.clear();
  drop_oldest();
}

/// Writes the pages that belong to the root, if there are any.
void PageStore::write_file(int root, std::span<const CachedPage> pages) {
  std::vector<CachedPage> own;
  std::ranges::copy_if(pages, std::back_inserter(own),
                       [root](const CachedPage& page) { return page.root == root; });
  if (own.empty()) return;
  const std::string path = utf8_of(path_of(folder_) / new_name(identities_[root]));
  const DeletedAtScopeEnd unfinished(path_of(path + kUnfinished));
  std::error_code error = write_records(utf8_of(unfinished.path), root, own);
  if (!error) fs::rename(unfinished.path, path_of(path + kExtension), error);
  if (error) cannot_write(folder_, error.message());
}

/// Closes the file before it returns, since Windows cannot delete or rename an open file.
std::error_code PageStore::write_records(const std::string& path, int root,
                                         std::span<const CachedPage> pages) {
  std::vector<uint32_t> records;  // record index of each page id written so far
  PageFileWriter writer;
  bool is_good = writer.create(path, shape(root), static_cast<uint32_t>(pages.size()));
  for (uint32_t i = 0; is_good && i < pages.size(); i++) {
    const CachedPage& page = pages[i];
    records.resize(std::max<size_t>(records.size(), page.page + 1), PageRecord::kNoParent);
    records[page.page] = i;
    ops_.read_page(writer.kv(), page.page);
    is_good =
        writer.write(page.parent == PageCache::kNone ? PageRecord::kNoParent : records[page.parent],
                     page.tokens);
  }
  is_good = is_good && writer.close();
  return is_good ? std::error_code() : std::error_code(errno, std::generic_category());
}

/// Deletes the oldest files, whatever their model, until the folder is within its limit.
void PageStore::drop_oldest() const {
  std::vector<fs::path> paths = store_files(folder_);
  std::sort(paths.begin(), paths.end(), is_newer);
  uint64_t n_bytes = 0;
  for (const fs::path& path : paths) {
    std::error_code error;
    n_bytes += fs::file_size(path, error);
    if (!error && n_bytes > max_bytes_) fs::remove(path, error);
  }
}

}  // namespace hearth
