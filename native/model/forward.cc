// run() runs a pass, and run_layer() one of its layers. Every op goes through run_op(), which
// checks the interrupt flag, measures the host's time, and publishes the heartbeat.
#include "forward.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace hearth {
namespace {

constexpr const char* kOpNames[] = {"begin",       "embed",     "qkv",         "attention",
                                    "attn_output", "ffn_route", "ffn_gate_up", "ffn_down",
                                    "head",        "argmax",    "wait"};

/// The bytes of n rows of a matrix; an average if its rows have several types.
uint64_t rows_bytes(const kernels::Matrix& matrix, size_t n) {
  return matrix.n_bytes * n / static_cast<size_t>(matrix.n_rows);
}

kernels::Experts experts_of(const ModelConfig& config, const Layer& layer) {
  return {*layer.router, *layer.gate_up, *layer.ffn_down, config.n_experts, config.n_experts_used};
}

}  // namespace

Forward::Forward(kernels::Ops& ops, const Model& model, Heartbeat& heartbeat,
                 const std::atomic<bool>& interrupt)
    : ops_(ops), model_(model), heartbeat_(heartbeat), interrupt_(interrupt) {
  const ModelConfig& config = model.config;
  const auto rows = [&](int n_rows, int n_cols) {
    return ops.buffer(static_cast<size_t>(n_rows) * n_cols);
  };
  x_ = rows(kernels::kMaxBatch, config.n_embd);
  q_ = rows(kernels::kMaxBatch, config.n_q());
  attn_ = rows(kernels::kMaxBatch, config.n_q());
  h_ = rows(kernels::kMaxBatch, config.n_ff * std::max(1, config.n_experts_used));
  if (config.n_experts > 0)
    routes_ = ops.buffer(ops.n_route_floats(experts_of(config, model.layers.front())));
  logits_ = rows(kMaxLogitRows, config.n_vocab);
  for (const char* name : kOpNames) op_times_.push_back({name, 0, 0, 0});
}

/// Runs an op. Returns false if interrupted before or during it. n_bytes: the bytes that the op
/// reads.
template <typename Op>
bool Forward::run_op(OpIndex index, int layer, uint64_t n_bytes, Op&& op) {
  static_assert(std::size(kOpNames) == kOpCount);
  if (interrupt_.load(std::memory_order_relaxed)) return false;
  heartbeat_.mark(kOpNames[index], layer, n_bytes);
  const int64_t start = now_ns();
  op();
  const int64_t ns = now_ns() - start;
  OpTime& time = op_times_[index];
  time.ns += ns;
  time.calls++;
  time.bytes += n_bytes;
  if (trace_) trace_->push_back({time.op, layer, n_batch_, start, ns, n_bytes});
  const bool completed = !interrupt_.load(std::memory_order_relaxed);
  if (checks_outputs_ && completed) check_output(index, layer);
  return completed;
}

/// Bytes of keys and values that attention reads in a layer, for all sequences of the batch.
uint64_t Forward::kv_bytes_read(const kernels::Batch& batch, int layer) const {
  uint64_t n_positions = 0;
  for (int i = 0, first = 0; i < batch.size(); i++) {
    const bool is_last_of_sequence =
        i + 1 == batch.size() || batch.sequences[i + 1] != batch.sequences[i];
    if (!is_last_of_sequence) continue;
    const int begin = model_.config.first_visible(layer, batch.positions[first]);
    n_positions += static_cast<uint64_t>(batch.positions[i] + 1 - begin);
    first = i + 1;
  }
  return ops_.kv_page_bytes() * n_positions / (kernels::kPageTokens * model_.layers.size());
}

