// Functions that differ between Linux and macOS, for the files in this folder.
#pragma once

#include <sys/stat.h>

#include <cstdint>

namespace hearth::system {

/// error: an errno.
[[noreturn]] void throw_file_error(int error);

void keep_writers_out(int fd);
/// Nanoseconds since 1970.
int64_t changed_ns(const struct stat& status);

}  // namespace hearth::system
