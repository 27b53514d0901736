#include "gpu_memory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "gguf/gguf.h"
#include "gpu/backend.h"

namespace hearth {
namespace {

/// The bytes of a tensor's matrix or, for a tensor of experts, of all its matrices.
uint64_t matrix_bytes(const GgufTensor& tensor, const std::string& backend) {
  const uint64_t n_matrices = tensor.shape.size() > 2 ? tensor.shape[2] : 1;
  return n_matrices * gpu::packed_bytes(backend, tensor.type, static_cast<int>(tensor.shape[1]),
                                        static_cast<int>(tensor.shape[0]));
}

/// Maps the tensors of a layer that are packed as one matrix (model.cc) to one name: q, k and v;
/// gate and up.
std::string matrix_of(const std::string& name) {
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  const std::string layer = name.substr(0, name.find('.', 4));
  if (has(".attn_q") || has(".attn_k") || has(".attn_v")) return layer + ".qkv";
  if (has(".ffn_up") || (has(".ffn_gate") && !has(".ffn_gate_inp"))) return layer + ".gate_up";
  return name;
}

}  // namespace

uint64_t gpu_workspace_bytes(const ModelConfig& config, uint64_t n_positions,
                             const std::string& backend) {
  constexpr uint64_t kBatch = kernels::kMaxBatch, kFloat = sizeof(float);
  const auto padded = [](uint64_t n) { return (n + 63) / 64 * 64; };
  const uint64_t n_embd = config.n_embd, n_q = config.n_q(), n_ff = config.n_ff;
  const uint64_t widest = padded(std::max({n_embd, n_q, n_ff}));
  const uint64_t n_used = config.n_experts_used, n_rows = kBatch * n_used;  // rows of experts
  // Attention parts of 256 positions: four for each token of a full batch or, for eight tokens, all
  // of them, doubled because their number is rounded up to a power of two.
  const uint64_t n_parts = std::max(4 * kBatch, 16 * (n_positions / 256 + 1));
  const bool is_webgpu = backend == "webgpu";
  const uint64_t sizes[] = {
      // The residual stream, q, attention, h, logits.
      kBatch * n_embd * kFloat,
      kBatch * n_q * kFloat,
      kBatch * n_q * kFloat,
      kBatch * n_ff * std::max<uint64_t>(n_used, 1) * kFloat,
      uint64_t{16} * config.n_vocab * kFloat,
      // Inputs of products: floats; int8 with scales, twice; the remainders of rounding to int8;
      // sums.
      kBatch * widest * kFloat,
      2 * kBatch * widest,
      kBatch * widest,
      2 * kBatch * widest / 4,
      kBatch * widest / 4,
      kBatch * widest / 4,
      // Attention: parts, each with its maximum and sum; q, k and v before head norms; RoPE tables.
      n_parts * config.n_heads * (config.head_dim + 2) * kFloat,
      kBatch * (n_q + 2 * config.n_kv()) * kFloat,
      n_positions * config.head_dim * kFloat,
      config.is_sliding.empty() ? 0 : n_positions * config.head_dim * kFloat,
      // Experts: inputs of the down product, results, the router's logits, routes and the plan.
      n_rows * padded(n_ff),
      n_rows * padded(n_ff) / 2,
      n_rows * n_embd * kFloat,
      kBatch * config.n_experts * kFloat,
      n_rows * 40 * kFloat,
      // WebGPU: a batch's q, k and v or gate and up; attention's parts; parameters; gaps between
      // allocations.
      is_webgpu ? kBatch * std::max(2 * n_ff, n_q + 2 * config.n_kv()) * kFloat : 0,
      is_webgpu ? uint64_t{40} << 20 : 0,
      is_webgpu ? uint64_t{64} << 20 : 0,
  };
  // Rows of the file, batches, and buffers of less than a megabyte, such as the lowered inputs of
  // adapters.
  constexpr uint64_t kOthers = uint64_t{16 + 8} << 20;
  return std::accumulate(std::begin(sizes), std::end(sizes), kOthers,
                         [](uint64_t sum, uint64_t size) { return sum + allocated_bytes(size); });
}

GpuNeeds gpu_needs(const GgufFile& file, std::span<const GgufFile> adapters,
                   const ModelConfig& config, uint64_t kv_bytes, const std::string& backend) {
  const uint64_t page_bytes = config.attention_shape(kernels::KvType::kF16, 0).page_bytes();
  const uint64_t n_positions =
      std::min<uint64_t>(config.n_context, kv_bytes / page_bytes * kernels::kPageTokens);
  GpuNeeds needs;
  needs.common_bytes = gpu_workspace_bytes(config, n_positions, backend);
  needs.layer_bytes.assign(static_cast<size_t>(config.n_layers), kv_bytes / config.n_layers);
  std::map<std::string, uint64_t> matrices;
  for (const GgufTensor& tensor : file.tensors()) {
    if (tensor.shape.size() > 1)
      matrices[matrix_of(tensor.name)] += matrix_bytes(tensor, backend);
    else  // CPU and GPU both have the vectors of all layers
      needs.common_bytes += tensor.shape[0] * sizeof(float);
  }
  for (const auto& [name, n_bytes] : matrices) {
    if (name.starts_with("blk."))
      needs.layer_bytes[static_cast<size_t>(std::stoi(name.substr(4)))] += allocated_bytes(n_bytes);
    else
      (name == "output.weight" ? needs.common_bytes : needs.embedding_bytes) +=
          allocated_bytes(n_bytes);
  }
  for (const GgufFile& adapter : adapters)
    for (const LowRankShape& shape : low_rank_shapes(adapter, file, config))
      needs.layer_bytes[static_cast<size_t>(shape.layer)] += allocated_bytes(gpu::low_rank_bytes(
          shape.n_parts, shape.rank, shape.n_rows, shape.n_cols, shape.is_quantized));
  return needs;
}

uint64_t GpuNeeds::total_bytes() const {
  return std::accumulate(layer_bytes.begin(), layer_bytes.end(), common_bytes + embedding_bytes);
}

int GpuNeeds::layers_that_fit(uint64_t free_bytes) const {
  const int n_layers = static_cast<int>(layer_bytes.size());
  if (total_bytes() <= free_bytes) return n_layers;
  int n = 0;
  uint64_t n_bytes = common_bytes;
  while (n < n_layers - 1 && (n_bytes += layer_bytes[n_layers - 1 - n]) <= free_bytes) n++;
  return n;
}

}  // namespace hearth
