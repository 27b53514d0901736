// The CPU backend of the Ops table, over the row kernels of any variant. It owns the memory,
// divides each op into chunks for the threads, and fuses what follows a matmul (bias, RoPE,
// residual, SwiGLU) into the chunk, while its rows are still in the cache.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "attention.h"
#include "ops.h"
#include "packed_matrix.h"
#include "row_kernels.h"
#include "thread_pool.h"
#include "workspace.h"

namespace hearth::kernels::cpu {

class CpuOps : public Ops {
 public:
  CpuOps(const RowKernels& kernels, int n_threads);

  std::string description() const override;

  std::unique_ptr<Matrix> pack(std::span<const MatrixSource> parts) override;
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
  void norm_qkv(int layer, const float* norm, float eps, const Matrix& qkv, const float* bias,
                const float* x, float* q) override;
  void attention(int layer, const float* q, float* out, const Matrix* next) override;
  void matmul_add(const Matrix& w, const float* in, float* x) override;
  void norm_gate_up(const float* norm, float eps, const Matrix& gate_up, const float* x, float* h,
                    const Matrix* next) override;
  void norm_head(const float* norm, float eps, const Matrix& head, const float* x,
                 std::span<const int32_t> rows, float* logits) override;
  void norm_head_candidates(const float* norm, float eps, const Matrix& head, const float* x,
                            int32_t row, std::span<const uint32_t> candidates,
                            float* logits) override;
  void argmax(const float* logits, int n_rows, int n_vocab, std::span<Argmax> out) override;

 private:
  /// One layer's q, k and v on their way into the query buffer and the KV pages.
  struct Qkv {
    int layer;
    const PackedMatrix& weights;
    const float* bias;
    const Activations& input;
    float* q;
  };

  bool is_cancelled() const;
  void for_chunks(int n_chunks, const auto& body);
  void for_ranges(int n, int per_chunk, const auto& body);
  void for_token_tiles(int n, const auto& body);

  const Activations& quantize(const PackedMatrix& w, int n, const float* in);
  const Activations& norm_and_quantize(const float* norm, float eps, const PackedMatrix& w, int n,
                                       const float* x, const int32_t* rows = nullptr);
  int tiles_per_chunk(const PackedMatrix& w, int n, int n_parts) const;
  void multiply(const PackedMatrix& w, int n_parts, const Activations& input, const auto& finish);
  void key_value_chunk(const Qkv& qkv, int kv_head, int thread);
  void query_chunk(const Qkv& qkv, int head_begin, int head_end);

  const RowKernels& kernels_;
  ThreadPool pool_;
  Slabs slabs_;  // of the packed matrices
  Workspace workspace_;
  std::optional<Attention> attention_;
  Batch batch_;
};

}  // namespace hearth::kernels::cpu
