// Attention over one split of a sequence, and the merging of splits by online softmax
// (row_kernels.h). For a block of queries it computes the scores q k^T page by page, then softmax
// weights, then the weighted sum of v. A query's arithmetic always has the same order, whichever
// queries share its block.

namespace hearth::kernels::cpu {
namespace {

/// The number of vectors of sums, over 16 columns each, that stay in registers for each query. On
/// AVX-512, 12 queries x 2 vectors take 24 of 32 registers, and each broadcast of a scalar serves
/// two multiplications. The columns are positions in q k^T, and dimensions in the weighted sum of
/// v.
constexpr int kVectors = kMaxTokens >= 12 ? 2 : 1;
constexpr int kMaxQueries = kMaxTokens;
/// The distance between queries in QueryBlock::q and in QueryBlock::weights, in floats.
constexpr int kStride = kMaxHeadDim;
static_assert(kStride == kSplitPositions);

/// Up to kMaxQueries queries, which share each load of K and V and its conversion to float.
struct QueryBlock {
  float* const* partials;              // per query: [head_dim] sums of weight * v, maximum, sum
  const int32_t* n_hidden;             // per query: the first position that it sees
  const int32_t* n_visible;            // per query: the end of the positions that it sees
  const std::byte* const* page_heads;  // per page: the KV head's part
  int n_pages;
  int head_dim;
  float scale;
  alignas(64) float q[kMaxQueries][kStride];
  alignas(64) float weights[kMaxQueries][kStride];  // scores q k^T, then softmax weights