/// Checks the activations of the batch's tokens, but not the KV pages, and not the logits, which
/// each answer checks anyway.
void Forward::check_output(OpIndex index, int layer) {
  const bool is_residual = index == kEmbed || index == kAttnOut || index == kDown;
  const kernels::Buffer* output = is_residual           ? x_.get()
                                  : index == kQkv       ? q_.get()
                                  : index == kAttention ? attn_.get()
                                  : index == kGateUp    ? h_.get()
                                                        : nullptr;
  if (!output || !first_bad_op_.empty()) return;
  std::vector<float> values(output->n_floats / kernels::kMaxBatch * n_batch_);
  ops_.read(values, output->data);
  const auto is_number = [](float value) { return std::isfinite(value); };
  if (!std::all_of(values.begin(), values.end(), is_number))
    first_bad_op_ = std::string(kOpNames[index]) + " of layer " + std::to_string(layer);
}

/// Attention and SwiGLU are told which matrix multiplies their output, so that the backend can
/// quantize the output for it.
bool Forward::run_layer(const kernels::Batch& batch, int i, const AdapterLayer& added,
                        bool stops_after_kv) {
  const Layer& layer = model_.layers[i];
  const kernels::Weights qkv(*layer.qkv, added.qkv.get());
  const kernels::Weights attn_out(*layer.attn_out, added.attn_out.get());
  const float eps = model_.config.norm_eps;
  const float* bias = layer.qkv_bias ? layer.qkv_bias->data : nullptr;
  float* x = x_->data;
  const bool completed = run_op(kQkv, i, qkv.n_bytes(), [&] {
    ops_.norm_qkv(i, layer.attn_norm->data, eps, qkv, bias, x, q_->data);
  });
  if (!completed || stops_after_kv) return completed;
  kernels::ProductInput attended = nullptr;
  return run_op(
             kAttention, i, kv_bytes_read(batch, i),
             [&] { attended = ops_.attention(i, q_->data, attn_->data, layer.attn_out.get()); }) &&
         run_op(kAttnOut, i, attn_out.n_bytes(), [&] { ops_.matmul_add(attn_out, attended, x); }) &&
         (layer.router ? run_experts(i) : run_ffn(i, added));
}

bool Forward::run_ffn(int i, const AdapterLayer& added) {
  const Layer& layer = model_.layers[i];
  const kernels::Weights gate_up(*layer.gate_up, added.gate_up.get());
  const kernels::Weights ffn_down(*layer.ffn_down, added.ffn_down.get());
  kernels::ProductInput h = nullptr;
  return run_op(kGateUp, i, gate_up.n_bytes(),
                [&] {
                  h = ops_.norm_gate_up(layer.ffn_norm->data, model_.config.norm_eps, gate_up,
                                        x_->data, h_->data, layer.ffn_down.get());
                }) &&
         run_op(kDown, i, ffn_down.n_bytes(), [&] { ops_.matmul_add(ffn_down, h, x_->data); });
}

bool Forward::run_experts(int i) {
  const Layer& layer = model_.layers[i];
  const ModelConfig& config = model_.config;
  const kernels::Experts experts = experts_of(config, layer);
  const float* norm = layer.ffn_norm->data;
  const float eps = config.norm_eps;
  // An estimate: assumes that tokens of a batch share no expert, until all experts are in use.
  const auto bytes_of = [&](const kernels::Matrix& matrix) {
    const int n_read = std::min(config.n_experts, n_batch_ * config.n_experts_used);
    return static_cast<uint64_t>(matrix.n_bytes) * n_read / config.n_experts;
  };
  return run_op(kRoute, i, layer.router->n_bytes,
                [&] { ops_.norm_route(norm, eps, experts, x_->data, routes_->data); }) &&
         run_op(kGateUp, i, bytes_of(*layer.gate_up),
                [&] {
                  ops_.norm_gate_up_experts(norm, eps, experts, routes_->data, x_->data, h_->data);
                }) &&
         run_op(kDown, i, bytes_of(*layer.ffn_down),
                [&] { ops_.add_experts(experts, routes_->data, h_->data, x_->data); });
}

