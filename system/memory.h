// Large blocks of memory, straight from the system.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hearth::system {

/// Page-aligned memory, which reads as zero. A page takes physical memory only once it is written.
/// nullptr if there is not enough memory. Windows must have enough for the whole block, other
/// systems only for the pages that are written.
void* reserve(size_t n_bytes);
/// Releases a whole block from reserve().
void release(void* memory, size_t n_bytes);
/// Asks for pages of 2 MiB in the range, if the system has them.
void prefer_huge_pages(void* memory, size_t n_bytes);

/// The physical memory of the machine; 0 if unknown.
uint64_t physical_memory_bytes();

}  // namespace hearth::system