  /// The KV head's part of the page and of the next one, which is prefetched meanwhile.
  PageHead page_head(int page) const {
    return {page_heads[page], page_heads[least(page + 1, n_pages - 1)],
            static_cast<size_t>(head_dim)};
  }
};

/// A GEMM whose sums stay in registers. For rows 0 to n - 1 it adds scalars[i * kStride + row] *
/// vector c of the row to sums[i][c]. Rows is a type from kv_page.inl, whose rows are dimensions of
/// k or positions of v.
template <int kQueries, int kWidth, class Rows>
inline void add_products(const float* scalars, const Rows& rows, int n,
                         F32x16 (&sums)[kQueries][kWidth]) {
  for (int row = 0; row < n; row++) {
    F32x16 columns[kWidth];
    rows.load_row(row, columns);
    HEARTH_UNROLL
    for (int i = 0; i < kQueries; i++) {
      const F32x16 scalar = broadcast(scalars[i * kStride + row]);
      HEARTH_UNROLL
      for (int c = 0; c < kWidth; c++) sums[i][c] = fma(scalar, columns[c], sums[i][c]);
    }
  }
}

/// Stores the scores q[i] . k[p] of a page in weights[i][p]. Each position has its own lane, so
/// garbage in an unwritten or masked position, even NaN, affects only that lane, and weigh()
/// replaces the lane's score.
template <class Page, int kQueries>
void score_page(QueryBlock& block, int page, int n_positions) {
  for (int p = 0; p < n_positions; p += 16 * kVectors) {
    F32x16 sums[kQueries][kVectors];
    for (auto& row : sums) set_all(row, broadcast(0.0f));
    for (int d = 0; d < block.head_dim; d += Page::kKeyRows) {
      add_products(block.q[0] + d, Page::template keys<kVectors>(block.page_head(page), d, p),
                   least(Page::kKeyRows, block.head_dim - d), sums);
    }
    HEARTH_UNROLL
    for (int i = 0; i < kQueries; i++) {
      HEARTH_UNROLL
      for (int c = 0; c < kVectors; c++) {
        store(block.weights[i] + kPositions * page + p + 16 * c, sums[i][c]);
      }
    }
  }
}

/// Turns a query's scores into softmax weights e^(score - maximum). Weights before n_hidden and
/// from n_visible on become 0. Stores the maximum and the sum of the weights after the partial's
/// head_dim floats.
void weigh(float* weights, int n_hidden, int n_visible, float scale, float* maximum_and_sum) {
  const F32x16 minus_infinity = broadcast(-__builtin_inff());
  F32x16 greatest = minus_infinity;
  for (int p = 0; p < n_visible; p += 16) {
    const int n = least(16, n_visible - p);
    F32x16 score = first_lanes(n, load(weights + p) * broadcast(scale), minus_infinity);
    if (p < n_hidden) score = first_lanes(least(16, n_hidden - p), minus_infinity, score);
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
template <class Page, int kQueries, int kWidth>
inline void accumulate_columns(const QueryBlock& block, int first, int page, int begin, int end,
                               int d) {
  F32x16 sums[kQueries][kWidth];
  HEARTH_UNROLL
  for (int i = 0; i < kQueries; i++) {
    HEARTH_UNROLL
    for (int c = 0; c < kWidth; c++) sums[i][c] = load(block.partials[first + i] + d + 16 * c);
  }
  add_products(block.weights[first] + kPositions * page + begin,
               Page::values(block.page_head(page), begin, d), end - begin, sums);
  HEARTH_UNROLL
  for (int i = 0; i < kQueries; i++) {
    HEARTH_UNROLL
    for (int c = 0; c < kWidth; c++) store(block.partials[first + i] + d + 16 * c, sums[i][c]);
  }
}

template <class Page, int kQueries>
void accumulate_page(const QueryBlock& block, int first, int page, int begin, int end) {
  int d = 0;
  for (; d + 16 * kVectors <= block.head_dim; d += 16 * kVectors) {
    accumulate_columns<Page, kQueries, kVectors>(block, first, page, begin, end, d);
  }
  if (d < block.head_dim) accumulate_columns<Page, kQueries, 1>(block, first, page, begin, end, d);
}

/// Causal mask: V of positions after a query's own might be NaN, which a weight of 0 would not
/// remove. So positions that all queries see are added for all queries at once, other positions for
/// one query at a time.
template <class Page, int kQueries>
void attend_block(QueryBlock& block) {
  int n_seen_by_all = kSplitPositions, n_seen_by_any = 0;
  for (int i = 0; i < kQueries; i++) {
    n_seen_by_all = least(n_seen_by_all, block.n_visible[i]);
    n_seen_by_any = greatest(n_seen_by_any, block.n_visible[i]);
  }
  // The number of the first n positions that are in the page.
  const auto count_in_page = [](int n, int page) {
    const int rest = n - kPositions * page;
    return rest < 0 ? 0 : least(rest, kPositions);
  };
  block.n_pages = (n_seen_by_any + kPositions - 1) / kPositions;
  for (int page = 0; page < block.n_pages; page++) {
    score_page<Page, kQueries>(block, page, count_in_page(n_seen_by_any, page));
  }
  for (int i = 0; i < kQueries; i++) {
    float* partial = block.partials[i];
    for (int d = 0; d < block.head_dim; d += 16) store(partial + d, broadcast(0.0f));
    weigh(block.weights[i], block.n_hidden[i], block.n_visible[i], block.scale,
          partial + block.head_dim);
  }
  for (int page = 0; page < block.n_pages; page++) {
    const int shared_end = count_in_page(n_seen_by_all, page);
    accumulate_page<Page, kQueries>(block, 0, page, 0, shared_end);
    for (int i = 0; i < kQueries; i++) {
      const int own_end = count_in_page(block.n_visible[i], page);
      if (own_end > shared_end) accumulate_page<Page, 1>(block, i, page, shared_end, own_end);
    }
  }
}

/// Calls attend_block with n_queries as a template argument.
template <class Page, int kQueries = kMaxQueries>
void attend_block_of(int n_queries, QueryBlock& block) {
  if (n_queries == kQueries) return attend_block<Page, kQueries>(block);
  if constexpr (kQueries > 1) attend_block_of<Page, kQueries - 1>(n_queries, block);
}

template <class Page>
void attend_split(const float* const* q, float* const* partials, const int32_t* n_hidden,
                  const int32_t* n_visible, int n_queries, const std::byte* const* page_heads,
                  int head_dim, float scale) {
  QueryBlock block;
  block.page_heads = page_heads;
  block.head_dim = head_dim;
  block.scale = scale;
  for (int first = 0; first < n_queries; first += kMaxQueries) {
    const int n = least(kMaxQueries, n_queries - first);
    for (int i = 0; i < n; i++) {
      // The copy makes the stride between queries a constant.
      std::memcpy(block.q[i], q[first + i], sizeof(float) * static_cast<size_t>(head_dim));
    }
    block.partials = partials + first;
    block.n_hidden = n_hidden + first;
    block.n_visible = n_visible + first;
    attend_block_of<Page>(n, block);
  }
}

/// Online softmax: total and partial are [head_dim] sums of weight * v, then the maximum and the
/// sum of weights. The one with the lower maximum is scaled by e^(lower maximum - higher maximum).
void merge_split(float* total, const float* partial, int head_dim) {
  const F32x16 total_maximum = broadcast(total[head_dim]);
  const F32x16 partial_maximum = broadcast(partial[head_dim]);
  const F32x16 maximum = max(total_maximum, partial_maximum);
  const F32x16 total_factor = exp(total_maximum - maximum),
               partial_factor = exp(partial_maximum - maximum);
  for (int d = 0; d < head_dim; d += 16) {
    store(total + d, fma(load(partial + d), partial_factor, load(total + d) * total_factor));
  }
  const F32x16 sum = fma(broadcast(partial[head_dim + 1]), partial_factor,
                         broadcast(total[head_dim + 1]) * total_factor);
  store_first(total + head_dim, maximum, 1);
  store_first(total + head_dim + 1, sum, 1);
}

void finish_attention(const float* total, int head_dim, float* out) {
  const F32x16 sum = broadcast(total[head_dim + 1]);
  for (int d = 0; d < head_dim; d += 16) store(out + d, load(total + d) / sum);
}

}  // namespace
}  // namespace hearth::kernels::cpu
