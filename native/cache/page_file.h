// The file format of saved KV pages: a reader, a writer and checksums. page_store.h decides which
// files there are.
//
//   header  48 bytes   magic, identity, page_tokens, page_bytes, n_records, checksum   (u64 each)
//   record 0           parent u32, n_tokens u32, tokens u32[page_tokens], KV, checksum u64
//   record 1 ...       all have the same size; parent is the index of an earlier record
//
// Numbers are in the machine's byte order; on a machine with the other byte order, the magic number
// does not match. Each record has its own checksum: a damaged page invalidates only the pages below
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hearth {

/// A fast checksum that detects damage. It is not cryptographic and does not protect against
/// forgery.
uint64_t checksum(std::span<const std::byte> bytes, uint64_t seed);

inline constexpr uint64_t kPageFileHeaderBytes = 48;

/// The properties that a file's pages and the engine that reads them must share.
struct PageShape {
  uint64_t identity = 0;  // of the model and the kernels, see kv_identities()
  uint32_t page_tokens = 0;
  uint64_t page_bytes = 0;
  size_t record_bytes() const;
};

/// A record; its spans point into the reader's buffer.
struct PageRecord {
  static constexpr uint32_t kNoParent = UINT32_MAX;
  uint32_t parent = kNoParent;       // index of an earlier record
  std::span<const uint32_t> tokens;  // 1 to page_tokens
  std::span<const std::byte> kv;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class PageFileReader {
 public:
  /// nullptr if there is no such file or it cannot be opened.
  static std::unique_ptr<PageFileReader> open(const std::string& path, const PageShape& shape);

  /// Whether the file has this shape. If not, next() returns no records.
  bool is_sound() const { return is_sound_; }
  uint32_t n_records() const { return n_records_; }
  enum class Read { kRecord, kDamaged, kEnd };
  /// Reads the next record; its spans are valid until the next call. Returns kEnd also where a file
  /// is cut off.
  Read next(PageRecord& record);

 private:
  PageFileReader(std::FILE* file, const PageShape& shape);
  void read_header();
  PageShape shape_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::vector<std::byte> buffer_;
  bool is_sound_ = false;
  uint32_t n_records_ = 0;
  uint32_t n_read_ = 0;
};

class PageFileWriter {
 public:
  /// Creates the file; only its owner can read it. This and the other functions return false on
  /// failure; errno says why.
  bool create(const std::string& path, const PageShape& shape, uint32_t n_records);
  /// The buffer for the KV of the next record, which the caller fills before write().
  std::span<std::byte> kv();
  bool write(uint32_t parent, std::span<const uint32_t> tokens);
  bool close();

 private:
  PageShape shape_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::vector<std::byte> buffer_;
  uint32_t n_written_ = 0;
};

}  // namespace hearth
