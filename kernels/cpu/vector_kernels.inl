// Kernels for rows of floats, written with the SIMD layer: e^x, RMSNorm, RoPE, SwiGLU, residual
// add, argmax. Each sum is always computed in the same order. Batch invariance needs this: batches,
// threads and splits must not change the bits of a result.

namespace hearth::kernels::cpu {
namespace {

/// e^x, with an error of at most 1.1 ulp over the whole range, subnormal results included. Returns
/// 0, Inf and NaN for the same inputs as std::exp.
inline F32x16 exp(F32x16 x) {
  // x = n ln 2 + r with |r| <= ln 2 / 2. Clamping x changes nothing, because the result is 0 or Inf
  // beyond these bounds. min and max keep a NaN only in their second operand, so x and min's result
  // are second operands.
  x = max(broadcast(-104.0f), min(broadcast(89.0f), x));
  const F32x16 magic = broadcast(12582912.0f);  // 1.5 * 2^23: the sum's low bits are the integer
  const F32x16 shifted = fma(x, broadcast(0x1.715476p+0f), magic);
  const F32x16 n = shifted - magic;
  // ln 2 has two parts; n times the first is exact.
  F32x16 r = fnma(n, broadcast(0x1.62e4p-1f), x);
  r = fnma(n, broadcast(0x1.7f7d1cp-20f), r);
  F32x16 p = broadcast(0x1.6a2256p-10f);
  p = fma(p, r, broadcast(0x1.123b04p-7f));
  p = fma(p, r, broadcast(0x1.5558f8p-5f));
  p = fma(p, r, broadcast(0x1.555490p-3f));
  p = fma(p, r, broadcast(0x1.fffffcp-2f));
  const F32x16 result = fma(p * r, r, r) + broadcast(1.0f);
  // Multiplies by 2^n in two steps, 2^(n/2) and 2^(n - n/2): n is from -150 to 128, which exceeds
  // the range of a float's exponent.
  const I32x16 exponent = bits_as_int(shifted) - bits_as_int(magic);
  const I32x16 half = shift_right<1>(exponent);
  const I32x16 bias = broadcast(int32_t{127});
  const F32x16 first = bits_as_float(shift_left<23>(half + bias));
  const F32x16 second = bits_as_float(shift_left<23>(exponent - half + bias));
  return result * first * second;
}

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

/// The greatest value; NaN is ignored.
float greatest(const float* x, int n) {
  const F32x16 lowest = broadcast(-__builtin_inff());
  F32x16 most[4] = {lowest, lowest, lowest, lowest};  // hide the latency of max
  int i = 0;
  for (; i + 64 <= n; i += 64) {
    for (int k = 0; k < 4; k++) most[k] = max(load(x + i + 16 * k), most[k]);
  }
  for (; i < n; i += 16) {
    const int lanes = least(16, n - i);
    most[0] = max(first_lanes(lanes, load_first(x + i, lanes), lowest), most[0]);
  }
  return reduce_max(max(max(most[0], most[1]), max(most[2], most[3])));
}

RangeArgmax argmax(const float* logits, int n) {
  // Online softmax, block by block: first a block's greatest logit, then its sum of exp(logit -
  // best), while the block is still in the L1 cache.
  constexpr int kLogits = 1024;
  const F32x16 lowest = broadcast(-__builtin_inff()), zero = broadcast(0.0f);
  F32x16 sum = zero;    // of exp(logit - best)
  F32x16 zeros = zero;  // sum of 0 * logit: NaN if any logit is NaN or Inf
  float best = -__builtin_inff();
  int id = 0;
  for (int begin = 0; begin < n; begin += kLogits) {
    const int end = least(begin + kLogits, n);
    const float top = greatest(logits + begin, end - begin);
    if (top > best) {
      sum = sum * exp(broadcast(best) - broadcast(top));
      best = top;
      id = begin;  // the loop at the end searches for the best logit from here on
    }
    int i = begin;
    for (; i + 16 <= end; i += 16) {
      const F32x16 v = load(logits + i);
      zeros = fma(v, zero, zeros);
      sum = sum + exp(v - broadcast(best));
    }
    if (i == end) continue;
    const F32x16 v = load_first(logits + i, end - i);
    zeros = fma(v, zero, zeros);
    sum = sum + exp(first_lanes(end - i, v, lowest) - broadcast(best));
  }
  while (id < n - 1 && logits[id] != best) id++;
  return {best, static_cast<uint32_t>(id), reduce_add(sum), reduce_add(zeros) == 0.0f};
}

}  // namespace
}  // namespace hearth::kernels::cpu
