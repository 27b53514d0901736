#include "device.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "ops.h"
#include "wgsl.h"

namespace hearth::kernels::webgpu {
namespace {

constexpr size_t kStagingBytes = size_t{1} << 20, kAlignment = 256;
// The maximum size of an upload: wgpu keeps a copy of it until it is done.
constexpr size_t kUploadBytes = size_t{32} << 20;
constexpr size_t kMaxBindGroups = 20000;
// The desktop has to wait for a submit, and a slow one might take several times the average.
constexpr double kSubmitSeconds = 0.008;
// Bounds for max_work_, and the least work from which measure_work() estimates the GPU's speed.
constexpr size_t kMinWork = 512, kMaxWork = size_t{1} << 17, kMeasuredWork = 4096;
constexpr uint64_t kProbeBytes = uint64_t{256} << 20, kMinProbeBytes = uint64_t{8} << 20;

std::string text_of(StringView view) {
  if (!view.data) return {};
  return {view.data, view.length == SIZE_MAX ? std::strlen(view.data) : view.length};
}

size_t aligned(size_t n, size_t alignment) { return (n + alignment - 1) / alignment * alignment; }

}  // namespace

Memory::~Memory() {
  if (device_) device_->release(buffer_, n_bytes_);
}

size_t Device::KeyHash::operator()(const Key& key) const {
  uint64_t hash = 0xcbf29ce484222325;
  for (const uint64_t part : key) hash = (hash ^ part) * 0x100000001b3;
  return static_cast<size_t>(hash ^ hash >> 32);
}

Device::Device(const WgpuApi& api, DeviceChoice choice)
    : api_(api), choice_(std::move(choice)), prepared_(api) {
  api_.adapter_limits(choice_.adapter, &limits_);
  DeviceDescriptor descriptor;
  descriptor.limits = &limits_;
  descriptor.lost.user1 = this;
  descriptor.lost.callback = [](const Handle*, uint32_t, StringView, void* self, void*) {
    static_cast<Device*>(self)->is_lost_ = true;
  };
  descriptor.error.user1 = this;
  descriptor.error.callback = [](const Handle*, uint32_t, StringView message, void* self, void*) {
    auto& error = static_cast<Device*>(self)->error_;
    if (error.empty()) error = text_of(message);
  };
  struct Answer {
    Handle device = nullptr;
    std::string problem;
  } answer;
  CallbackInfo<DeviceCallback> callback;
  callback.user1 = &answer;
  callback.callback = [](uint32_t status, Handle device, StringView message, void* to, void*) {
    auto& answer = *static_cast<Answer*>(to);
    if (status == kSuccess)
      answer.device = device;
    else
      answer.problem = text_of(message);
  };
  api_.request_device(choice_.adapter, &descriptor, callback);
  if (!answer.device)
    throw std::runtime_error("the GPU " + choice_.name + " cannot be opened: " + answer.problem);
  device_ = answer.device;
  queue_ = api_.queue(device_);
  staging_ = allocate(kStagingBytes, "parameters");
}

Device::~Device() {
  try {
    if (!is_lost_) wait();
  } catch (const BackendError&) {
    // The device is lost, so there is nothing to wait for.
  }
  if (is_hung_) return;
  forget_groups();
  for (const auto& [key, pipeline] : pipelines_) api_.release_pipeline(pipeline);
  staging_ = {}, readback_ = {};
  api_.release_queue(queue_);
  api_.destroy_device(device_);
  api_.release_device(device_);
}

void Device::require_alive() {
  if (!is_lost_ && error_.empty()) return;
  if (choice_.on_lost) choice_.on_lost();
  throw BackendError("the GPU " + choice_.name + " has failed" +
                     (error_.empty() ? ": its driver has given it up" : ": " + error_));
}

void Device::begin_work() {
  if (!std::exchange(is_busy_, true) && choice_.on_busy) choice_.on_busy(true);
}

Handle Device::create_buffer(uint64_t usage, size_t n_bytes) {
  if (n_bytes > choice_.n_bytes - n_taken_) {
    error_ = "of " + std::to_string(choice_.n_bytes >> 20) + " MiB, " +
             std::to_string(n_taken_ >> 20) + " are in use";
    return nullptr;
  }
  BufferDescriptor descriptor;
  descriptor.usage = usage;
  descriptor.size = n_bytes;
  const Handle buffer = api_.create_buffer(device_, &descriptor);
  if (error_.empty()) return buffer;
  if (buffer) api_.release_buffer(buffer);
  return nullptr;
}

Memory Device::allocate(size_t n_bytes, const char* what) {
  require_alive();
  const size_t size = std::max(size_t{16}, aligned(n_bytes, 16));
  Handle buffer = nullptr;
  if (size > limits_.buffer_bytes)
    error_ = "its buffers have " + std::to_string(limits_.buffer_bytes >> 20) + " MiB at most";
  else
    buffer = create_buffer(kStorage | kCopySource | kCopyTarget, size);
  if (!buffer) {
    const std::string why = std::exchange(error_, {});
    api_.release_encoder(encoder());  // reports whether the device is lost
    require_alive();
    throw std::runtime_error("the GPU " + choice_.name + " has no room for " + what + " (" +
                             std::to_string(n_bytes >> 20) + " MiB): " + why +
                             "; choose a smaller model or lower hearth.cache.memoryMiB");
  }
  n_taken_ += size;
  return Memory(*this, buffer, size);
}

uint64_t Device::free_bytes(uint64_t wanted) {
  std::vector<Memory> tried;
  uint64_t n_free = 0;
  for (uint64_t piece = std::min(kProbeBytes, limits_.buffer_bytes); piece >= kMinProbeBytes;) {
    if (n_free >= wanted) break;
    const Handle buffer = create_buffer(kStorage, piece);
    if (!buffer) {
      error_.clear();
      piece /= 2;
      continue;
    }
    n_taken_ += piece;
    n_free += piece;
    tried.emplace_back(*this, buffer, piece);
  }
  return n_free;
}

void Device::release(Handle buffer, size_t n_bytes) {
  if (is_hung_) return;
  try {
    submit();  // pending dispatches might use it
  } catch (const BackendError&) {
    pending_.clear();
  }
  forget_groups();
  n_taken_ -= n_bytes;
  api_.destroy_buffer(buffer);
  api_.release_buffer(buffer);
}

void Device::forget_groups() {
  prepared_.forget();
  for (const auto& [key, group] : groups_) api_.release_bind_group(group);
  groups_.clear();
}

void Device::upload(Handle to, size_t offset, std::span<const std::byte> from) {
  submit();
  for (size_t done = 0; done < from.size(); done += kUploadBytes) {
    require_alive();
    const size_t n = std::min(kUploadBytes, from.size() - done);
    begin_work();
    api_.write_buffer(queue_, to, offset + done, from.data() + done, n);
    require_alive();
    if (from.size() > kUploadBytes) wait();
  }
}

Handle Device::encoder() {
  require_alive();
  return api_.create_encoder(device_, nullptr);
}

void Device::copy(Handle to, size_t to_offset, Handle from, size_t from_offset, size_t n_bytes) {
  pending_.push_back(Copy{to, to_offset, from, from_offset, n_bytes});
}

// Polls instead of using the library's own wait, which would never end if the driver hangs.
template <class Condition>
void Device::wait_until(Condition is_over) {
  RunningTime time(choice_.patience);
  while (!is_over(api_.poll(device_, 0, nullptr))) {
    if (is_lost_) return;
    const auto waited = time.step();
    if (waited > choice_.patience) {
      is_lost_ = is_hung_ = true;
      error_ = "it did not answer for " + std::to_string(choice_.patience.count()) + " ms";
      require_alive();
    }
    if (waited > choice_.spin) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void Device::download(std::span<std::byte> to, Handle from, size_t offset) {
  if (to.empty()) return wait();
  if (readback_.n_bytes() < to.size()) {
    readback_ = {};
    const size_t size = aligned(to.size(), 256);
    const Handle buffer = create_buffer(kMapRead | kCopyTarget, size);
    require_alive();
    n_taken_ += size;
    readback_ = Memory(*this, buffer, size);
  }
  copy(readback_.buffer(), 0, from, offset, to.size());
  submit();
  uint32_t status = 0;
  CallbackInfo<MapCallback> callback;
  callback.user1 = &status;
  callback.callback = [](uint32_t result, StringView, void* to, void*) {
    *static_cast<uint32_t*>(to) = result;
  };
  api_.map(readback_.buffer(), 1, 0, aligned(to.size(), 4), callback);
  wait();
  wait_until([&](bool) { return status != 0; });
  if (status != kSuccess) is_lost_ = true;
  require_alive();
  std::memcpy(to.data(), api_.mapped_range(readback_.buffer(), 0, aligned(to.size(), 4)),
              to.size());
  api_.unmap(readback_.buffer());
}

Handle Device::pipeline(const Files& files, const Constants& constants) {
  Key key;
  key.reserve(files.size() + 2 * constants.size());
  for (const char* file : files) key.push_back(reinterpret_cast<uintptr_t>(file));
  for (const auto& [name, value] : constants)
    key.insert(key.end(), {reinterpret_cast<uintptr_t>(name), static_cast<uint64_t>(value)});
  Handle& known = known_pipelines_[std::move(key)];
  if (!known) known = compile(files, constants);
  return known;
}

Handle Device::compile(const Files& files, const Constants& constants) {
  std::string key;
  for (const char* file : files) (key += file) += ' ';
  for (const auto& [name, value] : constants) ((key += name) += '=') += std::to_string(value) + ' ';
  if (const auto known = pipelines_.find(key); known != pipelines_.end()) return known->second;
  const std::string text = wgsl(files, constants);
  WgslSource source;
  source.code = {text.data(), text.size()};
  ModuleDescriptor module_descriptor;
  module_descriptor.next = &source;
  require_alive();
  const Handle module = api_.create_module(device_, &module_descriptor, 0);
  PipelineDescriptor descriptor;
  descriptor.module = module;
  descriptor.entry_point = {"main", 4};
  const Handle pipeline = error_.empty() ? api_.create_pipeline(device_, &descriptor) : nullptr;
  if (!error_.empty()) error_ = "kernel " + key + "\n" + error_;
  require_alive();
  api_.release_module(module);
  has_compiled_ = true;
  return pipelines_[key] = pipeline;
}

uint64_t Device::stage(std::span<const std::byte> bytes) {
  const size_t size = aligned(bytes.size(), kAlignment);
  if (staged_.size() + size > kStagingBytes) {
    wait();
    if (size > kStagingBytes) throw std::invalid_argument("too many rows at once for the GPU");
  }
  const size_t at = staged_.size();
  staged_.resize(at + size);
  std::memcpy(staged_.data() + at, bytes.data(), bytes.size());
  return at;
}

Handle Device::group(Handle pipeline, const std::vector<Binding>& bindings) {
  Key key{reinterpret_cast<uintptr_t>(pipeline)};
  for (const Binding& b : bindings) {
    key.push_back(reinterpret_cast<uintptr_t>(b.buffer));
    key.insert(key.end(), {b.offset, b.n_bytes, b.at});
  }
  if (const auto known = groups_.find(key); known != groups_.end()) return known->second;
  std::vector<BindGroupEntry> entries;
  for (const Binding& b : bindings)
    entries.push_back({nullptr, b.at, b.buffer, b.offset, b.n_bytes, nullptr, nullptr});
  BindGroupDescriptor descriptor;
  descriptor.layout = api_.pipeline_layout(pipeline, 0);
  descriptor.n_entries = entries.size();
  descriptor.entries = entries.data();
  require_alive();
  const Handle created = api_.create_bind_group(device_, &descriptor);
  api_.release_layout(descriptor.layout);
  require_alive();
  return groups_[std::move(key)] = created;
}

void Device::add(Handle pipeline, std::vector<Binding> bindings, std::span<const std::byte> params,
                 std::array<uint32_t, 3> grid, std::span<const uint32_t> list) {
  const size_t list_bytes = list.size_bytes();
  // Wait before this dispatch's parameters are staged, because a wait clears staged parameters.
  if (groups_.size() >= kMaxBindGroups) wait(), forget_groups();
  if (staged_.size() + 2 * kAlignment + list_bytes > kStagingBytes) wait();
  bindings.push_back({2, staging_.buffer(), stage(params), kAlignment});
  if (!list.empty())
    bindings.push_back(
        {11, staging_.buffer(), stage(std::as_bytes(list)), aligned(list_bytes, kAlignment)});
  pending_.push_back(Dispatch{pipeline, group(pipeline, bindings), grid});
}

void Device::add_work(size_t n) {
  if (n_work_ == 0) work_since_ = std::chrono::steady_clock::now();
  n_work_ += n;
  n_pending_work_ += n;
  if (n_pending_work_ >= max_work_) submit();
}

void Device::measure_work() {
  const size_t n = std::exchange(n_work_, 0);
  if (std::exchange(has_compiled_, false) || n < kMeasuredWork) return;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - work_since_;
  const double wanted_work = kSubmitSeconds / took.count() * static_cast<double>(n);
  max_work_ =
      std::clamp(static_cast<size_t>(std::min(wanted_work, 4.0 * static_cast<double>(max_work_))),
                 kMinWork, kMaxWork);
}

// Writes to staging_ only if its content changes: each write costs the GPU another command buffer,
// and most tokens have the same parameters as the previous token.
void Device::send_staged() {
  const auto unsent = std::span(staged_).subspan(n_sent_);
  sent_.resize(std::max(sent_.size(), staged_.size()));
  const auto on_gpu = sent_.begin() + static_cast<ptrdiff_t>(n_sent_);
  if (!std::equal(unsent.begin(), unsent.end(), on_gpu)) {
    api_.write_buffer(queue_, staging_.buffer(), n_sent_, unsent.data(), unsent.size());
    std::copy(unsent.begin(), unsent.end(), on_gpu);
  }
  n_sent_ = staged_.size();
}

void Device::submit() {
  n_pending_work_ = 0;
  if (pending_.empty()) return;
  require_alive();
  begin_work();
  send_staged();
  Commands commands = std::exchange(pending_, {});
  Handle buffer = prepared_.take(commands);
  if (buffer)
    api_.release_encoder(encoder());  // reports whether the device is lost
  else
    buffer = encode(api_, encoder(), commands);
  require_alive();  // an invalid command buffer would end the process, too
  api_.submit(queue_, 1, &buffer);
  api_.release_commands(buffer);
}

void Device::wait() {
  submit();
  require_alive();
  prepared_.end_step([this](const Commands& step) { return encode(api_, encoder(), step); });
  wait_until([](bool is_done) { return is_done; });
  measure_work();
  staged_.clear();
  n_sent_ = 0;
  if (std::exchange(is_busy_, false) && choice_.on_busy) choice_.on_busy(false);
  require_alive();
}

}  // namespace hearth::kernels::webgpu
