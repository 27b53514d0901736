#include "system/memory.h"

#include "windows.h"

namespace hearth::system {

// All of it is committed: Windows promises memory for it, but takes no page before it is written.
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
