// One file of KV pages: the format, its checksums, and nothing about which files there are.
//
// Numbers are as the machine has them (little-endian wherever Hearth runs; a file from elsewhere
// has another magic number). A header, then records of one size: the tokens and the KV of a page,
// and which earlier record is the page before it. Every record has a checksum of its own, so that
// one damaged page costs what depends on it and no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hearth {

/// Not cryptographic: guards against damage, not against forgery.
uint64_t checksum(std::span<const std::byte> bytes, uint64_t seed);

inline constexpr uint64_t kPageFileHeaderBytes = 48;

struct PageShape {
  uint64_t identity = 0;  // of the model and of what computes: equal ones compute equal pages
  uint32_t page_tokens = 0;
  uint64_t page_bytes = 0;
  size_t record_bytes() const;
};

/// A record's parts, inside the buffer that owns them.
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
  /// nullptr for what is no readable file of this shape.
  static std::unique_ptr<PageFileReader> open(const std::string& path, const PageShape& shape);

  uint32_t n_records() const { return n_records_; }
  enum class Read { kRecord, kDamaged, kEnd };
  /// The next record; its spans are valid until the next call. kEnd where the file ends, even if
  /// records are missing.
  Read next(PageRecord& record);

 private:
  PageFileReader(std::FILE* file, const PageShape& shape);
  PageShape shape_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::vector<std::byte> buffer_;
  uint32_t n_records_ = 0;
  uint32_t n_read_ = 0;
};

class PageFileWriter {
 public:
  /// Makes the file, for its owner alone to read. False from here on: errno says why.
  bool create(const std::string& path, const PageShape& shape, uint32_t n_records);
  /// Where the caller puts the next record's KV.
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
