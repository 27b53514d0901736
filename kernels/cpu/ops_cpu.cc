// CpuOps: owns memory and prepares batches. The arithmetic of a step is in ops_cpu_step.cc.
#include <cstring>

#include "cpu_ops.h"

namespace hearth::kernels::cpu {
namespace {

class CpuBuffer final : public Buffer {
 public:
  explicit CpuBuffer(size_t n) : arena_(n * sizeof(float)) {
    data = reinterpret_cast<float*>(arena_.data());
    n_floats = n;
  }

 private:
  Arena arena_;
};

}  // namespace

CpuOps::CpuOps(const RowKernels& kernels, int n_threads)
    : kernels_(kernels), pool_(n_threads), workspace_(pool_.n_threads()) {}

std::string CpuOps::description() const {
  const int n = pool_.n_threads();
  return std::string("cpu ") + kernels_.name + ", " + std::to_string(n) +
         (n == 1 ? " thread" : " threads");
}

std::unique_ptr<Matrix> CpuOps::pack(std::span<const MatrixSource> sources) {
  auto matrix = std::make_unique<PackedMatrix>(kernels_, pool_, slabs_, sources);
  workspace_.reserve(matrix->n_cols);
  return matrix;
}

std::unique_ptr<Buffer> CpuOps::buffer(size_t n_floats) {
  return std::make_unique<CpuBuffer>(n_floats);
}

void CpuOps::write(float* destination, std::span<const float> source) {
  std::memcpy(destination, source.data(), source.size_bytes());
}

void CpuOps::read(std::span<float> destination, const float* source) {
  std::memcpy(destination.data(), source, destination.size_bytes());
}

void CpuOps::make_kv_pool(const AttentionShape& shape, int n_pages) {
  attention_.emplace(kernels_, shape, n_pages, pool_.n_threads());
}

size_t CpuOps::kv_page_bytes() const { return attention_->pool().page_bytes(); }

void CpuOps::copy_page(int to, int from, int n_positions) {
  pool_.parallel_for(attention_->shape().n_layers, [&](int layer, int) {
    attention_->pool().copy_layer(to, from, layer, n_positions);
  });
}

void CpuOps::read_page(std::span<std::byte> destination, int page) {
  std::memcpy(destination.data(), attention_->pool().page(page), kv_page_bytes());
}

void CpuOps::write_page(int page, std::span<const std::byte> source) {
  std::memcpy(attention_->pool().page(page), source.data(), kv_page_bytes());
}

}  // namespace hearth::kernels::cpu
