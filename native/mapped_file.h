// A model file, memory-mapped for reading as a whole. Another program could change or truncate the
// file while it is mapped, and reading pages that were cut off would end this process with SIGBUS.
// Therefore a lease is taken on it where the system allows (on Linux, if the user owns the file and
// nobody has it open for writing): whoever opens it for writing then has to wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace hearth {

class MappedFile {
 public:
  /// Throws EngineError "model-not-found", or "model-unreadable" for a folder or a refused read.
  explicit MappedFile(std::string path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  /// Throws EngineError "model-unreadable" if another program has changed the file since it was
  /// opened: what is read now may be part of another model.
  void require_unchanged() const;
  /// Releases the physical pages that lie wholly in the range. The bytes stay readable.
  void release(std::span<const std::byte> range) const;

 private:
  struct Descriptor {
    explicit Descriptor(int fd) : fd(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd(std::exchange(other.fd, -1)) {}
    ~Descriptor();
    int fd;
  };

  std::string path_;
  Descriptor file_;
  std::span<const std::byte> bytes_;
  int64_t changed_ns_ = 0;  // time of the last modification when it was opened
};

}  // namespace hearth
