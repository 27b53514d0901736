// The products, mixtures of experts and attention of this folder as plain loops, without tiles,
// slices, parts or batches. Read it before the kernels; the tests compare the kernels with it. Sums
// are in double precision; inputs are quantized in float, as in the kernels. In the kernels, a
// weight is code * scale + offset; they multiply by a norm's weights before the product, and divide
// by the root mean square after it.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace hearth::kernels::hip::plain {

using Doubles = std::vector<double>;

/// w x. w: [n_rows][x.size()].
inline Doubles product(std::span<const float> w, const Doubles& x) {
  Doubles out(w.size() / x.size());
  for (size_t row = 0; row < out.size(); row++)
    for (size_t col = 0; col < x.size(); col++) out[row] += w[row * x.size() + col] * x[col];
  return out;
}

/// x as the products read it: int8, with one scale for every n_per_scale columns.
struct Quantized {
  std::vector<int> q;
  Doubles scales;
  size_t n_per_scale;
};
inline Quantized quantized(std::span<const float> x, size_t n_per_scale) {
  Quantized out{std::vector<int>(x.size()), {}, n_per_scale};
  for (size_t first = 0; first < x.size(); first += n_per_scale) {
    const size_t end = std::min(first + n_per_scale, x.size());
    float greatest = 0;
    for (size_t i = first; i < end; i++) greatest = std::max(greatest, std::fabs(x[i]));
    out.scales.push_back(greatest / 127);
    for (size_t i = first; i < end && greatest > 0; i++)
      out.q[i] = static_cast<int>(std::nearbyint(x[i] / (greatest / 127)));
  }
  return out;
}

/// w x for quantized x. In the kernels the weights are integers, too, and sums over columns with
/// the same scales are integers.
inline Doubles product(std::span<const float> w, const Quantized& x) {
  const size_t n_cols = x.q.size();
  Doubles out(w.size() / n_cols);
  for (size_t row = 0; row < out.size(); row++)
    for (size_t i = 0; i < x.scales.size(); i++) {
      const size_t first = i * x.n_per_scale, end = std::min(first + x.n_per_scale, n_cols);
      double dot = 0;
      for (size_t col = first; col < end; col++) dot += double{w[row * n_cols + col]} * x.q[col];
      out[row] += x.scales[i] * dot;
    }
  return out;
}

inline Doubles normed(std::span<const float> x, std::span<const float> norm, double eps) {
  double squares = 0;
  for (const float value : x) squares += double{value} * value;
  const double rms = std::sqrt(squares / static_cast<double>(x.size()) + eps);
  Doubles out;
  for (size_t i = 0; i < x.size(); i++) out.push_back(x[i] / rms * norm[i]);
  return out;
}

struct Expert {
  std::span<const float> gate, up, down;
};

/// The output of a mixture of experts for a token's normed input x.
inline Doubles mixture(std::span<const float> router, std::span<const Expert> experts, int n_used,
                       const Doubles& x) {
  const Doubles logits = product(router, x);
  std::vector<size_t> ids(experts.size());
  for (size_t i = 0; i < ids.size(); i++) ids[i] = i;
  std::stable_sort(ids.begin(), ids.end(),
                   [&](size_t a, size_t b) { return logits[a] > logits[b]; });
  ids.resize(static_cast<size_t>(n_used));
  double all = 0;
  for (const size_t id : ids) all += std::exp(logits[id]);
  Doubles sum(x.size());
  for (const size_t id : ids) {
    Doubles h = product(experts[id].gate, x);
    const Doubles up = product(experts[id].up, x);
    for (size_t i = 0; i < h.size(); i++) h[i] *= up[i] / (1 + std::exp(-h[i]));
    const Doubles out = product(experts[id].down, h);
    for (size_t i = 0; i < sum.size(); i++) sum[i] += std::exp(logits[id]) / all * out[i];
  }
  return sum;
}

/// Attention of one query head at the last position to the last `window` positions (0: to all).
/// keys, values: [positions][q.size()].
inline Doubles attention(std::span<const float> q, std::span<const float> keys,
                         std::span<const float> values, size_t window, double scale) {
  const size_t n = keys.size() / q.size(), first = window > 0 && n > window ? n - window : 0;
  Doubles weights(n), out(q.size());
  double greatest = -INFINITY, sum = 0;
  for (size_t i = first; i < n; i++) {
    for (size_t k = 0; k < q.size(); k++) weights[i] += double{q[k]} * keys[i * q.size() + k];
    weights[i] *= scale;
    greatest = std::max(greatest, weights[i]);
  }
  for (size_t i = first; i < n; i++) {
    weights[i] = std::exp(weights[i] - greatest);
    sum += weights[i];
  }
  for (size_t i = first; i < n; i++)
    for (size_t k = 0; k < q.size(); k++) out[k] += weights[i] / sum * values[i * q.size() + k];
  return out;
}

}  // namespace hearth::kernels::hip::plain
