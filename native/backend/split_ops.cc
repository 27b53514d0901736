#include "split_ops.h"

#include <algorithm>

namespace hearth {
namespace {

/// The layers [first, first + n) of a shape.
kernels::AttentionShape layers_of(kernels::AttentionShape shape, int first, int n) {
  const auto keep = [&](auto& values) {
    if (values.empty()) return;
    const auto row = static_cast<ptrdiff_t>(values.size()) / shape.n_layers;
    values = {values.begin() + first * row, values.begin() + (first + n) * row};
  };
  keep(shape.q_norms);
  keep(shape.k_norms);
  keep(shape.is_sliding);
  shape.n_layers = n;
  return shape;
}

}  // namespace

class SplitOps::SplitBuffer final : public kernels::Buffer {
 public:
  SplitBuffer(SplitOps& ops, size_t n)
      : ops_(ops), cpu_(ops.cpu_->buffer(n)), gpu_(ops.gpu_->buffer(n)) {
    data = cpu_->data;
    n_floats = n;
    ops.buffers_[data] = gpu_->data;
  }
  ~SplitBuffer() override { ops_.buffers_.erase(data); }

 private:
  SplitOps& ops_;
  std::unique_ptr<kernels::Buffer> cpu_, gpu_;
};

SplitOps::SplitOps(std::unique_ptr<kernels::Ops> cpu, std::unique_ptr<kernels::Ops> gpu,
                   int n_layers, int n_cpu_layers)
    : cpu_(std::move(cpu)),
      gpu_(std::move(gpu)),
      n_layers_(n_layers),
      n_cpu_layers_(n_cpu_layers) {}

std::string SplitOps::description() const {
  return gpu_->description() + " for " + std::to_string(n_layers_ - n_cpu_layers_) + " of " +
         std::to_string(n_layers_) + " layers, " + cpu_->description() + " for the others";
}

void SplitOps::require_support(const kernels::ModelShape& shape) const {
  cpu_->require_support(shape);
  gpu_->require_support(shape);
}

void SplitOps::wait() { gpu_->wait(); }

float* SplitOps::on_gpu(const float* pointer) const {
  if (!pointer) return nullptr;
  const auto& [begin, there] = *std::prev(buffers_.upper_bound(pointer));
  return there + (pointer - begin);
}

float* SplitOps::at(const float* pointer) const {
  return on_gpu_ ? on_gpu(pointer) : const_cast<float*>(pointer);
}

// --- memory ---

void SplitOps::begin_layer(int layer) {
  layer_ = layer;
  on_gpu_ = layer >= n_cpu_layers_;
}

std::unique_ptr<kernels::Matrix> SplitOps::pack(std::span<const kernels::MatrixSource> sources) {
  if (layer_ == n_layers_) is_head_on_gpu_ = true;
  return here().pack(sources);
}

std::unique_ptr<kernels::LowRank> SplitOps::pack_low_rank(
    int n_cols, std::span<const kernels::LowRankSource> sources) {
  return here().pack_low_rank(n_cols, sources);
}

std::unique_ptr<kernels::Buffer> SplitOps::buffer(size_t n_floats) {
  return std::make_unique<SplitBuffer>(*this, n_floats);
}

void SplitOps::write(float* destination, std::span<const float> source) {
  cpu_->write(destination, source);
  gpu_->write(on_gpu(destination), source);
}

void SplitOps::read(std::span<float> destination, const float* source) {
  here().read(destination, at(source));
}

void SplitOps::make_kv_pool(const kernels::AttentionShape& shape, int n_pages) {
  cpu_->make_kv_pool(layers_of(shape, 0, n_cpu_layers_), n_pages);
  gpu_->make_kv_pool(layers_of(shape, n_cpu_layers_, n_layers_ - n_cpu_layers_), n_pages);
}

size_t SplitOps::kv_page_bytes() const { return cpu_->kv_page_bytes() + gpu_->kv_page_bytes(); }

void SplitOps::copy_page(int to, int from, int n_positions) {
  cpu_->copy_page(to, from, n_positions);
  gpu_->copy_page(to, from, n_positions);
}

void SplitOps::read_page(std::span<std::byte> destination, int page) {
  const size_t n = cpu_->kv_page_bytes();
  cpu_->read_page(destination.first(n), page);
  gpu_->read_page(destination.subspan(n), page);
}

void SplitOps::write_page(int page, std::span<const std::byte> source) {
  const size_t n = cpu_->kv_page_bytes();
  cpu_->write_page(page, source.first(n));
  gpu_->write_page(page, source.subspan(n));
}

// --- one step ---

void SplitOps::begin(const kernels::Batch& batch) {
  for (kernels::Ops* ops : {cpu_.get(), gpu_.get()}) {
    ops->cancel = cancel;
    ops->residual_scale = residual_scale;
    ops->begin(batch);
  }
  on_gpu_ = false;
  n_tokens_ = batch.size();
}

void SplitOps::embed(const kernels::Matrix& table, float* x) { cpu_->embed(table, x); }

void SplitOps::move_to_gpu(const float* x, int n_cols) {
  on_gpu_ = true;
  gpu_->write(on_gpu(x), {x, static_cast<size_t>(n_tokens_) * n_cols});
}

/// Moves the residual stream to the side where the head is.
void SplitOps::move_to_head(const float* x, int n_cols) {
  if (!on_gpu_ || is_head_on_gpu_) return;
  gpu_->read({const_cast<float*>(x), static_cast<size_t>(n_tokens_) * n_cols}, on_gpu(x));
  on_gpu_ = false;
}

void SplitOps::norm_qkv(int layer, const float* norm, float eps, const kernels::Weights& qkv,
                        const float* bias, const float* x, float* q) {
  if (layer == n_cpu_layers_) move_to_gpu(x, qkv.matrix.n_cols);
  here().norm_qkv(layer_here(layer), at(norm), eps, qkv, at(bias), at(x), at(q));
}

kernels::ProductInput SplitOps::attention(int layer, const float* q, float* out,
                                          const kernels::Matrix* next) {
  return {out, here().attention(layer_here(layer), at(q), at(out), next).is_quantized};
}

void SplitOps::matmul_add(const kernels::Weights& w, kernels::ProductInput in, float* x) {
  here().matmul_add(w, {at(in.data), in.is_quantized}, at(x));
}

kernels::ProductInput SplitOps::norm_gate_up(const float* norm, float eps,
                                             const kernels::Weights& gate_up, const float* x,
                                             float* h, const kernels::Matrix* next) {
  return {h, here().norm_gate_up(at(norm), eps, gate_up, at(x), at(h), next).is_quantized};
}

size_t SplitOps::n_route_floats(const kernels::Experts& experts) const {
  return std::max(cpu_->n_route_floats(experts), gpu_->n_route_floats(experts));
}

void SplitOps::norm_route(const float* norm, float eps, const kernels::Experts& experts,
                          const float* x, float* routes) {
  here().norm_route(at(norm), eps, experts, at(x), at(routes));
}

void SplitOps::norm_gate_up_experts(const float* norm, float eps, const kernels::Experts& experts,
                                    const float* routes, const float* x, float* h) {
  here().norm_gate_up_experts(at(norm), eps, experts, at(routes), at(x), at(h));
}

void SplitOps::add_experts(const kernels::Experts& experts, const float* routes, const float* h,
                           float* x) {
  here().add_experts(experts, at(routes), at(h), at(x));
}

void SplitOps::norm_head(const float* norm, float eps, const kernels::Matrix& head, const float* x,
                         std::span<const int32_t> rows, float* logits) {
  move_to_head(x, head.n_cols);
  here().norm_head(at(norm), eps, head, at(x), rows, at(logits));
}

void SplitOps::norm_head_candidates(const float* norm, float eps, const kernels::Matrix& head,
                                    const float* x, int32_t row,
                                    std::span<const uint32_t> candidates, float* logits) {
  move_to_head(x, head.n_cols);
  here().norm_head_candidates(at(norm), eps, head, at(x), row, candidates, at(logits));
}

void SplitOps::argmax(const float* logits, int n_rows, int n_vocab,
                      std::span<kernels::Argmax> out) {
  here().argmax(at(logits), n_rows, n_vocab, out);
}

}  // namespace hearth
