// The CPU backend: implements the Ops table with the row kernels of one variant. It owns the memory
// and divides each op into chunks for the threads. A matmul's chunk also runs its epilogue (bias,
// RoPE, residual, SwiGLU) while its rows are still in the cache.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attention.h"
#include "expert_plan.h"
#include "ops.h"
#include "packed_low_rank.h"
#include "packed_matrix.h"
#include "row_kernels.h"
#include "thread_pool.h"
#include "workspace.h"

namespace hearth::kernels::cpu {

inline const PackedMatrix& packed(const Matrix& matrix) {
  return static_cast<const PackedMatrix&>(matrix);
}

inline const PackedLowRank& packed(const LowRank& added) {
  return static_cast<const PackedLowRank&>(added);
}

/// The number of row tiles that n_rows rows need.
inline int tiles_of(int n_rows) { return (n_rows + kTileRows - 1) / kTileRows; }

/// The distance in floats between the results of successive tokens in a chunk: an odd number of
/// cache lines, since a power of two would map all tokens to a few sets of the cache.
inline size_t chunk_stride(int n_tiles) { return static_cast<size_t>(n_tiles | 1) * kTileRows; }

class CpuOps : public Ops {
 public:
  CpuOps(const RowKernels& kernels, int n_threads);

  std::string description() const override;

  std::unique_ptr<Matrix> pack(std::span<const MatrixSource> sources) override;
  std::unique_ptr<LowRank> pack_low_rank(int n_cols,
                                         std::span<const LowRankSource> sources) override;
  std::unique_ptr<Buffer> buffer(size_t n_floats) override;
  void write(float* destination, std::span<const float> source) override;
  void read(std::span<float> destination, const float* source) override;

  void make_kv_pool(const AttentionShape& shape, int n_pages) override;
  size_t kv_page_bytes() const override;
  void copy_page(int to, int from, int n_positions) override;
  void read_page(std::span<std::byte> destination, int page) override;
  void write_page(int page, std::span<const std::byte> source) override;

  void begin(const Batch& batch) override;
  void embed(const Matrix& table, float* x) override;
  void norm_qkv(int layer, const float* norm, float eps, const Weights& qkv, const float* bias,
                const float* x, float* q) override;
  ProductInput attention(int layer, const float* q, float* out, const Matrix* next) override;
  void matmul_add(const Weights& w, ProductInput in, float* x) override;
  ProductInput norm_gate_up(const float* norm, float eps, const Weights& gate_up, const float* x,
                            float* h, const Matrix* next) override;
  void norm_route(const float* norm, float eps, const Experts& experts, const float* x,
                  float* routes) override;
  void norm_gate_up_experts(const float* norm, float eps, const Experts& experts,
                            const float* routes, const float* x, float* h) override;
  void add_experts(const Experts& experts, const float* routes, const float* h, float* x) override;
  void norm_head(const float* norm, float eps, const Matrix& head, const float* x,
                 std::span<const int32_t> rows, float* logits) override;
  void norm_head_candidates(const float* norm, float eps, const Matrix& head, const float* x,
                            int32_t row, std::span<const uint32_t> candidates,
                            float* logits) override;
  void argmax(const float* logits, int n_rows, int n_vocab, std::span<Argmax> out) override;

 private:
  /// The arguments of norm_qkv() for its chunks, which store q in a buffer, and k and v in pages.
  struct Qkv {
    int layer;
    const Weights& weights;
    const float* bias;
    const Activations& input;
    float* q;
  };

  bool is_cancelled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
  void for_chunks(int n_chunks, const auto& body) {
    pool_.parallel_for(n_chunks, [&](int chunk, int thread) {
      if (!is_cancelled()) body(chunk, thread);
    });
  }
  /// Calls body(begin, end, thread) for ranges of at most per_chunk that cover [0, n).
  void for_ranges(int n, int per_chunk, const auto& body) {
    for_chunks((n + per_chunk - 1) / per_chunk, [&](int chunk, int thread) {
      body(chunk * per_chunk, std::min(n, (chunk + 1) * per_chunk), thread);
    });
  }
  /// Calls body(begin, end, thread) for each token tile. The tokens in a tile are interleaved, so
  /// two threads in one tile would write to the same cache lines (false sharing).
  void for_token_tiles(int n, const auto& body) {
    for_ranges(n, n > kTileTokens ? kernels_.wide_tile : kTileTokens, body);
  }

  const Activations& quantize(const Weights& w, int n, const float* in);
  const Activations& norm_and_quantize(const float* norm, float eps, const Weights& w, int n,
                                       const float* x, const int32_t* rows = nullptr);
  int tiles_per_chunk(const PackedMatrix& w, int n, int n_parts) const;
  int tiles_per_chunk(double tile_bytes, int n_cols, int n_tiles, int n, int n_parts) const;
  void multiply(const Weights& weights, int n_parts, const Activations& input, const auto& finish);
  void product(const PackedMatrix& w, const Activations& input, float* out);
  void key_value_chunk(const Qkv& qkv, int kv_head, int thread);
  void query_chunk(const Qkv& qkv, int head_begin, int head_end);
  static InputFormats input_formats(const Weights& w);
  void lower(const LowRank* added, const Activations& input);
  void multiply_rows(const Weights& weights, const Activations& input, int row, int n_rows,
                     float* products, size_t stride);
  void plan_experts(const Experts& experts, const float* routes);
  void quantize_for_experts(const PackedMatrix& w, const auto& fill_row);

  const RowKernels& kernels_;
  ThreadPool pool_;
  Slabs slabs_;  // memory for the packed matrices
  Workspace workspace_;
  std::optional<Attention> attention_;
  ExpertPlan expert_plan_;
  // An input, lowered to the ranks of all parts of an adapter and quantized for the b of each part.
  // Allocated when an adapter is packed.
  std::unique_ptr<Buffer> ranks_;
  ActivationMemory lowered_memory_;
  std::vector<Activations> lowered_;
  Batch batch_;
};

}  // namespace hearth::kernels::cpu
