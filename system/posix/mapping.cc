// Mapped files. If a page cannot be read, the kernel sends SIGBUS to the thread that reads it. Our
// handler then replaces the rest of the mapping with zeros and marks it as damaged, so that the
// thread can continue and the mapping's owner can ask is_damaged().
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>

#include "posix.h"
#include "system/files.h"

namespace hearth::system {
namespace {

/// A mapping as the handler sees it. The handler must not use locks or heap memory. An unused slot
/// has begin == 0.
struct Slot {
  std::atomic<uintptr_t> begin{0}, end{0};
  std::atomic<bool> is_damaged{false};
};
static_assert(std::atomic<uintptr_t>::is_always_lock_free);

constexpr size_t kMaxMappings = 256;  // further ones are mapped without protection
std::array<Slot, kMaxMappings> slots;
std::mutex slots_mutex;  // held while slots are taken and given back
struct sigaction previous_action;

Slot* slot_at(uintptr_t address) {
  for (Slot& slot : slots)
    if (slot.begin != 0 && slot.begin <= address && address < slot.end) return &slot;
  return nullptr;
}

uintptr_t address_of(const void* memory) { return reinterpret_cast<uintptr_t>(memory); }

uintptr_t page_size() {
  static const uintptr_t size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return size;
}

bool put_zeros(uintptr_t address) {
  Slot* slot = slot_at(address);
  if (!slot) return false;
  const int saved = errno;
  slot->is_damaged = true;
  const uintptr_t begin = address / page_size() * page_size();
  void* zeros = mmap(reinterpret_cast<void*>(begin), slot->end - begin, PROT_READ,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  errno = saved;
  return zeros != MAP_FAILED;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  // A signal from a process is not a fault and has no address. (Only macOS has a positive SI_USER.)
  const bool is_fault = info->si_code > 0 && info->si_code != SI_USER;
  if (is_fault && put_zeros(address_of(info->si_addr))) return;
  if (previous_action.sa_flags & SA_SIGINFO)
    return previous_action.sa_sigaction(signal, info, context);
  if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN)
    return previous_action.sa_handler(signal);
  // The address is in none of our mappings. Once our handler is removed, the same fault happens
  // again and ends the process. But a signal from another process must be raised again.
  sigaction(SIGBUS, &previous_action, nullptr);
  if (!is_fault) raise(signal);
}

void install_handler() {
  static const bool is_installed [[maybe_unused]] = [] {
    page_size();
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGBUS, &action, &previous_action) == 0;
  }();
}

void watch(std::span<const std::byte> bytes) {
  const std::lock_guard lock(slots_mutex);
  install_handler();
  for (Slot& slot : slots) {
    if (slot.begin != 0) continue;
    slot.is_damaged = false;
    slot.end =
        (address_of(bytes.data()) + bytes.size() + page_size() - 1) / page_size() * page_size();
    slot.begin = address_of(bytes.data());
    return;
  }
}

}  // namespace

Mapping::Mapping(const ReadFile& file, uint64_t n_bytes) {
  const int fd = static_cast<int>(file.handle_);
  void* address = mmap(nullptr, n_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED) throw_file_error(errno);
  bytes_ = {static_cast<const std::byte*>(address), static_cast<size_t>(n_bytes)};
  watch(bytes_);
}

Mapping::~Mapping() {
  if (bytes_.empty()) return;
  const std::lock_guard lock(slots_mutex);
  if (Slot* slot = slot_at(address_of(bytes_.data()))) slot->begin = 0;
  munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

bool Mapping::is_damaged() const {
  const Slot* slot = bytes_.empty() ? nullptr : slot_at(address_of(bytes_.data()));
  return slot && slot->is_damaged;
}

void Mapping::forget(std::span<const std::byte> range) const {
  // This may also drop pages of zeros that replaced lost ones; they read as zero again.
  const uintptr_t first = address_of(range.data());
  const uintptr_t begin = (first + page_size() - 1) / page_size() * page_size();
  const uintptr_t end = (first + range.size()) / page_size() * page_size();
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace hearth::system
