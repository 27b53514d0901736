// One GPU with one stream: memory, copies through pinned staging memory, launches, and waits with a
// time limit. Used by one thread. Errors are BackendError with a message for the user.
#pragma once

#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>

#include "gpu_api.h"
#include "ops.h"
#include "running_time.h"

namespace hearth::kernels::hip {

/// A GPU, and the code object for its architecture, which must outlive the Device.
struct DeviceChoice {
  int index = 0;
  std::string backend;  // "hip", "cuda"
  std::string name;     // shown to users: "gfx1100 AMD Radeon RX 7900 XTX"
  int n_processors = 1;
  std::span<const std::byte> code_object;
  size_t reserved_bytes = 0;                       // GPU memory to leave for the desktop
  std::chrono::milliseconds patience = kPatience;  // a GPU that takes longer counts as hung
  int shared_bytes = 64 << 10;                     // the maximum per thread block
  bool has_copies = false;        // kernels copy to shared memory asynchronously (GPU_COPIES_AHEAD)
  std::function<void()> on_lost;  // called once, when the GPU hangs; may be empty
};

class Device;

/// Device memory, or pinned host memory, which the device can address, too. Freed with the object.
class Memory {
 public:
  Memory() = default;
  Memory(const Device& device, void* data, size_t n_bytes, bool is_host)
      : device_(&device), data_(data), n_bytes_(n_bytes), is_host_(is_host) {}
  Memory(Memory&& other) noexcept { *this = std::move(other); }
  Memory& operator=(Memory&& other) noexcept;
  ~Memory();
  template <class T = std::byte>
  T* as() const {
    return static_cast<T*>(data_);
  }
  size_t n_bytes() const { return n_bytes_; }

 private:
  const Device* device_ = nullptr;
  void* data_ = nullptr;
  size_t n_bytes_ = 0;
  bool is_host_ = false;
};

/// One kernel launch, comparable with others. Every kernel takes one struct of parameters.
struct Launch {
  void* function = nullptr;
  std::array<int, 3> grid{1, 1, 1};
  int block = 0, shared_bytes = 0;
  size_t n_param_bytes = 0;
  alignas(8) std::array<std::byte, 448> params{};

  template <class Params>
  void set(const Params& p) {
    static_assert(std::is_trivially_copyable_v<Params> && sizeof(Params) <= sizeof(params));
    n_param_bytes = sizeof(Params);
    std::memcpy(params.data(), &p, sizeof(Params));
  }
  /// Runs for every launch of a decode step while the GPU waits, so it compares only used bytes.
  bool operator==(const Launch& other) const {
    return function == other.function && grid == other.grid && block == other.block &&
           shared_bytes == other.shared_bytes && n_param_bytes == other.n_param_bytes &&
           std::memcmp(params.data(), other.params.data(), n_param_bytes) == 0;
  }
};

class Device {
 public:
  Device(const GpuApi& api, const DeviceChoice& choice);
  ~Device();
  Device(const Device&) = delete;

  const GpuApi& api() const { return api_; }
  const DeviceChoice& choice() const { return choice_; }
  void* stream() const { return stream_; }
  /// Whether the GPU has failed to answer in time. From then on every call fails, and nothing is
  /// freed, since freeing would wait for the hanging kernel.
  bool is_lost() const { return is_lost_; }

  /// Free GPU memory, minus the desktop's share.
  size_t free_bytes() const;
  /// Zeroed memory. If it does not fit, the error says how much was requested and how much is free.
  Memory allocate(size_t n_bytes, const char* purpose);
  Memory allocate_host(size_t n_bytes);
  /// A kernel of the code object. Throws if it has none with this name.
  void* function(const std::string& name) const;

  /// Copy from and to any host memory; they return when the copy is done. (copy() does not wait.)
  void upload(void* to, const void* from, size_t n_bytes);
  void download(void* to, const void* from, size_t n_bytes);
  void copy(void* to, const void* from, size_t n_bytes, CopyKind kind);
  void launch(const Launch& launch);
  /// Waits until everything on the stream is done, or until the event has happened. Throws if the
  /// GPU does not answer in time.
  void wait();
  void wait_for(void* event);
  /// Waits until a kernel has written a value other than `unwritten` to this word of host memory,
  /// which is visible a little earlier than an event.
  void wait_for(uint32_t& word, uint32_t unwritten);
  /// If result is not 0, throws an error that says what failed.
  void check(int result, const char* what) const;
  /// Like attach(), for destructors: if it fails, freeing the memory fails as well.
  void attach_to_free() const;

 private:
  void destroy();
  /// Makes this the calling thread's device: a thread starts with device 0 (HIP) or none (CUDA).
  void attach() const;
  const GpuApi& api_;
  DeviceChoice choice_;
  const uint64_t id_;
  bool is_lost_ = false;
  void* stream_ = nullptr;
  void* event_ = nullptr;
  void* module_ = nullptr;
  Memory staging_;
};

/// A small, repeated upload from host to device. It runs on the stream; the host does not wait for
/// it.
class StagedUpload {
 public:
  StagedUpload(Device& device, size_t n_bytes);
  ~StagedUpload();
  StagedUpload(const StagedUpload&) = delete;

  /// Waits for the copy of the previous call, then starts this one and returns.
  void send(const void* from, size_t n_bytes);
  size_t n_bytes() const { return host_.n_bytes(); }
  /// The bytes' address on the device.
  template <class T>
  T* device() const {
    return memory_.as<T>();
  }

 private:
  Device& device_;
  Memory host_, memory_;
  void* sent_ = nullptr;
};

}  // namespace hearth::kernels::hip
