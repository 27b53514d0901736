#include "system/posix/posix.h"

namespace hearth::system {

void keep_writers_out(int) {}  // macOS has only locks that writers can ignore

int64_t changed_ns(const struct stat& status) {
  return int64_t{status.st_mtimespec.tv_sec} * 1'000'000'000 + status.st_mtimespec.tv_nsec;
}

}  // namespace hearth::system
