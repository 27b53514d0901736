// A read position in the bytes of a GGUF file. It takes one value after another and checks each
// against the end of the file. Its EngineErrors name the file and the element that was being read,
// and say what the user can do.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "mapped_file.h"

namespace hearth {

static_assert(std::endian::native == std::endian::little, "GGUF data are used without conversion");

/// The file must outlive it.
class GgufCursor {
 public:
  explicit GgufCursor(const MappedFile& file) : path_(file.path()), bytes_(file.bytes()) {}

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  uint64_t offset() const { return offset_; }
  uint64_t left() const { return bytes_.size() - offset_; }

  template <typename T>
  T take() {
    if (left() < sizeof(T)) ends_early();
    T value;
    std::memcpy(&value, bytes_.data() + offset_, sizeof(T));
    offset_ += sizeof(T);
    return value;
  }
  /// A length as u64, then that many bytes.
  std::string take_string();

  /// Names the element that is read next, for messages: "the metadata value \"general.name\"".
  void enter(std::string where);
  const std::string& where() const { return where_; }

  [[noreturn]] void invalid(const std::string& what) const;
  [[noreturn]] void unsupported(const std::string& what, const std::string& advice) const;
  [[noreturn]] void ends_early() const;

 private:
  const std::string path_;
  const std::span<const std::byte> bytes_;
  uint64_t offset_ = 0;
  std::string where_ = "its header";
  uint64_t where_offset_ = 0;
};

}  // namespace hearth
