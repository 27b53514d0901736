// The qwen2 forward pass, written once over Ops. Owns the activations of one batch.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "heartbeat.h"
#include "model.h"
#include "ops.h"

namespace hearth {

/// Most rows that head() computes at once: a speculated batch, and a bound on the logits buffer.
inline constexpr int kMaxLogitRows = 16;

class Forward {
 public:
  /// All three must outlive it. interrupt is what stops a batch half-way.
  Forward(kernels::Ops& ops, const Model& model, Heartbeat& heartbeat,
          const std::atomic<bool>& interrupt);

  /// Evaluates the batch: afterwards its KV is in its pages. With needs_head the hidden states are
  /// kept for head(); without, the last layer stops once its K and V are stored. False when
  /// interrupted: the batch's positions hold nothing usable.
  bool run(const kernels::Batch& batch, bool needs_head);

  /// Logits of rows of the last batch, [rows.size()][n_vocab] in backend memory, valid until the
  /// next call. Null when interrupted.
  const float* head(std::span<const int32_t> rows);
  /// Logits of one row for some tokens only (ascending ids), [candidates.size()].
  const float* head(int32_t row, std::span<const uint32_t> candidates);
  /// Of the first out.size() rows that head() gave. False when interrupted: out holds nothing
  /// usable.
  bool argmax(const float* logits, std::span<kernels::Argmax> out);

  const std::vector<OpTime>& op_times() const { return op_times_; }

 private:
  enum OpIndex {
    kBegin,
    kEmbed,
    kQkv,
    kAttention,
    kAttnOut,
    kGateUp,
    kDown,
    kHead,
    kArgmax,
    kOpCount
  };
  template <typename Run>
  bool step(OpIndex index, int layer, Run&& run);
  bool run_layer(int i, bool is_kv_only);

  kernels::Ops& ops_;
  const Model& model_;
  Heartbeat& heartbeat_;
  const std::atomic<bool>& interrupt_;
  std::unique_ptr<kernels::Buffer> x_;       // [kMaxBatch][n_embd] residual stream
  std::unique_ptr<kernels::Buffer> q_;       // [kMaxBatch][n_q]
  std::unique_ptr<kernels::Buffer> attn_;    // [kMaxBatch][n_q]
  std::unique_ptr<kernels::Buffer> h_;       // [kMaxBatch][n_ff]
  std::unique_ptr<kernels::Buffer> logits_;  // [kMaxLogitRows][n_vocab]
  std::vector<OpTime> op_times_;             // by OpIndex
};

}  // namespace hearth
