// Partial offload: if a model does not fit into a GPU's memory, the CPU runs its first layers and
// the GPU the others. To the engine, SplitOps is one backend. Every op runs where its layer is;
// once per pass, the residual stream of the batch is copied from the CPU to the GPU. A layer gives
// the same bits as on a backend that runs the whole model.
//
//   embedding, layers 0 .. n - 1 on the CPU  ->  layers n .. on the GPU  ->  head
//
// The head is on the GPU, unless it is tied to the embedding.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "model/model.h"
#include "ops.h"

namespace hearth {

class SplitOps final : public kernels::Ops {
 public:
  /// n_cpu_layers: at least 1, less than n_layers.
  SplitOps(std::unique_ptr<kernels::Ops> cpu, std::unique_ptr<kernels::Ops> gpu, int n_layers,
           int n_cpu_layers);

  std::string description() const override;
  void require_support(const kernels::ModelShape& shape) const override;
  void wait() override;

  void begin_layer(int layer) override;
  std::unique_ptr<kernels::Matrix> pack(std::span<const kernels::MatrixSource> sources) override;
  std::unique_ptr<kernels::LowRank> pack_low_rank(
      int n_cols, std::span<const kernels::LowRankSource> sources) override;
  std::unique_ptr<kernels::Buffer> buffer(size_t n_floats) override;
  void write(float* destination, std::span<const float> source) override;
  void read(std::span<float> destination, const float* source) override;

  void make_kv_pool(const kernels::AttentionShape& shape, int n_pages) override;
  size_t kv_page_bytes() const override;
  void copy_page(int to, int from, int n_positions) override;
  void read_page(std::span<std::byte> destination, int page) override;
  void write_page(int page, std::span<const std::byte> source) override;

  void begin(const kernels::Batch& batch) override;
  void embed(const kernels::Matrix& table, float* x) override;
  void norm_qkv(int layer, const float* norm, float eps, const kernels::Weights& qkv,
                const float* bias, const float* x, float* q) override;
  kernels::ProductInput attention(int layer, const float* q, float* out,
                                  const kernels::Matrix* next) override;
  void matmul_add(const kernels::Weights& w, kernels::ProductInput in, float* x) override;
  kernels::ProductInput norm_gate_up(const float* norm, float eps, const kernels::Weights& gate_up,
                                     const float* x, float* h,
                                     const kernels::Matrix* next) override;
  size_t n_route_floats(const kernels::Experts& experts) const override;
  void norm_route(const float* norm, float eps, const kernels::Experts& experts, const float* x,
                  float* routes) override;
  void norm_gate_up_experts(const float* norm, float eps, const kernels::Experts& experts,
                            const float* routes, const float* x, float* h) override;
  void add_experts(const kernels::Experts& experts, const float* routes, const float* h,
                   float* x) override;
  void norm_head(const float* norm, float eps, const kernels::Matrix& head, const float* x,
                 std::span<const int32_t> rows, float* logits) override;
  void norm_head_candidates(const float* norm, float eps, const kernels::Matrix& head,
                            const float* x, int32_t row, std::span<const uint32_t> candidates,
                            float* logits) override;
  void argmax(const float* logits, int n_rows, int n_vocab,
              std::span<kernels::Argmax> out) override;

 private:
  /// A buffer on both sides. The engine sees the pointers of the CPU's buffer.
  class SplitBuffer;

  kernels::Ops& here() const { return on_gpu_ ? *gpu_ : *cpu_; }
  /// Translates the engine's pointer to here()'s; null stays null.
  float* at(const float* pointer) const;
  float* on_gpu(const float* pointer) const;
  int layer_here(int layer) const { return on_gpu_ ? layer - n_cpu_layers_ : layer; }
  void move_to_gpu(const float* x, int n_cols);
  void move_to_head(const float* x, int n_cols);

  std::unique_ptr<kernels::Ops> cpu_, gpu_;
  const int n_layers_, n_cpu_layers_;
  std::map<const float*, float*> buffers_;  // from the CPU's data (host memory) to the GPU's
  bool is_head_on_gpu_ = false;
  // The side that here() returns: that of the layer that runs or, at load, of the layer being
  // packed.
  bool on_gpu_ = false;
  int layer_ = -1;    // the layer that is being packed
  int n_tokens_ = 0;  // of the batch
};

}  // namespace hearth
