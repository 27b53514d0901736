// Row kernels on floats, over the SIMD vocabulary: normalisation, RoPE, SwiGLU, argmax. Included by
// each variant_*.cc after its simd_*.h and simd.h. Every sum has one fixed order for an output,
// however much else is computed beside it: this is what makes batches, threads and splits invisible
// in the bits of a result.

namespace hearth::kernels::cpu {
namespace {

// --- rows ---

float sum_of_squares(const float* x, int n) {
  // Four sums hide the latency of the addition.
  F32x16 sums[4] = {broadcast(0.0f), broadcast(0.0f), broadcast(0.0f), broadcast(0.0f)};
  int i = 0;
  for (; i + 64 <= n; i += 64) {
    for (int k = 0; k < 4; k++) {
      const F32x16 v = load(x + i + 16 * k);
      sums[k] = fma(v, v, sums[k]);
    }
  }
  for (; i < n; i += 16) {
    const F32x16 v = load_first(x + i, least(16, n - i));
    sums[0] = fma(v, v, sums[0]);
  }
  return reduce_add((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

void rmsnorm(const float* x, const float* norm, float eps, int n, float* out) {
  const float mean = sum_of_squares(x, n) / static_cast<float>(n);
  const F32x16 scale = broadcast(1.0f / __builtin_sqrtf(mean + eps));
  for (int i = 0; i < n; i += 16) {
    const int lanes = least(16, n - i);
    store_first(out + i, load_first(x + i, lanes) * scale * load_first(norm + i, lanes), lanes);
  }
}

void rope(float* head, const float* cos_sin, int head_dim) {
  const int half = head_dim / 2;
  for (int i = 0; i < half; i += 16) {
    const int lanes = least(16, half - i);
    const F32x16 cosine = load_first(cos_sin + i, lanes);
    const F32x16 sine = load_first(cos_sin + half + i, lanes);
    const F32x16 a = load_first(head + i, lanes);
    const F32x16 b = load_first(head + half + i, lanes);
    store_first(head + i, fnma(b, sine, a * cosine), lanes);
    store_first(head + half + i, fma(a, sine, b * cosine), lanes);
  }
}

void silu_mul(const float* gate, const float* up, int n, float* h) {
  const F32x16 zero = broadcast(0.0f), one = broadcast(1.0f);
  for (int i = 0; i < n; i += 16) {
    const int lanes = least(16, n - i);
    const F32x16 g = load_first(gate + i, lanes);
    const F32x16 silu = g / (one + exp(zero - g));
    store_first(h + i, silu * load_first(up + i, lanes), lanes);
  }
}

void add(float* x, const float* y, int n) {
  for (int i = 0; i < n; i += 16) {
    const int lanes = least(16, n - i);
    store_first(x + i, load_first(x + i, lanes) + load_first(y + i, lanes), lanes);
  }
}

bool argmax(const float* x, int n, uint32_t* index, float* value, float* second) {
  const F32x16 lowest = broadcast(-__builtin_inff()), zero = broadcast(0.0f);
  F32x16 best = lowest, next = lowest;
  F32x16 zeros = zero;  // 0 * x is 0, but NaN for NaN and Inf, and stays so
  I32x16 best_block = broadcast(int32_t{0});
  for (int i = 0; i < n; i += 16) {
    const int lanes = least(16, n - i);
    const F32x16 loaded = load_first(x + i, lanes);
    const F32x16 v = select(first_lanes(lanes), loaded, lowest);
    const Mask16 better = less(best, v);
    zeros = fma(loaded, zero, zeros);
    next = select(better, best, max(next, v));
    best = select(better, v, best);
    best_block = select(better, broadcast(int32_t{i}), best_block);
  }
  float bests[16], nexts[16];
  int32_t blocks[16];
  store(bests, best);
  store(nexts, next);
  store(blocks, best_block);
  int winner = 0;
  for (int lane = 1; lane < 16; lane++) {
    const bool is_earlier = blocks[lane] + lane < blocks[winner] + winner;
    if (bests[lane] > bests[winner] || (bests[lane] == bests[winner] && is_earlier)) winner = lane;
  }
  *index = static_cast<uint32_t>(least(blocks[winner] + winner, n - 1));
  *value = bests[winner];
  *second = nexts[winner];
  for (int lane = 0; lane < 16; lane++) {
    if (lane != winner && bests[lane] > *second) *second = bests[lane];
  }
  return reduce_add(zeros) == 0.0f;
}

}  // namespace
}  // namespace hearth::kernels::cpu
