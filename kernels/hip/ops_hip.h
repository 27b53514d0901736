// The HIP backend of the Ops table: each op becomes one or a few kernel launches on one GPU.
// Launches of small batches (decode) are collected and run as graphs (launch_queue.h); launches of
// large batches run at once.
#pragma once

#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "device.h"
#include "hip_low_rank.h"
#include "hip_matrix.h"
#include "launch_queue.h"
#include "ops.h"
#include "params.h"

namespace hearth::kernels::hip {

/// Batches up to this size (decode, drafts) repeat the same launches, which therefore become
/// graphs.
inline constexpr int kDeferredTokens = 8;

/// The base-2 logarithm of a power of two.
inline int log2_of(int power) { return std::countr_zero(static_cast<unsigned>(power)); }

inline const HipMatrix& packed(const Matrix& matrix) {
  return static_cast<const HipMatrix&>(matrix);
}

class HipOps : public Ops {
 public:
  HipOps(const GpuApi& api, const DeviceChoice& choice);

  std::string description() const override;
  void require_support(const ModelShape& shape) const override;
  void wait() override;
  uint64_t free_bytes() const override { return device_.free_bytes(); }
  std::unique_ptr<Matrix> pack(std::span<const MatrixSource> sources) override;
  std::unique_ptr<LowRank> pack_low_rank(int n_cols,
                                         std::span<const LowRankSource> sources) override;
  std::unique_ptr<Buffer> buffer(size_t n_floats) override;
  void write(float* destination, std::span<const float> source) override;
  void read(std::span<float> destination, const float* source) override;

  void make_kv_pool(const AttentionShape& shape, int n_pages) override;
  size_t kv_page_bytes() const override { return pool_.page_values * sizeof(uint16_t); }
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
  size_t n_route_floats(const Experts& experts) const override;
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

  const LaunchQueue& queue() const { return queue_; }

 private:
  /// A kernel's name in up to three string literals. Compared by address, since a step looks up
  /// more than a hundred names; a name with two addresses is merely stored twice.
  struct KernelName {
    const char *first, *second = "", *third = "";
    bool operator==(const KernelName&) const = default;
  };
  void* function(const KernelName& name);
  template <class Params>
  void launch(const KernelName& name, std::array<int, 3> grid, int block, int shared_bytes,
              const Params& params);
  /// Parameters for the step's first kernel, which brings the batch to the device (batch.hip.h).
  /// For a batch of one token, that is the embedding; for others, launch() adds a kernel.
  BatchParams take_mail();
  bool is_cancelled() const { return cancel && cancel->load(std::memory_order_relaxed); }
  void make_workspace(int n_cols, bool with_f32);
  /// Allocates the memory for a head of n_vocab rows, at load, while memory is still free.
  void make_head_room(int n_vocab);
  void make_head_norms();
  void make_expert_room(const Experts& experts);
  /// The maximum number of tiles that norm_route() can plan for the batch.
  int count_tiles(const Experts& experts) const;
  /// Multiplies p's rows, in the tiles of p.tiles, by the matrices of their experts.
  void multiply_experts(const HipMatrix& w, const Experts& experts, ExpertParams& p);
  void argmax_rows(const float* logits, int n_vocab, std::span<Argmax> out);
  /// Activations of n tokens of this many columns in a workspace.
  Activations activations(const Memory& q, const Memory& scales, int n_cols, int n) const;
  /// The parameters of a matmul whose n tokens are normalized first.
  MatmulParams normed_input(const Matrix& w, const float* x, const float* norm, float eps,
                            const int32_t* rows, int n);
  /// Prepares p's tokens in the form that this strip's format needs, unless the previous strip has
  /// left them in this form. Either each thread block will quantize p.norm for itself, or a launch
  /// does so now.
  void prepare_input(MatmulParams& p, const HipMatrix& w, const HipStrip& strip);
  /// Sets how p's tokens are quantized for this strip.
  void set_scales(MatmulParams& p, const HipStrip& strip);
  /// Launches a kernel that quantizes tokens, with or without a norm.
  void quantize(const Norm& norm, const Activations& out, int n_tokens, bool with_f32);
  /// Prepares p so that its products with w include the adapter's part. If these products' launches
  /// do not lower the tokens, launches a kernel now that does. Does nothing if `added` is null.
  void add(const LowRank* added, const HipMatrix& w, MatmulParams& p);
  /// Launches the product of the adapter's a with p's tokens, before the product of w with them.
  void lower(const HipLowRank& added, const HipMatrix& w, MatmulParams& p);
  /// Begins the rounds of a step (low_rank.hip.h).
  void begin_rounds();
  /// norm_qkv() for models with norms of heads.
  void norm_heads(const HipMatrix& qkv, MatmulParams& p, int layer);
  /// Multiplies p by all strips of w.
  void matmul(const HipMatrix& w, MatmulParams& p);
  /// Multiplies p by a strip's tiles: all, or the n_ids tiles in tile_ids (on the device).
  void matmul(const HipStrip& strip, MatmulParams p, const int32_t* tile_ids = nullptr,
              int n_ids = 0);
  /// Multiplies p by pairs of tiles. A pair has one tile of the strip and one of the tiles that
  /// begin at `second` (MatmulParams::log2_span).
  void matmul_pairs(const HipStrip& strip, MatmulParams p, const uint8_t* second, int n_pairs,
                    int log2_span);
  void start_matmul(const HipStrip& strip, MatmulParams& p);
  const int32_t* upload_rows(std::span<const int32_t> rows, int n_batch);

