#include "device.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

namespace hearth::kernels::hip {
namespace {

constexpr size_t kStagingBytes = size_t{16} << 20;

std::atomic<uint64_t> n_devices_made = 0;
thread_local uint64_t attached_here = 0;  // Device::id_; 0: none

std::string mebibytes(size_t n_bytes) {
  return std::to_string((n_bytes + (size_t{1} << 20) - 1) >> 20) + " MiB";
}

}  // namespace

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(n_bytes_, other.n_bytes_);
  std::swap(is_host_, other.is_host_);
  return *this;
}

Memory::~Memory() {
  if (!data_ || device_->is_lost()) return;
  device_->attach_to_free();
  (is_host_ ? device_->api().release_host : device_->api().release)(data_);
}

Device::Device(const GpuApi& api, const DeviceChoice& choice)
    : api_(api), choice_(choice), id_(++n_devices_made) {
  try {
    attach();
    check(api_.create_stream(&stream_, kNonBlocking), "creating a stream");
    check(api_.create_event(&event_, kDisableTiming), "creating an event");
    check(api_.load_module(&module_, choice.code_object.data()), "loading the kernels");
    staging_ = allocate_host(kStagingBytes);
  } catch (...) {
    destroy();
    throw;
  }
}

Device::~Device() { destroy(); }

void Device::destroy() {
  if (is_lost_) return;
  attach_to_free();
  if (module_) api_.unload_module(module_);
  if (event_) api_.destroy_event(event_);
  if (stream_) api_.destroy_stream(stream_);
}

void Device::check(int result, const char* what) const {
  if (result == 0) return;
  throw BackendError("GPU " + choice_.name + ": " + what + " failed: " + api_.error_string(result) +
                     " (" + std::to_string(result) + ")");
}

void Device::attach() const {
  if (is_lost_) throw BackendError("GPU " + choice_.name + " does not answer any more");
  if (attached_here == id_) return;
  check(api_.set_device(choice_.index), "choosing the GPU");
  attached_here = id_;
}

void Device::attach_to_free() const {
  if (attached_here != id_ && api_.set_device(choice_.index) == 0) attached_here = id_;
}

size_t Device::free_bytes() const {
  attach();
  size_t free = 0, total = 0;
  check(api_.memory_info(&free, &total), "asking for free memory");
  return free - std::min(free, choice_.reserved_bytes);
}

Memory Device::allocate(size_t n_bytes, const char* purpose) {
  attach();
  void* data = nullptr;
  size_t free = 0, total = 0;
  check(api_.memory_info(&free, &total), "asking for free memory");
  free -= std::min(free, choice_.reserved_bytes);
  const int result =
      n_bytes > free ? kOutOfMemory : api_.allocate(&data, std::max<size_t>(n_bytes, 16));
  if (result == kOutOfMemory)
    throw BackendError("GPU " + choice_.name + ": " + purpose + " needs " + mebibytes(n_bytes) +
                       " but only " + mebibytes(free) + " of " + mebibytes(total) +
                       " are free; choose a smaller model");
  check(result, "allocating memory");
  Memory memory(*this, data, n_bytes, false);
  check(api_.fill(data, 0, n_bytes, stream_), "clearing memory");
  return memory;
}

Memory Device::allocate_host(size_t n_bytes) {
  void* data = nullptr;
  check(api_.allocate_host(&data, n_bytes, kMapped), "allocating pinned memory");
  return Memory(*this, data, n_bytes, true);
}

void* Device::function(const std::string& name) const {
  attach();
  void* function = nullptr;
  check(api_.find_function(&function, module_, name.c_str()),
        ("looking up the kernel " + name).c_str());
  return function;
}

void Device::copy(void* to, const void* from, size_t n_bytes, CopyKind kind) {
  attach();
  if (n_bytes) check(api_.copy(to, from, n_bytes, kind, stream_), "copying");
}

void Device::upload(void* to, const void* from, size_t n_bytes) {
  for (size_t done = 0; done < n_bytes;) {
    const size_t n = std::min(n_bytes - done, kStagingBytes);
    std::memcpy(staging_.as(), static_cast<const std::byte*>(from) + done, n);
    copy(static_cast<std::byte*>(to) + done, staging_.as(), n, kHostToDevice);
    wait();
    done += n;
  }
}

void Device::download(void* to, const void* from, size_t n_bytes) {
  for (size_t done = 0; done < n_bytes;) {
    const size_t n = std::min(n_bytes - done, kStagingBytes);
    copy(staging_.as(), static_cast<const std::byte*>(from) + done, n, kDeviceToHost);
    wait();
    std::memcpy(static_cast<std::byte*>(to) + done, staging_.as(), n);
    done += n;
  }
}

void Device::launch(const Launch& launch) {
  attach();
  void* params[] = {const_cast<std::byte*>(launch.params.data())};
  const auto& grid = launch.grid;
  check(api_.launch(launch.function, grid[0], grid[1], grid[2], launch.block, 1, 1,
                    launch.shared_bytes, stream_, params, nullptr),
        "launching a kernel");
}

void Device::wait() {
  attach();
  check(api_.record_event(event_, stream_), "recording an event");
  wait_for(event_);
}

void Device::wait_for(void* event) {
  attach();
  RunningTime time(choice_.patience);
  for (;;) {
    const int result = api_.query_event(event);
    if (result == 0) return;
    if (result != kNotReady) check(result, "running a kernel");
    const auto waited = time.step();
    if (waited > choice_.patience) {
      is_lost_ = true;
      if (choice_.on_lost) choice_.on_lost();
      throw BackendError("GPU " + choice_.name + ": did not answer for " +
                         std::to_string(choice_.patience.count()) + " ms");
    }
    if (waited > kSpin) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void Device::wait_for(uint32_t& word, uint32_t unwritten) {
  const std::atomic_ref<uint32_t> written(word);
  if (written.load(std::memory_order_acquire) != unwritten) return;
  const auto start = std::chrono::steady_clock::now();
  while (written.load(std::memory_order_acquire) == unwritten) {
    if (std::chrono::steady_clock::now() - start < kSpin) continue;
    wait();
    if (written.load(std::memory_order_acquire) != unwritten) return;
    throw BackendError("GPU " + choice_.name + ": a kernel ended without a result; " +
                       "update the GPU driver");
  }
}

StagedUpload::StagedUpload(Device& device, size_t n_bytes)
    : device_(device),
      host_(device.allocate_host(n_bytes)),
      memory_(device.allocate(n_bytes, "the batch")) {
  device.check(device.api().create_event(&sent_, kDisableTiming), "creating an event");
  device.check(device.api().record_event(sent_, device.stream()), "recording an event");
}

StagedUpload::~StagedUpload() {
  if (device_.is_lost()) return;
  device_.attach_to_free();
  device_.api().destroy_event(sent_);
}

void StagedUpload::send(const void* from, size_t n_bytes) {
  device_.wait_for(sent_);
  std::memcpy(host_.as(), from, n_bytes);
  device_.copy(memory_.as(), host_.as(), n_bytes, kHostToDevice);
  device_.check(device_.api().record_event(sent_, device_.stream()), "recording an event");
}

}  // namespace hearth::kernels::hip
