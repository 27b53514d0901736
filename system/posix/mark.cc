// The process keeps the file locked. However the process ends, the system then unlocks the file.
#include "system/mark.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>

namespace hearth::system {
namespace {

bool lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB) == 0; }

}  // namespace

Mark::Mark(const std::string& prefix) {
  static std::atomic<int> n_made = 0;
  path_ = prefix + std::to_string(getpid()) + "-" + std::to_string(++n_made);
  const int fd = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  file_ = fd;
  lock(fd);
  set(false);
}

Mark::~Mark() {
  if (file_ < 0) return;
  unlink(path_.c_str());
  close(static_cast<int>(file_));
}

void Mark::set(bool is_set) {
  if (file_ >= 0 && pwrite(static_cast<int>(file_), is_set ? "1" : "0", 1, 0) != 1) return;
}

bool Mark::was_left(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  char value = 0;
  const bool is_over = lock(fd) && pread(fd, &value, 1, 0) == 1;
  if (is_over && value == '0') unlink(path.c_str());
  close(fd);
  return is_over && value == '1';
}

}  // namespace hearth::system