/// Builds the batch in this object's arrays and reserves its pages. Throws NoPages.
kernels::Batch Forward::batch_of(std::span<const Extension> extensions) {
  assert(extensions.size() <= page_tables_.size());
  size_t n = 0;
  for (size_t i = 0; i < extensions.size(); i++) {
    const auto& [sequence, tokens] = extensions[i];
    assert(n + tokens.size() <= tokens_.size());
    assert(std::ranges::all_of(tokens, [n_vocab = config().n_vocab](uint32_t token) {
      return token < static_cast<uint32_t>(n_vocab);
    }));
    if (!sequence->reserve(static_cast<int>(tokens.size()))) throw NoPages();
    std::copy(tokens.begin(), tokens.end(), tokens_.begin() + n);
    std::iota(positions_.begin() + n, positions_.begin() + n + tokens.size(), sequence->length());
    std::fill_n(sequences_.begin() + n, tokens.size(), static_cast<int32_t>(i));
    page_tables_[i] = sequence->pages();
    n += tokens.size();
  }
  return {.tokens = std::span(tokens_).first(n),
          .positions = std::span(positions_).first(n),
          .sequences = std::span(sequences_).first(n),
          .page_tables = std::span(page_tables_).first(extensions.size())};
}

bool Forward::evaluate(Path& sequence, std::span<const uint32_t> tokens) {
  const Extension extension{&sequence, tokens};
  if (!run(batch_of(std::span(&extension, 1)), false, sequence.root())) return false;
  sequence.commit(tokens);
  return true;
}

bool Forward::evaluate_for_logits(std::span<const Extension> extensions) {
  const int adapter = extensions.front().sequence->root();
  assert(std::ranges::all_of(extensions, [adapter](const Extension& extension) {
    return extension.sequence->root() == adapter;
  }));
  return run(batch_of(extensions), true, adapter);
}

bool Forward::run(const kernels::Batch& batch, bool needs_head, int adapter) {
  static const AdapterLayer kNothing;
  n_batch_ = batch.size();
  const int n_layers = model_.config.n_layers;
  const bool completed = run_op(kBegin, 0, 0, [&] { ops_.begin(batch); }) &&
                         run_op(kEmbed, 0, rows_bytes(*model_.token_embd, n_batch_),
                                [&] { ops_.embed(*model_.token_embd, x_->data); });
  if (!completed) return false;
  for (int i = 0; i < n_layers; i++) {
    const AdapterLayer& added = adapter > 0 ? model_.adapters[adapter - 1].layers[i] : kNothing;
    if (!run_layer(batch, i, added, !needs_head && i == n_layers - 1)) return false;
  }
  // Without the head, nothing is read back from this pass, so waiting is the only way to measure
  // its time.
  return needs_head || run_op(kWait, n_layers - 1, 0, [&] { ops_.wait(); });
}

const float* Forward::head(std::span<const int32_t> rows) {
  const ModelConfig& config = model_.config;
  const bool completed = run_op(kHead, config.n_layers, model_.head().n_bytes, [&] {
    ops_.norm_head(model_.output_norm->data, config.norm_eps, model_.head(), x_->data, rows,
                   logits_->data);
  });
  return completed ? logits_->data : nullptr;
}

const float* Forward::head(int32_t row, std::span<const uint32_t> candidates) {
  const ModelConfig& config = model_.config;
  const bool completed =
      run_op(kHead, config.n_layers, rows_bytes(model_.head(), candidates.size()), [&] {
        ops_.norm_head_candidates(model_.output_norm->data, config.norm_eps, model_.head(),
                                  x_->data, row, candidates, logits_->data);
      });
  return completed ? logits_->data : nullptr;
}

bool Forward::argmax(const float* logits, std::span<kernels::Argmax> out) {
  const ModelConfig& config = model_.config;
  return run_op(kArgmax, config.n_layers, out.size() * config.n_vocab * sizeof(float),
                [&] { ops_.argmax(logits, static_cast<int>(out.size()), config.n_vocab, out); });
}

}  // namespace hearth
