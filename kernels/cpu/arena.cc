#include "arena.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "system/memory.h"

namespace hearth::kernels::cpu {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
// The size of a slab. Pages that are never written take no physical memory, but Windows reserves
// it.
constexpr size_t kSlabBytes = size_t{256} << 20;

}  // namespace

Arena::Arena(size_t n_bytes) {
  if (n_bytes == 0) return;
  mapping_bytes_ = n_bytes >= kHugePage ? n_bytes + kHugePage : n_bytes;
  void* memory = system::reserve(mapping_bytes_);
  if (!memory) throw std::bad_alloc();
  mapping_ = data_ = static_cast<std::byte*>(memory);
  if (n_bytes < kHugePage) return;
  data_ += -reinterpret_cast<uintptr_t>(mapping_) % kHugePage;
  // A huge page for the tail would waste 1 MiB on average.
  system::prefer_huge_pages(data_, n_bytes / kHugePage * kHugePage);
}

Arena::~Arena() {
  if (mapping_ != nullptr) system::release(mapping_, mapping_bytes_);
}

Arena::Arena(Arena&& other) noexcept { *this = std::move(other); }

Arena& Arena::operator=(Arena&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_bytes_, other.mapping_bytes_);
  std::swap(data_, other.data_);
  return *this;
}

Slabs::Piece Slabs::take(size_t n_bytes) {
  n_bytes = (n_bytes + 63) / 64 * 64;
  if (n_bytes > left_) {
    const size_t n_slab = std::max(n_bytes, kSlabBytes);
    slab_ = std::make_shared<const Arena>(n_slab);
    next_ = slab_->data();
    left_ = n_slab;
  }
  next_ += n_bytes;
  left_ -= n_bytes;
  return {slab_, next_ - n_bytes};
}

}  // namespace hearth::kernels::cpu
