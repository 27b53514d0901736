// Row kernels on floats, over the SIMD vocabulary: normalisation, RoPE, SwiGLU, KV append,
// attention, argmax. Included by each variant_*.cc after its simd_*.h and simd.h. Every sum has one
// fixed order for an output, however much else is computed beside it: this is what makes batches,
// threads and splits invisible in the bits of a result.

namespace hearth::kernels::cpu {
namespace {

inline int least(int a, int b) { return a < b ? a : b; }

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

// --- KV pages ---

constexpr int kPositions = 32;  // of a page

/// Saturates, since one Inf would spoil every later token; NaN stays NaN, to be noticed.
inline void store_saturated_f16(void* to, F32x16 x) {
  store_f16(to, max(broadcast(-65504.0f), min(broadcast(65504.0f), x)));
}

void append_kv(std::byte* page_head, int slot, const float* k, const float* v, int head_dim) {
  std::byte* values = page_head + 2 * kPositions * head_dim + 2 * slot * head_dim;
  for (int d = 0; d < head_dim; d += 16) {
    uint16_t keys[16];
    store_saturated_f16(keys, load(k + d));
    for (int i = 0; i < 16; i++) {
      std::memcpy(page_head + 2 * (kPositions * (d + i) + slot), &keys[i], sizeof keys[i]);
    }
    store_saturated_f16(values + 2 * d, load(v + d));
  }
}

// --- attention ---

/// Columns of 16 lanes that the products of a block keep in registers: with 12 queries, 24 sums of
/// the 32 registers of AVX-512, where each broadcast then serves two.
constexpr int kColumns = kMaxTokens >= 12 ? 2 : 1;
constexpr int kStride = 256;
static_assert(kStride == kMaxHeadDim && kStride == kSplitPositions);

/// Up to kMaxTokens queries that share each K and V load and its conversion to float.
struct QueryBlock {
  float* const* partials;
  const int32_t* n_visible;
  const std::byte* const* page_heads;
  int n_pages;
  int head_dim;
  float scale;
  alignas(64) float q[kMaxTokens][kStride];
  alignas(64) float weights[kMaxTokens][kStride];  // scores first

