// The transformer's forward pass, written once over Ops. Owns the batch and its activations:
// callers say which tokens follow which sequence.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heartbeat.h"
#include "model.h"
#include "ops.h"
#include "page_cache.h"

namespace hearth {

/// Most rows that head() computes at once: a speculated batch, and a bound on the logits buffer.
inline constexpr int kMaxLogitRows = 16;

/// Tokens that a pass evaluates behind those that a sequence holds.
struct Extension {
  Path* sequence = nullptr;
  std::span<const uint32_t> tokens;
};

class Forward {
 public:
  /// All three must outlive it. interrupt is what stops a batch half-way.
  Forward(kernels::Ops& ops, const Model& model, Heartbeat& heartbeat,
          const std::atomic<bool>& interrupt);

  /// Evaluates the tokens behind the sequence and commits them to it. False when interrupted: the
  /// sequence is as it was. Throws NoPages. At most kMaxBatch tokens.
  bool evaluate(Path& sequence, std::span<const uint32_t> tokens);
  /// Evaluates several sequences in one pass and keeps the hidden states for head(), whose rows are
  /// the tokens in this order. Commits nothing: what the caller does not commit, the sequence's
  /// next pass overwrites. At most kMaxBatch tokens and kMaxLogitRows sequences.
  bool evaluate_for_logits(std::span<const Extension> extensions);
  /// One pass over a batch that the caller made: its KV goes into its pages. With needs_head the
  /// hidden states are kept for head(); without, the last layer stops once its K and V are stored.
  /// False when interrupted: the batch's positions hold nothing usable.
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
  const ModelConfig& config() const { return model_.config; }

  /// Notes each op from here on; null: no more.
  void trace_into(std::vector<OpEvent>* events) { trace_ = events; }

  /// While it looks, the output of each op is read back, which is slow: at a second try after bad
  /// output, so that the first op to blame has a name.
  void look_at_outputs(bool looks);
  /// "ffn_down of layer 3"; empty when all outputs were numbers since it began to look.
  const std::string& first_bad_op() const { return first_bad_op_; }

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
  bool step(OpIndex index, int layer, uint64_t n_bytes, Run&& run);
  bool run_layer(int i, bool is_kv_only);
  kernels::Batch batch_of(std::span<const Extension> extensions);
  void look(OpIndex index, int layer);
  uint64_t kv_bytes(const kernels::Batch& batch) const;

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
  // The batch: Ops may read it until the next one begins.
  std::array<uint32_t, kernels::kMaxBatch> tokens_;
  std::array<int32_t, kernels::kMaxBatch> positions_, sequences_;
  std::array<std::span<const int32_t>, kMaxLogitRows> page_tables_;
  int n_batch_ = 0;
  uint64_t kv_bytes_ = 0;  // that the batch attends to in a layer
  std::vector<OpEvent>* trace_ = nullptr;
  bool looks_ = false;
  std::string first_bad_op_;
};

}  // namespace hearth
