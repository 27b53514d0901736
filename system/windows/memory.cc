#include "system/memory.h"

#include "windows.h"

namespace hearth::system {

// Commits the whole block: Windows reserves memory for it, but assigns no physical page before it
// is written.
void* reserve(size_t n_bytes) {
  return VirtualAlloc(nullptr, n_bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void release(void* memory, size_t) { VirtualFree(memory, 0, MEM_RELEASE); }

void prefer_huge_pages(void*, size_t) {}  // they need a privilege that users lack

uint64_t physical_memory_bytes() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
}

}  // namespace hearth::system
