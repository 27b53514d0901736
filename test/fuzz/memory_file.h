// A file in memory with a path, for code that opens files.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "fuzz.h"

namespace fuzz {

class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("fuzz", MFD_CLOEXEC)) {
    EXPECT(fd_ >= 0);
    path_ = "/proc/self/fd/" + std::to_string(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  ~MemoryFile() { close(fd_); }

  /// Replaces the content and returns the path.
  const std::string& hold(std::string_view bytes) {
    EXPECT(ftruncate(fd_, 0) == 0);
    EXPECT(pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    return path_;
  }

 private:
  int fd_;
  std::string path_;
};

}  // namespace fuzz
