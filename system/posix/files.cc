#include "system/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "posix.h"

namespace hearth::system {
namespace {

struct stat status_of(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) throw_file_error(errno);
  return status;
}

/// nullptr, with errno, if it cannot be opened.
std::FILE* open_stream(const std::string& path, int flags, const char* mode) {
  const int fd = open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return nullptr;
  std::FILE* file = fdopen(fd, mode);
  if (!file) close(fd);
  return file;
}

}  // namespace

void throw_file_error(int error) {
  using Reason = FileError::Reason;
  const bool is_missing = error == ENOENT || error == ENOTDIR;
  // macOS returns EPERM for folders to which the user has not given the program access.
  const bool is_forbidden = error == EACCES || error == EPERM;
  throw FileError(is_missing     ? Reason::kMissing
                  : is_forbidden ? Reason::kForbidden
                                 : Reason::kOther,
                  std::strerror(error));
}

// O_NONBLOCK: opening a named pipe must not wait for a writer.
ReadFile::ReadFile(const std::string& path)
    : handle_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  const int fd = static_cast<int>(handle_);
  if (fd < 0) throw_file_error(errno);
  keep_writers_out(fd);
  const mode_t mode = status_of(fd).st_mode;
  kind_ = S_ISREG(mode) ? Kind::kOrdinary : S_ISDIR(mode) ? Kind::kFolder : Kind::kOther;
}

ReadFile::~ReadFile() {
  if (handle_ != kNoHandle) close(static_cast<int>(handle_));
}

ReadFile::State ReadFile::state() const {
  const struct stat status = status_of(static_cast<int>(handle_));
  return {static_cast<uint64_t>(status.st_size), changed_ns(status)};
}

std::FILE* create_private(const std::string& path) {
  return open_stream(path, O_WRONLY | O_CREAT | O_EXCL, "wb");
}

// O_NONBLOCK as above. The owner is checked because root can open other users' files, which could
// contain anything.
std::FILE* open_own(const std::string& path) {
  std::FILE* file = open_stream(path, O_RDONLY | O_NONBLOCK, "rb");
  if (!file) return nullptr;
  struct stat status {};
  const bool is_own = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
                      status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (is_own) return file;
  std::fclose(file);
  return nullptr;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    names.push_back(it->path().filename().string());
  return names;
}

}  // namespace hearth::system