  const std::byte* keys(int page) const { return page_heads[page]; }
  const std::byte* values(int page) const {
    return page_heads[page] + 2 * kPositions * static_cast<size_t>(head_dim);
  }
  int next(int page) const { return least(page + 1, n_pages - 1); }
};

/// Half-precision rows of lanes, and where the next page has its own: fetched into the cache
/// meanwhile, as pages lie too far apart for the hardware to foresee.
struct HalfRows {
  const std::byte* rows;
  const std::byte* next;
  size_t row_bytes;
};

/// sums[i][c] += scalars[i * kStride + s] * rows[s][16 c ...] for s in [0, n), in turn.
template <int kQueries, int kWidth>
inline void add_products(const float* scalars, HalfRows half, int n,
                         F32x16 (&sums)[kQueries][kWidth]) {
  for (int s = 0; s < n; s++) {
    const size_t at = static_cast<size_t>(s) * half.row_bytes;
    F32x16 columns[kWidth];
    for (int c = 0; c < kWidth; c++) columns[c] = load_f16(half.rows + at + 32 * c);
    __builtin_prefetch(half.next + at);
#pragma GCC unroll 12
    for (int i = 0; i < kQueries; i++) {
      const F32x16 scalar = broadcast(scalars[i * kStride + s]);
      for (int c = 0; c < kWidth; c++) sums[i][c] = fma(scalar, columns[c], sums[i][c]);
    }
  }
}

/// weights[i][p] = q[i] k[p] for a page. Positions are lanes: what an unwritten one holds stays in
/// its lane.
template <int kQueries>
void score_page(QueryBlock& block, int page, int n_positions) {
  for (int p = 0; p < n_positions; p += 16 * kColumns) {
    F32x16 sums[kQueries][kColumns];
    for (auto& row : sums) {
      for (F32x16& sum : row) sum = broadcast(0.0f);
    }
    add_products(block.q[0],
                 {block.keys(page) + 2 * p, block.keys(block.next(page)) + 2 * p, 2 * kPositions},
                 block.head_dim, sums);
    for (int i = 0; i < kQueries; i++) {
      for (int c = 0; c < kColumns; c++) {
        store(block.weights[i] + kPositions * page + p + 16 * c, sums[i][c]);
      }
    }
  }
}

/// Turns a query's scores into weights e^(score - maximum), 0 from n_visible on, and notes the
/// maximum and the sum of the weights behind the partial's head_dim floats.
void weigh(float* weights, int n_visible, float scale, float* maximum_and_sum) {
  const F32x16 lowest = broadcast(-__builtin_inff());
  F32x16 greatest = lowest;
  for (int p = 0; p < n_visible; p += 16) {
    const Mask16 visible = first_lanes(least(16, n_visible - p));
    const F32x16 score = select(visible, load(weights + p) * broadcast(scale), lowest);
    greatest = max(greatest, score);
    store(weights + p, score);
  }
  const float maximum = reduce_max(greatest);
  F32x16 sum = broadcast(0.0f);
  for (int p = 0; p < n_visible; p += 16) {
    const F32x16 weight = exp(load(weights + p) - broadcast(maximum));
    sum = sum + weight;
    store(weights + p, weight);
  }
  maximum_and_sum[0] = maximum;
  maximum_and_sum[1] = reduce_add(sum);
}

/// partials[first + i][d ...] += weights * v over the positions [begin, end) of a page.
template <int kQueries, int kWidth>
inline void accumulate_columns(const QueryBlock& block, int first, int page, int begin, int end,
                               int d) {
  const size_t row_bytes = 2 * static_cast<size_t>(block.head_dim);
  const size_t at = static_cast<size_t>(begin) * row_bytes + 2 * static_cast<size_t>(d);
  F32x16 sums[kQueries][kWidth];
  for (int i = 0; i < kQueries; i++) {
    for (int c = 0; c < kWidth; c++) sums[i][c] = load(block.partials[first + i] + d + 16 * c);
  }
  add_products(block.weights[first] + kPositions * page + begin,
               {block.values(page) + at, block.values(block.next(page)) + at, row_bytes},
               end - begin, sums);
  for (int i = 0; i < kQueries; i++) {
    for (int c = 0; c < kWidth; c++) store(block.partials[first + i] + d + 16 * c, sums[i][c]);
  }
}

template <int kQueries>
void accumulate_page(const QueryBlock& block, int first, int page, int begin, int end) {
  int d = 0;
  for (; d + 16 * kColumns <= block.head_dim; d += 16 * kColumns) {
    accumulate_columns<kQueries, kColumns>(block, first, page, begin, end, d);
  }
  if (d < block.head_dim) accumulate_columns<kQueries, 1>(block, first, page, begin, end, d);
}

/// Positions that all queries see are taken together; the rest one query at a time, so that what a
/// query must not see is never multiplied, not even by 0.
template <int kQueries>
void attend_block(QueryBlock& block) {
  int all_see = kSplitPositions, some_see = 0;
  for (int i = 0; i < kQueries; i++) {
    all_see = least(all_see, block.n_visible[i]);
    some_see = -least(-some_see, -block.n_visible[i]);
  }
  const auto in_page = [](int n, int page) {
    const int rest = n - kPositions * page;
    return rest < 0 ? 0 : least(rest, kPositions);
  };
  block.n_pages = (some_see + kPositions - 1) / kPositions;
  for (int page = 0; page < block.n_pages; page++) {
    score_page<kQueries>(block, page, in_page(some_see, page));
  }
  for (int i = 0; i < kQueries; i++) {
    float* partial = block.partials[i];
    for (int d = 0; d < block.head_dim; d += 16) store(partial + d, broadcast(0.0f));
    weigh(block.weights[i], block.n_visible[i], block.scale, partial + block.head_dim);
  }
  for (int page = 0; page < block.n_pages; page++) {
    const int shared = in_page(all_see, page);
    accumulate_page<kQueries>(block, 0, page, 0, shared);
    for (int i = 0; i < kQueries; i++) {
      const int own = in_page(block.n_visible[i], page);
      if (own > shared) accumulate_page<1>(block, i, page, shared, own);
    }
  }
}

template <int kQueries = kMaxTokens>
void attend_block_of(int n_queries, QueryBlock& block) {
  if (n_queries == kQueries) return attend_block<kQueries>(block);
  if constexpr (kQueries > 1) attend_block_of<kQueries - 1>(n_queries, block);
}

void attend_split(const float* const* q, float* const* partials, const int32_t* n_visible,
                  int n_queries, const std::byte* const* page_heads, int head_dim, float scale) {
  QueryBlock block;
  block.page_heads = page_heads;
  block.head_dim = head_dim;
  block.scale = scale;
  for (int first = 0; first < n_queries; first += kMaxTokens) {
    const int n = least(kMaxTokens, n_queries - first);
    for (int i = 0; i < n; i++) {
      std::memcpy(block.q[i], q[first + i], sizeof(float) * static_cast<size_t>(head_dim));
    }
    block.partials = partials + first;
    block.n_visible = n_visible + first;
    attend_block_of(n, block);
  }
}

void merge_split(float* total, const float* partial, int head_dim) {
  const F32x16 total_maximum = broadcast(total[head_dim]);
  const F32x16 partial_maximum = broadcast(partial[head_dim]);
  const F32x16 maximum = max(total_maximum, partial_maximum);
  const F32x16 keep = exp(total_maximum - maximum), take = exp(partial_maximum - maximum);
  for (int d = 0; d < head_dim; d += 16) {
    store(total + d, fma(load(partial + d), take, load(total + d) * keep));
  }
  const F32x16 sum =
      fma(broadcast(partial[head_dim + 1]), take, broadcast(total[head_dim + 1]) * keep);
  store_first(total + head_dim, maximum, 1);
  store_first(total + head_dim + 1, sum, 1);
}

void finish_attention(const float* total, int head_dim, float* out) {
  const F32x16 sum = broadcast(total[head_dim + 1]);
  for (int d = 0; d < head_dim; d += 16) store(out + d, load(total + d) / sum);
}

}  // namespace
}  // namespace hearth::kernels::cpu
