// A whole file mapped read-only. The one place that knows the operating system's file calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace hearth {

/// Unmapped when destroyed. Reading what another program has cut off a mapped file would end this
/// process (SIGBUS), so where the system can, whoever opens the file for writing has to wait: on
/// Linux, if the file is the user's own and nobody writes it already.
class MappedFile {
 public:
  /// Throws EngineError: model-not-found, or model-unreadable for a folder or a refused read.
  explicit MappedFile(std::string path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  /// Throws EngineError "model-unreadable" when another program has changed the file since it was
  /// opened: what is read of it would be neither the old model nor the new one.
  void require_unchanged() const;
  /// Lets the physical pages that lie wholly inside range go; reading them again maps them anew.
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
  int64_t changed_ns_ = 0;  // when it was last written
};

}  // namespace hearth
