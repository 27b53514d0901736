#include "forward.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace hearth {
namespace {

constexpr const char* kOpNames[] = {"begin",       "embed",    "qkv",  "attention", "attn_output",
                                    "ffn_gate_up", "ffn_down", "head", "argmax"};

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
  h_ = rows(kernels::kMaxBatch, config.n_ff);
  logits_ = rows(kMaxLogitRows, config.n_vocab);
  for (const char* name : kOpNames) op_times_.push_back({name, 0, 0});
}

template <typename Run>
bool Forward::step(OpIndex index, int layer, Run&& run) {
  if (interrupt_.load(std::memory_order_relaxed)) return false;
  heartbeat_.mark(kOpNames[index], layer);
  const int64_t start = now_ns();
  run();
  op_times_[index].ns += now_ns() - start;
  op_times_[index].calls++;
  return !interrupt_.load(std::memory_order_relaxed);
}

bool Forward::run_layer(int i, bool is_kv_only) {
  const Layer& layer = model_.layers[i];
  const float eps = model_.config.norm_eps;
  const float* bias = layer.qkv_bias ? layer.qkv_bias->data : nullptr;
  float* x = x_->data;
  const bool has_kv = step(kQkv, i, [&] {
    ops_.norm_qkv(i, layer.attn_norm->data, eps, *layer.qkv, bias, x, q_->data);
  });
  if (!has_kv || is_kv_only) return has_kv;
  return step(kAttention, i, [&] { ops_.attention(i, q_->data, attn_->data); }) &&
         step(kAttnOut, i, [&] { ops_.matmul_add(*layer.attn_out, attn_->data, x); }) &&
         step(kGateUp, i,
              [&] { ops_.norm_gate_up(layer.ffn_norm->data, eps, *layer.gate_up, x, h_->data); }) &&
         step(kDown, i, [&] { ops_.matmul_add(*layer.ffn_down, h_->data, x); });
}

/// Reserves the pages, too.
kernels::Batch Forward::batch_of(std::span<const Extension> extensions) {
  assert(extensions.size() <= page_tables_.size());
  size_t n = 0;
  for (size_t i = 0; i < extensions.size(); i++) {
    const auto& [sequence, tokens] = extensions[i];
    assert(n + tokens.size() <= tokens_.size());
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
  if (!run(batch_of(std::span(&extension, 1)), false)) return false;
  sequence.commit(tokens);
  return true;
}

bool Forward::evaluate_for_logits(std::span<const Extension> extensions) {
  return run(batch_of(extensions), true);
}

bool Forward::run(const kernels::Batch& batch, bool needs_head) {
  const int n_layers = model_.config.n_layers;
  const bool has_input = step(kBegin, 0, [&] { ops_.begin(batch); }) &&
                         step(kEmbed, 0, [&] { ops_.embed(*model_.token_embd, x_->data); });
  if (!has_input) return false;
  for (int i = 0; i < n_layers; i++)
    if (!run_layer(i, !needs_head && i == n_layers - 1)) return false;
  return true;
}

const float* Forward::head(std::span<const int32_t> rows) {
  const ModelConfig& config = model_.config;
  const bool is_done = step(kHead, config.n_layers, [&] {
    ops_.norm_head(model_.output_norm->data, config.norm_eps, model_.head(), x_->data, rows,
                   logits_->data);
  });
  return is_done ? logits_->data : nullptr;
}

const float* Forward::head(int32_t row, std::span<const uint32_t> candidates) {
  const ModelConfig& config = model_.config;
  const bool is_done = step(kHead, config.n_layers, [&] {
    ops_.norm_head_candidates(model_.output_norm->data, config.norm_eps, model_.head(), x_->data,
                              row, candidates, logits_->data);
  });
  return is_done ? logits_->data : nullptr;
}

bool Forward::argmax(const float* logits, std::span<kernels::Argmax> out) {
  const ModelConfig& config = model_.config;
  return step(kArgmax, config.n_layers,
              [&] { ops_.argmax(logits, static_cast<int>(out.size()), config.n_vocab, out); });
}

}  // namespace hearth
