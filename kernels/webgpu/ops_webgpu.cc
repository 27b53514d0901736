// WebgpuOps: memory, KV pages, and the batch. products.cc has the products, ops_webgpu_step.cc the
// ops of a step.
#include "ops_webgpu.h"

#include <algorithm>
#include <stdexcept>

#include "rope_table.h"

namespace hearth::kernels::webgpu {
namespace {

// The maximum number of page ids in a batch: enough for 256 sequences of 32,768 positions.
constexpr size_t kMaxPageIds = size_t{256} * 1024;
// The memory for attention's parts. If the parts of a batch do not fit, attention computes its
// tokens in several rounds.
constexpr size_t kPartBytes = size_t{32} << 20;
constexpr int kMaxSegments = 4;  // pages_*_four.wgsl

class WebgpuBuffer : public Buffer {
 public:
  WebgpuBuffer(Memory memory, Addresses& addresses, size_t n)
      : memory_(std::move(memory)), addresses_(addresses) {
    data = addresses_.add(memory_.buffer(), memory_.n_bytes());
    n_floats = n;
  }
  ~WebgpuBuffer() override { addresses_.remove(data); }

 private:
  Memory memory_;
  Addresses& addresses_;
};

}  // namespace

float* Addresses::add(Handle buffer, size_t n_bytes) {
  const uintptr_t address = next_;
  next_ += (n_bytes + 4096) / 4096 * 4096 + 4096;
  buffers_[address] = {buffer, n_bytes};
  return reinterpret_cast<float*>(address);
}

Addresses::Place Addresses::find(const float* address) const {
  const auto at = reinterpret_cast<uintptr_t>(address);
  auto found = buffers_.upper_bound(at);
  if (found == buffers_.begin()) throw std::logic_error("no buffer of this GPU");
  --found;
  if (at - found->first >= found->second.second) throw std::logic_error("past a buffer's end");
  return {found->second.first, at - found->first, found->second.second};
}

WebgpuOps::WebgpuOps(std::shared_ptr<Device> device, uint64_t free_bytes)
    : shared_device_(std::move(device)), device_(*shared_device_), free_bytes_(free_bytes) {
  batch_ = device_.allocate((3 * kMaxBatch + kMaxPageIds) * sizeof(uint32_t), "the batch");
}

void WebgpuOps::require_support(const ModelShape& shape) const {
  const AttentionShape& attention = shape.attention;
  if (shape.n_experts > 0)
    throw std::runtime_error("mixtures of experts do not run with WebGPU yet");
  if (!attention.is_sliding.empty())
    throw std::runtime_error("sliding windows do not run with WebGPU yet");
  if (shape.has_adapters) throw std::runtime_error("adapters do not run with WebGPU yet");
  if (attention.kv_type != KvType::kF16)
    throw std::runtime_error("a KV cache of int8 is for the CPU only (the GPU kernels know f16)");
}

std::unique_ptr<Matrix> WebgpuOps::pack(std::span<const MatrixSource> sources) {
  auto matrix = pack_matrix(device_, sources);
  const bool has_floats = std::any_of(matrix->strips.begin(), matrix->strips.end(),
                                      [](const Strip& strip) { return !strip.layout.file; });
  make_workspace(matrix->n_cols, has_floats);
  return matrix;
}

void WebgpuOps::make_workspace(int n_cols, bool with_floats) {
  const bool had_floats = input_floats_.n_bytes() > 16;
  if (n_cols <= workspace_cols_ && (had_floats || !with_floats)) return;
  workspace_cols_ = std::max(workspace_cols_, n_cols);
  const size_t n = size_t{kMaxBatch} * ((workspace_cols_ + 63) / 64 * 64);
  device_.wait();
  input_codes_ = device_.allocate(n, "activations");
  input_scales_ = device_.allocate(n / 32 * 8, "activations");
  input_floats_ =
      device_.allocate(with_floats || had_floats ? n * sizeof(float) : 16, "activations");
}

void WebgpuOps::make_wide(int n_cols) {
  const size_t n_bytes = size_t{kMaxBatch} * n_cols * sizeof(float);
  if (wide_.n_bytes() < n_bytes) wide_ = device_.allocate(n_bytes, "activations");
}

std::unique_ptr<Buffer> WebgpuOps::buffer(size_t n_floats) {
  return std::make_unique<WebgpuBuffer>(device_.allocate(n_floats * sizeof(float), "a buffer"),
                                        addresses_, n_floats);
}

void WebgpuOps::write(float* destination, std::span<const float> source) {
  const Addresses::Place to = addresses_.find(destination);
  device_.upload(to.buffer, to.offset, std::as_bytes(source));
}

void WebgpuOps::read(std::span<float> destination, const float* source) {
  const Addresses::Place from = addresses_.find(source);
  device_.download(std::as_writable_bytes(destination), from.buffer, from.offset);
}

void WebgpuOps::make_kv_pool(const AttentionShape& shape, int n_pages) {
  shape_ = shape;
  const size_t n_bytes = layer_page_bytes();
  const uint64_t max_bytes = std::min(
      {device_.limits().storage_bytes, device_.limits().buffer_bytes, device_.choice().page_bytes});
  segment_pages_ = static_cast<int>(std::min<uint64_t>(n_pages, max_bytes / n_bytes));
  if (n_pages > kMaxSegments * segment_pages_)
    throw std::runtime_error("the GPU's driver gives a kernel no more than " +
                             std::to_string(kMaxSegments * shape.n_layers * max_bytes >> 20) +
                             " MiB of the KV cache; lower hearth.cache.memoryMiB");
  kv_.clear();
  kv_.resize(shape.n_layers);
  for (std::vector<Memory>& segments : kv_)
    for (int first = 0; first < n_pages; first += segment_pages_)
      segments.push_back(
          device_.allocate(n_bytes * std::min(segment_pages_, n_pages - first), "the KV cache"));
  page_ = device_.allocate(kv_page_bytes(), "a page");
  const std::vector<float> angles = rope_table(shape, false);
  cos_sin_ = device_.allocate(angles.size() * sizeof(float), "the RoPE table");
  device_.upload(cos_sin_.buffer(), 0, std::as_bytes(std::span(angles)));
  std::vector<float> norms;
  for (int layer = 0; !shape.q_norms.empty() && layer < shape.n_layers; layer++)
    for (const std::vector<float>* each : {&shape.q_norms, &shape.k_norms})
      norms.insert(norms.end(), each->begin() + layer * shape.head_dim,
                   each->begin() + (layer + 1) * shape.head_dim);
  head_norms_ = device_.allocate(norms.size() * sizeof(float), "norms of heads");
  if (!norms.empty()) device_.upload(head_norms_.buffer(), 0, std::as_bytes(std::span(norms)));
  const size_t parts = (static_cast<size_t>(shape.max_positions) + 63) / 64 * shape.n_heads;
  const size_t values = std::max(kPartBytes / sizeof(float), parts * shape.head_dim);
  part_sums_ = device_.allocate(values * sizeof(float), "attention");
  part_ends_ = device_.allocate(values / shape.head_dim * 2 * sizeof(float), "attention");
  make_workspace(shape.n_heads * shape.head_dim, false);
}

Addresses::Place WebgpuOps::page_place(size_t layer, int page) const {
  const Memory& segment = kv_[layer][page / segment_pages_];
  return {segment.buffer(), page % segment_pages_ * layer_page_bytes(), segment.n_bytes()};
}

void WebgpuOps::bind_pages(int layer, std::span<const uint32_t> at,
                           std::vector<Binding>& bindings) const {
  const std::vector<Memory>& segments = kv_[layer];
  // Each binding needs a buffer, even if it is for pages that do not exist.
  for (size_t i = 0; i < (has_segments() ? at.size() : 1); i++)
    bindings.push_back(bind(at[i], segments[std::min(i, segments.size() - 1)]));
}

// WebGPU copies only from one buffer to another, so a copy within a layer's buffer goes through
// page_.
void WebgpuOps::copy_page(int to, int from, int) {
  const size_t n = layer_page_bytes();
  for (size_t layer = 0; layer < kv_.size(); layer++) {
    const Addresses::Place source = page_place(layer, from), target = page_place(layer, to);
    device_.copy(page_.buffer(), 0, source.buffer, source.offset, n);
    device_.copy(target.buffer, target.offset, page_.buffer(), 0, n);
  }
}

// For read_page() and write_page(), a page's bytes are those of its layers, concatenated.
void WebgpuOps::read_page(std::span<std::byte> destination, int page) {
  const size_t n = layer_page_bytes();
  for (size_t layer = 0; layer < kv_.size(); layer++) {
    const Addresses::Place source = page_place(layer, page);
    device_.copy(page_.buffer(), layer * n, source.buffer, source.offset, n);
  }
  device_.download(destination, page_.buffer(), 0);
}

void WebgpuOps::write_page(int page, std::span<const std::byte> source) {
  const size_t n = layer_page_bytes();
  for (size_t layer = 0; layer < kv_.size(); layer++) {
    const Addresses::Place target = page_place(layer, page);
    device_.upload(target.buffer, target.offset, source.subspan(layer * n, n));
  }
}

void WebgpuOps::begin(const Batch& batch) {
  n_ = batch.size();
  next_ = {};
  max_positions_ = 0;
  std::vector<uint32_t> ints(batch.tokens.begin(), batch.tokens.end());
  std::vector<uint32_t> starts, ids;
  for (const auto& table : batch.page_tables) {
    starts.push_back(static_cast<uint32_t>(3 * n_ + ids.size()));
    ids.insert(ids.end(), table.begin(), table.end());
  }
  if (ids.size() > kMaxPageIds)
    throw std::invalid_argument("too many pages in one batch for the GPU");
  for (const int32_t position : batch.positions) {
    ints.push_back(static_cast<uint32_t>(position));
    max_positions_ = std::max(max_positions_, position + 1);
  }
  for (const int32_t sequence : batch.sequences) ints.push_back(starts[sequence]);
  ints.insert(ints.end(), ids.begin(), ids.end());
  device_.upload(batch_.buffer(), 0, std::as_bytes(std::span(ints)));
  max_parts_ = (max_positions_ + 63) / 64;
}

}  // namespace hearth::kernels::webgpu
