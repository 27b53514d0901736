// Files that are mapped into memory, and files that only their owner can read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hearth::system {

/// Why a file cannot be opened or mapped; what() is the system's own explanation.
class FileError : public std::runtime_error {
 public:
  enum class Reason { kMissing, kForbidden, kOther };
  FileError(Reason reason, const std::string& explanation)
      : std::runtime_error(explanation), reason(reason) {}
  Reason reason;
};

/// A file that is open for reading. As far as the system allows, nobody can write to it while it is
/// open. On Windows, a program that tries gets an error. On Linux it waits, for at most 45 s, and
/// only if the user owns the file. macOS cannot prevent it.
class ReadFile {
 public:
  enum class Kind { kOrdinary, kFolder, kOther };
  struct State {
    uint64_t n_bytes = 0;
    int64_t changed = 0;  // time of the last change, in the system's unit
    bool operator==(const State&) const = default;
  };

  /// Throws FileError. Does not wait, even if the path names a pipe.
  explicit ReadFile(const std::string& path);
  ~ReadFile();
  ReadFile(ReadFile&& other) noexcept
      : handle_(std::exchange(other.handle_, kNoHandle)), kind_(other.kind_) {}
  ReadFile& operator=(ReadFile&&) = delete;

  Kind kind() const { return kind_; }
  /// Throws FileError.
  State state() const;

 private:
  friend class Mapping;
  static constexpr intptr_t kNoHandle = -1;
  intptr_t handle_;
  Kind kind_ = Kind::kOther;
};

/// The bytes of a file in memory. On Linux and macOS, a part that was cut off or cannot be read
/// gives zeros, and is_damaged() becomes true. (Otherwise SIGBUS would end the process.)
class Mapping {
 public:
  Mapping() = default;
  /// n_bytes must be more than 0. Throws FileError.
  Mapping(const ReadFile& file, uint64_t n_bytes);
  ~Mapping();
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  bool is_damaged() const;
  /// Gives back the physical pages that lie completely in the range. The bytes stay readable.
  void forget(std::span<const std::byte> range) const;

 private:
  std::span<const std::byte> bytes_;
};

/// Creates a file that only this user can read, and opens it for writing. nullptr, with errno, if
/// it already exists or cannot be created.
std::FILE* create_private(const std::string& path);
/// Opens a file for reading. nullptr if it is a link or no regular file, belongs to another user,
/// or may be written by others. Does not wait.
std::FILE* open_own(const std::string& path);

/// The names in a folder, in no particular order; empty if it cannot be read. (The standard library
/// for Windows cannot list a folder with a long path.)
std::vector<std::string> names_in(const std::string& folder);

}  // namespace hearth::system
