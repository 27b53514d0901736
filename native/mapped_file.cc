// POSIX calls: open, fstat, mmap, madvise, and Linux's file leases.
#include "mapped_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "error.h"

namespace hearth {
namespace {

[[noreturn]] void refuse(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR) {
    throw EngineError("model-not-found",
                      "There is no model file at " + path + ". Check the path, or choose another.");
  }
  const std::string advice =
      error == EACCES ? "Give yourself the right to read it." : "Check the disk and the file.";
  throw EngineError("model-unreadable", "The model file " + path + " cannot be read (" +
                                            std::strerror(error) + "). " + advice);
}

int64_t changed_ns(const struct stat& status) {
#ifdef __APPLE__
  const timespec& time = status.st_mtimespec;
#else
  const timespec& time = status.st_mtim;
#endif
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Takes a read lease: programs that open the file for writing wait until it is closed here, by
/// default 45 s at most. The system announces them by a signal; SIGURG is ignored by default.
void take_lease([[maybe_unused]] int fd) {
#ifdef F_SETLEASE
  if (fd < 0) return;
  fcntl(fd, F_SETSIG, SIGURG);
  fcntl(fd, F_SETLEASE, F_RDLCK);
#endif
}

}  // namespace

MappedFile::Descriptor::~Descriptor() {
  if (fd >= 0) close(fd);
}

// O_NONBLOCK: opening a named pipe must not wait for a writer; it is refused below.
MappedFile::MappedFile(std::string path)
    : path_(std::move(path)), file_(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  take_lease(file_.fd);
  struct stat status {};
  if (file_.fd < 0 || fstat(file_.fd, &status) != 0) refuse(path_, errno);
  if (!S_ISREG(status.st_mode)) {
    const char* what = S_ISDIR(status.st_mode) ? " is a folder" : " is not an ordinary file";
    throw EngineError("model-unreadable", path_ + what + ". Choose a .gguf file.");
  }
  changed_ns_ = changed_ns(status);
  const size_t n_bytes = static_cast<size_t>(status.st_size);
  if (n_bytes == 0) return;  // mmap refuses an empty range
  void* address = mmap(nullptr, n_bytes, PROT_READ, MAP_PRIVATE, file_.fd, 0);
  if (address == MAP_FAILED) refuse(path_, errno);
  bytes_ = {static_cast<const std::byte*>(address), n_bytes};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::move(other.file_)),
      bytes_(std::exchange(other.bytes_, {})),
      changed_ns_(other.changed_ns_) {}

void MappedFile::require_unchanged() const {
  struct stat status {};
  const bool is_same = fstat(file_.fd, &status) == 0 && changed_ns(status) == changed_ns_ &&
                       static_cast<size_t>(status.st_size) == bytes_.size();
  if (!is_same)
    throw EngineError("model-unreadable", "The model file " + path_ +
                                              " was changed by another program while it was read. "
                                              "Load it again when that is done.");
}

void MappedFile::release(std::span<const std::byte> range) const {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = reinterpret_cast<uintptr_t>(range.data());
  const uintptr_t begin = (first + page - 1) / page * page;
  const uintptr_t end = (first + range.size()) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace hearth
