#include "system/memory.h"

#include <sys/mman.h>
#include <unistd.h>

namespace hearth::system {

void* reserve(size_t n_bytes) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
  flags |= MAP_NORESERVE;  // a KV pool is sized for the longest use and mostly stays unwritten
#endif
  void* memory = mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void release(void* memory, size_t n_bytes) { munmap(memory, n_bytes); }

void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t n_bytes) {
#ifdef MADV_HUGEPAGE
  madvise(memory, n_bytes, MADV_HUGEPAGE);  // the kernel may ignore it
#endif
}

uint64_t physical_memory_bytes() {
  const long n_pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  return n_pages > 0 ? static_cast<uint64_t>(n_pages) * static_cast<uint64_t>(page_bytes) : 0;
}

}  // namespace hearth::system
