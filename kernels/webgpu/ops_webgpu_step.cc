// WebgpuOps: the ops of a step. Each runs as one or more dispatches of kernels.
#include <algorithm>
#include <stdexcept>

#include "ops_webgpu.h"
#include "range_argmax.h"

namespace hearth::kernels::webgpu {
namespace {

const PackedMatrix& packed(const Matrix& matrix) {
  return static_cast<const PackedMatrix&>(matrix);
}

constexpr int kArgmaxLogits = 4096, kArgmaxRows = 32;
constexpr int kAttentionRows = 4, kManyAttentionRows = 64;
// The binding numbers of a layer's pages in pages_*.wgsl.
constexpr uint32_t kKeys[] = {5, 12, 14, 16}, kValues[] = {6, 13, 15, 17};
constexpr uint32_t kWritten[] = {9, 12, 13, 14};

// The kernels' parameters. A name that ends in 0 is the offset of the data in its buffer.
struct EmbedParams {
  uint32_t row0, n_rows, x0;
};
struct PutParams {
  uint32_t n, qkv0, q0, bias0, norms0;
  float eps;
};
struct AttentionParams {
  uint32_t n, first, n_tokens, q0, max_parts;
  float scale, zero;  // zero: see common.wgsl
};
struct ArgmaxParams {
  uint32_t logits0, n_vocab, n_ranges, row0;
};

}  // namespace

void WebgpuOps::embed(const Matrix& table, float* x) {
  if (is_cancelled()) return;
  const Addresses::Place to = addresses_.find(x);
  for (const Strip& strip : packed(table).strips) {
    std::vector<Binding> bindings{bind(0, strip.codes), bind(3, batch_), bind(4, to)};
    const EmbedParams params{static_cast<uint32_t>(strip.row0), static_cast<uint32_t>(strip.n_rows),
                             offset(to)};
    Constants constants = strip.constants();
    constants.emplace_back("K", table.n_cols);
    if (strip.layout.file) bindings.push_back(bind(1, strip.scales));
    const Files files =
        strip.layout.file ? Files{"common", strip.layout.file, "embed"} : Files{"float_embed"};
    add(files, constants, std::move(bindings), params, {static_cast<uint32_t>(n_), 1, 1});
  }
}

WebgpuOps::Put WebgpuOps::put_of(int layer, const float* bias, const float* q) const {
  const Addresses::Place to = addresses_.find(q);
  const Addresses::Place added =
      bias ? addresses_.find(bias) : Addresses::Place{cos_sin_.buffer(), 0, cos_sin_.n_bytes()};
  Put put{shape_constants(),
          {bind(4, batch_), bind(5, added), bind(8, to), bind(15, cos_sin_)},
          offset(to),
          offset(added)};
  put.constants.emplace_back("BIASED", bias != nullptr);
  bind_pages(layer, kWritten, put.bindings);
  return put;
}

void WebgpuOps::norm_qkv(int layer, const float* norm, float eps, const Weights& weights,
                         const float* bias, const float* x, float* q) {
  const Matrix& qkv = weights.matrix;
  if (is_cancelled()) return;
  make_wide(qkv.n_rows);
  Input input{Source::kPlain, x, norm, eps, n_, qkv.n_cols, 0, {}, -1};
  Put put = put_of(layer, bias, q);
  if (multiply_and_put(packed(qkv), input, put)) return;
  multiply(packed(qkv), input, {wide_place(), qkv.n_rows, false});
  put.constants.emplace_back("NORMED", !shape_.q_norms.empty());
  put.bindings.insert(put.bindings.end(), {bind(3, wide_), bind(7, head_norms_)});
  const PutParams params{static_cast<uint32_t>(n_),
                         0,
                         put.q0,
                         put.bias0,
                         static_cast<uint32_t>(2 * layer * shape_.head_dim),
                         shape_.norm_eps};
  add({has_segments() ? "pages_write_four" : "pages_write", "put", "put_qkv"}, put.constants,
      std::move(put.bindings), params,
      {static_cast<uint32_t>(shape_.n_heads + 2 * shape_.n_kv_heads), static_cast<uint32_t>(n_),
       1});
}

ProductInput WebgpuOps::attention(int layer, const float* q, float* out, const Matrix* next) {
  if (is_cancelled()) return out;
  const int n_cols = shape_.n_heads * shape_.head_dim;
  const int heads_per_kv = shape_.n_heads / shape_.n_kv_heads;
  const size_t token_bytes = size_t(n_cols) * max_parts_ * sizeof(float);
  const int at_once = std::min<int>(n_, static_cast<int>(part_sums_.n_bytes() / token_bytes));
  const Addresses::Place from = addresses_.find(q);
  Input parts{Source::kAttention, nullptr, nullptr, 0, at_once, n_cols, 0, {}, -1};
  for (int first = 0; first < n_; first += at_once) {
    const int n = std::min(at_once, n_ - first);
    const int n_rows = n * heads_per_kv, rows = n_rows < kManyAttentionRows ? 2 : kAttentionRows;
    const AttentionParams params{static_cast<uint32_t>(n_),
                                 static_cast<uint32_t>(first),
                                 static_cast<uint32_t>(n),
                                 offset(from),
                                 static_cast<uint32_t>(max_parts_),
                                 shape_.softmax_scale(),
                                 0};
    Constants constants = shape_constants();
    constants.emplace_back("NR", rows);
    std::vector<Binding> bindings{bind(3, from), bind(4, batch_), bind(7, part_sums_),
                                  bind(8, part_ends_)};
    bind_pages(layer, kKeys, bindings);
    bind_pages(layer, kValues, bindings);
    add({has_segments() ? "pages_read_four" : "pages_read", "attention"}, constants,
        std::move(bindings), params,
        {ceil_div(n_rows, rows), static_cast<uint32_t>(shape_.n_kv_heads),
         static_cast<uint32_t>(max_parts_)});
    if (next && n == n_) {
      next_ = parts;
      return {out, true};
    }
    parts.first = first;
    parts.n = n;
    write_floats(parts, out);
  }
  return out;
}

void WebgpuOps::matmul_add(const Weights& weights, ProductInput in, float* x) {
  const Matrix& w = weights.matrix;
  if (is_cancelled()) return;
  Input input{Source::kPlain, in.data, nullptr, 0, n_, w.n_cols, 0, {}, -1};
  multiply(packed(w), in.is_quantized ? next_ : input, {addresses_.find(x), w.n_rows, true});
}

ProductInput WebgpuOps::norm_gate_up(const float* norm, float eps, const Weights& weights,
                                     const float* x, float* h, const Matrix* next) {
  const Matrix& gate_up = weights.matrix;
  if (is_cancelled()) return h;
  make_wide(gate_up.n_rows);
  Input input{Source::kPlain, x, norm, eps, n_, gate_up.n_cols, 0, {}, -1};
  multiply(packed(gate_up), input, {wide_place(), gate_up.n_rows, false});
  const Input silu{Source::kSilu, nullptr, nullptr, 0, n_, gate_up.n_rows / 2, 0, {}, -1};
  if (next) {
    next_ = silu;
    return {h, true};
  }
  write_floats(silu, h);
  return h;
}

void WebgpuOps::norm_head(const float* norm, float eps, const Matrix& head, const float* x,
                          std::span<const int32_t> rows, float* logits) {
  if (is_cancelled() || rows.empty()) return;
  const int n = static_cast<int>(rows.size());
  Input input{Source::kPlain, x, norm, eps, n, head.n_cols, 0, {rows.begin(), rows.end()}, -1};
  if (n == 1) {
    input.x += rows[0] * static_cast<size_t>(head.n_cols);
    input.rows.clear();
  }
  multiply(packed(head), input, {addresses_.find(logits), head.n_rows, false});
}

void WebgpuOps::norm_head_candidates(const float* norm, float eps, const Matrix& head,
                                     const float* x, int32_t row,
                                     std::span<const uint32_t> candidates, float* logits) {
  if (is_cancelled() || candidates.empty()) return;
  Input input{Source::kPlain, x + row * size_t(head.n_cols), norm, eps, 1, head.n_cols, 0, {}, -1};
  std::vector<uint32_t> in_strip;
  for (const Strip& strip : packed(head).strips) {
    in_strip.clear();
    for (const uint32_t id : candidates)
      if (id - static_cast<uint32_t>(strip.row0) < static_cast<uint32_t>(strip.n_rows))
        in_strip.push_back(id - static_cast<uint32_t>(strip.row0));
    if (in_strip.empty()) continue;
    multiply(strip, input, {addresses_.find(logits), head.n_rows, false}, in_strip);
    logits += in_strip.size();
  }
}

void WebgpuOps::argmax(const float* logits, int n_rows, int n_vocab, std::span<Argmax> out) {
  const uint32_t n_ranges = ceil_div(n_vocab, kArgmaxLogits);
  for (int first = 0; first < n_rows; first += kArgmaxRows) {
    if (is_cancelled()) return;
    const int n = std::min(kArgmaxRows, n_rows - first);
    std::vector<RangeArgmax> ranges(size_t(n) * n_ranges);
    if (ranges_.n_bytes() < ranges.size() * sizeof(RangeArgmax))
      ranges_ = device_.allocate(kArgmaxRows * n_ranges * sizeof(RangeArgmax), "the best tokens");
    const Addresses::Place from = addresses_.find(logits + first * size_t(n_vocab));
    const ArgmaxParams params{offset(from), static_cast<uint32_t>(n_vocab), n_ranges, 0};
    add({"argmax"}, {}, {bind(3, from), bind(4, ranges_)}, params,
        {n_ranges, static_cast<uint32_t>(n), 1});
    device_.download(std::as_writable_bytes(std::span(ranges)), ranges_.buffer(), 0);
    for (int i = 0; i < n; i++)
      out[first + i] = argmax_of_row(&ranges[i * size_t(n_ranges)], static_cast<int>(n_ranges));
  }
}

}  // namespace hearth::kernels::webgpu