  Device device_;
  LaunchQueue queue_;
  std::vector<std::pair<KernelName, void*>> functions_;

  AttentionShape shape_;
  KvPool pool_{};
  Memory kv_, cos_sin_, sliding_cos_sin_, attention_parts_, attention_arrived_;
  Memory head_norms_, plain_qkv_;  // for models with head norms: make_head_norms()

  // Quantized activations of kMaxBatch tokens. in_ is for the input of a matmul, if an earlier
  // launch quantizes it; next_ is for the output of attention or SwiGLU, which their kernels
  // quantize for the next matmul (ProductInput::is_quantized).
  Memory in_q_, in_scales_, in_half_sums_, squares_, in_f32_, next_q_, next_scales_;
  int workspace_cols_ = 0;

  Memory mail_, batch_ints_;  // the batch in host memory (the mailbox, params.h) and on the device
  bool is_in_mail_ = false;   // whether the kernel that takes the batch is still to be launched
  StagedUpload rows_upload_;
  BatchView batch_{};
  std::vector<int32_t> offsets_;  // of each sequence's page ids
  int n_ = 0;                     // tokens of the batch
  int n_chunks_ = 0;              // attention chunks of the token with the most positions
  bool rows_pending_ = false;     // a head that is still queued reads rows_upload_

  // For mixtures of experts: make_expert_room(). Rows and their quantized input: params.h.
  Memory router_logits_, expert_rows_, expert_q_, expert_scales_, expert_squares_;

  // Once an adapter has been packed: lowered tokens of a batch, and the words of up to kTileTokens.
  Memory lowered_, lowered_words_;
  uint32_t first_round_ = 1;  // of the step; memory is zeroed, so that no word has round 0
  int n_rounds_ = 0;          // of the step so far

  Memory argmax_ranges_, candidate_logits_;
  int head_room_ = 0;  // rows of the largest head that these have room for
};

template <class Params>
void HipOps::launch(const KernelName& name, std::array<int, 3> grid, int block, int shared_bytes,
                    const Params& params) {
  if (is_in_mail_) launch({"take_batch_512"}, {1, 1, 1}, kMailThreads, 0, take_mail());
  Launch launch;
  launch.function = function(name);
  launch.grid = grid;
  launch.block = block;
  launch.shared_bytes = shared_bytes;
  launch.set(params);
  queue_.add(launch, n_ <= kDeferredTokens);
}

}  // namespace hearth::kernels::hip
