// A whole file mapped read-only. The one place that knows the operating system's file calls.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hearth {

/// Unmapped when destroyed. A file that another program cuts short while mapped raises SIGBUS on
/// access; nothing can guard against that but a copy of the whole model.
class MappedFile {
 public:
  /// Throws EngineError: model-not-found, or model-unreadable for a folder or a refused read.
  explicit MappedFile(std::string path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  /// Lets the physical pages that lie wholly inside range go; reading them again maps them anew.
  void release(std::span<const std::byte> range) const;

 private:
  std::string path_;
  std::span<const std::byte> bytes_;
};

}  // namespace hearth
