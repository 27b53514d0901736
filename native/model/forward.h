// The transformer's forward pass, written once in terms of Ops, the operations of a backend.
// Callers pass sequences (Path) and the tokens to append to each; Forward reserves their pages,
// builds the batch, and runs it layer by layer:
//
//   [embed], in each layer  [norm, QKV, RoPE] [attention] [x += output projection]
//                           [norm, gate and up, SiLU] [x += down projection],  then  [norm, head]
//
// Each bracket is one op; x is the residual stream. With a mixture of experts, [norm, router] comes
// before the last two ops of a layer. Path::root() is the number of the adapter to apply, and must
// be equal for all paths of a pass. Forward owns the activations. When the interrupt flag is set,
// it stops before or within any op. It publishes each op in the heartbeat.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cache/page_cache.h"
#include "common/heartbeat.h"
#include "model.h"
#include "ops.h"

namespace hearth {

/// The maximum number of rows of logits that head() computes at once, and so the size of the logits
/// buffer. It is enough for one token plus the longest draft.
inline constexpr int kMaxLogitRows = 16;

/// A sequence, and the tokens that a pass appends to it.
struct Extension {
  Path* sequence = nullptr;
  std::span<const uint32_t> tokens;
};

class Forward {
 public:
  /// All arguments must outlive it. When interrupt becomes true, the running pass stops early.
  Forward(kernels::Ops& ops, const Model& model, Heartbeat& heartbeat,
          const std::atomic<bool>& interrupt);

  /// Evaluates at most kMaxBatch tokens after the sequence and commits them to it. Returns false if
  /// interrupted; then the sequence is unchanged. Throws NoPages.
  bool evaluate(Path& sequence, std::span<const uint32_t> tokens);
  /// Evaluates several sequences in one pass and keeps the hidden states for head(). For head(),
  /// row i is the i-th token of all extensions, concatenated in order. The caller commits the
  /// tokens that it wants to keep; the next pass over the sequence overwrites the KV of uncommitted
  /// tokens. At most kMaxBatch tokens and kMaxLogitRows sequences. Returns false if interrupted.
  bool evaluate_for_logits(std::span<const Extension> extensions);
  /// Runs one pass over a batch that the caller has built, as tests and benchmarks do. With
  /// needs_head, the hidden states are kept for head(); otherwise the last layer stops once its
  /// keys and values are stored. adapter: 1-based index into the model's adapters, or 0 for none.
  /// Returns false if interrupted; then the KV of the batch's positions is invalid.
  bool run(const kernels::Batch& batch, bool needs_head, int adapter = 0);

  /// Whether the interrupt flag is set. Long-running work between ops should check it too.
  bool is_interrupted() const { return interrupt_.load(std::memory_order_relaxed); }

  /// The logits after some tokens (rows) of the last batch, [rows.size()][n_vocab] in backend
  /// memory, valid until the next call. Null if interrupted.
  const float* head(std::span<const int32_t> rows);
  /// The logits after one token of the last batch, only for the candidates (ascending ids),
  /// [candidates.size()].
  const float* head(int32_t row, std::span<const uint32_t> candidates);
  /// Finds the greatest logit in each of the first out.size() rows that head() returned. Returns
  /// false if interrupted; then out is invalid.
  bool argmax(const float* logits, std::span<kernels::Argmax> out);

  /// The wall time of the host's calls. A GPU runs ops later, so their time appears in the call
  /// that waits for the result: argmax or, if nothing else waits, wait.
  const std::vector<OpTime>& op_times() const { return op_times_; }
  const ModelConfig& config() const { return model_.config; }
  int n_adapters() const { return static_cast<int>(model_.adapters.size()); }

  /// Appends an event for each op from now on. Null turns it off.
  void trace_into(std::vector<OpEvent>* events) { trace_ = events; }

  /// While enabled, the output of each op is read back and searched for values that are not finite.
  /// This is slow, so it is enabled only for the retry after bad output, to name the failed op.
  void set_output_checks(bool enabled) { checks_outputs_ = enabled; }
  /// The first op whose output was not finite since forget_bad_op(), for example "ffn_down of layer
  /// 3"; empty if there was none.
  const std::string& first_bad_op() const { return first_bad_op_; }
  void forget_bad_op() { first_bad_op_.clear(); }

 private:
  enum OpIndex {
    kBegin,
    kEmbed,
    kQkv,
    kAttention,
    kAttnOut,
    kRoute,
    kGateUp,
    kDown,
    kHead,
    kArgmax,
    kWait,
    kOpCount
  };
  template <typename Op>
  bool run_op(OpIndex index, int layer, uint64_t n_bytes, Op&& op);
  bool run_layer(const kernels::Batch& batch, int i, const AdapterLayer& added,
                 bool stops_after_kv);
  bool run_ffn(int i, const AdapterLayer& added);
  bool run_experts(int i);
  kernels::Batch batch_of(std::span<const Extension> extensions);
  void check_output(OpIndex index, int layer);
  uint64_t kv_bytes_read(const kernels::Batch& batch, int layer) const;

  kernels::Ops& ops_;
  const Model& model_;
  Heartbeat& heartbeat_;
  const std::atomic<bool>& interrupt_;
  std::unique_ptr<kernels::Buffer> x_;       // [kMaxBatch][n_embd] residual stream
  std::unique_ptr<kernels::Buffer> q_;       // [kMaxBatch][n_q]
  std::unique_ptr<kernels::Buffer> attn_;    // [kMaxBatch][n_q]
  std::unique_ptr<kernels::Buffer> h_;       // [kMaxBatch][n_ff], per expert that a token uses
  std::unique_ptr<kernels::Buffer> routes_;  // see Ops::norm_route; null without experts
  std::unique_ptr<kernels::Buffer> logits_;  // [kMaxLogitRows][n_vocab]
  std::vector<OpTime> op_times_;             // by OpIndex
  // The arrays of the batch, which Ops may read until the next batch begins.
  std::array<uint32_t, kernels::kMaxBatch> tokens_;
  std::array<int32_t, kernels::kMaxBatch> positions_, sequences_;
  std::array<std::span<const int32_t>, kMaxLogitRows> page_tables_;
  int n_batch_ = 0;
  std::vector<OpEvent>* trace_ = nullptr;
  bool checks_outputs_ = false;
  std::string first_bad_op_;
};

}  // namespace hearth
