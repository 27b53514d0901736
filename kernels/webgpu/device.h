// One GPU, used through wgpu-native: memory, pipelines, and dispatches, which are collected and
// submitted together. A submit to a lost device would end the process, so each submit first checks
// the device. Since the device might be lost right after the check, DeviceChoice::on_busy lets the
// caller keep a mark on disk while the GPU has work.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "commands.h"
#include "running_time.h"
#include "wgpu_api.h"

namespace hearth::kernels::webgpu {

struct DeviceChoice {
  std::string name;
  Handle adapter = nullptr;           // WebGPU's word for a GPU; the caller owns it
  std::function<void(bool)> on_busy;  // true before the GPU gets work, false when it has none
  std::function<void()> on_lost;
  std::chrono::milliseconds patience = kPatience;  // a GPU that takes longer counts as hung
  std::chrono::milliseconds spin = kSpin;
  uint64_t n_bytes = UINT64_MAX;     // the limit for the memory that the Device allocates
  uint64_t page_bytes = UINT64_MAX;  // the limit for KV pages in a binding
};

/// The units of work (Device::add_work) of a submit until the GPU's speed has been measured.
inline constexpr size_t kFirstWork = 2048;

class Device;

/// A buffer on the GPU. The object owns it.
class Memory {
 public:
  Memory() = default;
  Memory(Device& device, Handle buffer, size_t n_bytes)
      : device_(&device), buffer_(buffer), n_bytes_(n_bytes) {}
  Memory(Memory&& other) noexcept { *this = std::move(other); }
  Memory& operator=(Memory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(buffer_, other.buffer_);
    std::swap(n_bytes_, other.n_bytes_);
    return *this;
  }
  ~Memory();
  Handle buffer() const { return buffer_; }
  size_t n_bytes() const { return n_bytes_; }

 private:
  Device* device_ = nullptr;
  Handle buffer_ = nullptr;
  size_t n_bytes_ = 0;
};

/// A part of a buffer, bound to a kernel's binding number `at`.
struct Binding {
  uint32_t at = 0;
  Handle buffer = nullptr;
  uint64_t offset = 0;
  uint64_t n_bytes = 0;
};

using Constants = std::vector<std::pair<const char*, long>>;
using Files = std::vector<const char*>;

class Device {
 public:
  Device(const WgpuApi& api, DeviceChoice choice);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceChoice& choice() const { return choice_; }
  const Limits& limits() const { return limits_; }
  Handle handle() const { return device_; }

  /// Allocates zeroed memory. If there is no room, throws std::runtime_error, whose message says
  /// `what` the memory is for.
  Memory allocate(size_t n_bytes, const char* what);
  /// Returns the number of free bytes, at most `wanted`. WebGPU has no query for this, so it
  /// allocates them and frees them again.
  uint64_t free_bytes(uint64_t wanted);
  void upload(Handle to, size_t offset, std::span<const std::byte> from);
  /// Runs everything that has been added, then copies from the GPU to the host.
  void download(std::span<std::byte> to, Handle from, size_t offset);
  /// Adds a copy between two buffers.
  void copy(Handle to, size_t to_offset, Handle from, size_t from_offset, size_t n_bytes);

  /// The kernel that consists of these constants and files. It is compiled at its first use.
  Handle pipeline(const Files& files, const Constants& constants);
  /// Adds a dispatch. params has at most 256 bytes and gets binding number 2; list, unless it is
  /// empty, gets 11.
  void add(Handle pipeline, std::vector<Binding> bindings, std::span<const std::byte> params,
           std::array<uint32_t, 3> grid, std::span<const uint32_t> list = {});
  /// Counts the dispatches just added as n units of work (the caller chooses the unit). Submits all
  /// pending work if it would keep this GPU busy for a few milliseconds.
  void add_work(size_t n);
  size_t n_pending() const { return pending_.size(); }
  void submit();
  void wait();
  void release(Handle buffer, size_t n_bytes);

 private:
  using Key = std::vector<uint64_t>;
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  /// If there is no room, returns null and sets error_.
  Handle create_buffer(uint64_t usage, size_t n_bytes);
  void require_alive();
  /// Waits until is_over(is_idle) returns true (is_idle: whether the GPU has no work) or the device
  /// is lost.
  template <class Condition>
  void wait_until(Condition is_over);
  void begin_work();
  /// Computes max_work_ from the time that the work since the last wait has taken.
  void measure_work();
  uint64_t stage(std::span<const std::byte> bytes);
  void send_staged();
  Handle compile(const Files& files, const Constants& constants);
  Handle group(Handle pipeline, const std::vector<Binding>& bindings);
  void forget_groups();
  Handle encoder();

  const WgpuApi& api_;
  DeviceChoice choice_;
  Limits limits_{};
  Handle device_ = nullptr, queue_ = nullptr;
  std::atomic<bool> is_lost_ = false;
  bool is_hung_ = false;  // if true, nothing is freed, since freeing would wait
  std::string error_;
  uint64_t n_taken_ = 0;  // bytes of GPU memory in use
  bool is_busy_ = false;
  Commands pending_;
  // Units of work: not yet submitted; in total since the last wait.
  size_t n_pending_work_ = 0, n_work_ = 0;
  size_t max_work_ = kFirstWork;                      // the limit for the units of work in a submit
  std::chrono::steady_clock::time_point work_since_;  // when n_work_ became more than 0
  bool has_compiled_ = false;                         // since the last wait
  PreparedCommands prepared_;
  Memory staging_, readback_;
  std::vector<std::byte> staged_;  // parameters and lists since the last wait
  size_t n_sent_ = 0;              // bytes of staged_ that have been sent to staging_
  std::vector<std::byte> sent_;    // the content of staging_
  std::map<std::string, Handle> pipelines_;
  std::unordered_map<Key, Handle, KeyHash> known_pipelines_;  // keys: addresses of names, values
  std::unordered_map<Key, Handle, KeyHash> groups_;
};

}  // namespace hearth::kernels::webgpu
