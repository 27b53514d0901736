#include <fcntl.h>
#include <signal.h>

#include "system/posix/posix.h"

namespace hearth::system {

/// Takes a read lease: programs that open the file for writing wait until it is closed here, by
/// default for at most 45 s. The system announces them with a signal; SIGURG is ignored by default.
void keep_writers_out(int fd) {
  fcntl(fd, F_SETSIG, SIGURG);
  fcntl(fd, F_SETLEASE, F_RDLCK);
}

int64_t changed_ns(const struct stat& status) {
  return int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

}  // namespace hearth::system
