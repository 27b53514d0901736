// Attention over one split of a sequence, and the merging of splits by online softmax
// (row_kernels.h). For a block of queries: scores q k^T page by page, softmax weights, then the
// weighted sum of v. A query's arithmetic has one fixed order, whichever queries share its block.

namespace hearth::kernels::cpu {
namespace {

/// Vectors of 16 columns whose sums a block keeps in registers. On AVX-512, 12 queries x 2 vectors
/// are 24 of 32 registers, and each broadcast of a scalar serves two multiplications.
constexpr int kColumns = kMaxTokens >= 12 ? 2 : 1;
constexpr int kStride = 256;
static_assert(kStride == kMaxHeadDim && kStride == kSplitPositions);

/// Up to kMaxTokens queries, which share each load of K and V and its conversion to float.
struct QueryBlock {
  float* const* partials;
  const int32_t* n_visible;
  const std::byte* const* page_heads;
  int n_pages;
  int head_dim;
  float scale;
  alignas(64) float q[kMaxTokens][kStride];
  alignas(64) float weights[kMaxTokens][kStride];  // scores first

  PageHead page_head(int page) const {
    return {page_heads[page], page_heads[least(page + 1, n_pages - 1)],
            static_cast<size_t>(head_dim)};
  }
};

/// sums[i][c] += scalars[i * kStride + row] * column vector c of the row, for rows 0 to n - 1.
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

/// weights[i][p] = q[i] . k[p] for a page. Positions are lanes, so that whatever an unwritten
/// position holds stays in its lane.
template <class Page, int kQueries>
void score_page(QueryBlock& block, int page, int n_positions) {
  for (int p = 0; p < n_positions; p += 16 * kColumns) {
    F32x16 sums[kQueries][kColumns];
    for (auto& row : sums) set_all(row, broadcast(0.0f));
    for (int d = 0; d < block.head_dim; d += Page::kKeyRows) {
      add_products(block.q[0] + d, Page::template keys<kColumns>(block.page_head(page), d, p),
                   least(Page::kKeyRows, block.head_dim - d), sums);
    }
    HEARTH_UNROLL
    for (int i = 0; i < kQueries; i++) {
      HEARTH_UNROLL
      for (int c = 0; c < kColumns; c++) {
        store(block.weights[i] + kPositions * page + p + 16 * c, sums[i][c]);
      }
    }
  }
}

/// Turns a query's scores into softmax weights e^(score - maximum), 0 from n_visible on. The
/// maximum and the sum of the weights are stored after the partial's head_dim floats.
void weigh(float* weights, int n_visible, float scale, float* maximum_and_sum) {
  const F32x16 lowest = broadcast(-__builtin_inff());
  F32x16 greatest = lowest;
  for (int p = 0; p < n_visible; p += 16) {
    const int n = least(16, n_visible - p);
    const F32x16 score = first_lanes(n, load(weights + p) * broadcast(scale), lowest);
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
  for (; d + 16 * kColumns <= block.head_dim; d += 16 * kColumns) {
    accumulate_columns<Page, kQueries, kColumns>(block, first, page, begin, end, d);
  }
  if (d < block.head_dim) accumulate_columns<Page, kQueries, 1>(block, first, page, begin, end, d);
}

/// Causal mask: V of the positions that all queries see is added for all of them together, the rest
/// one query at a time. A position that a query must not see is never multiplied, not even by 0: it
/// may hold NaN.
template <class Page, int kQueries>
void attend_block(QueryBlock& block) {
  int all_see = kSplitPositions, some_see = 0;
  for (int i = 0; i < kQueries; i++) {
    all_see = least(all_see, block.n_visible[i]);
    some_see = greatest(some_see, block.n_visible[i]);
  }
  const auto in_page = [](int n, int page) {
    const int rest = n - kPositions * page;
    return rest < 0 ? 0 : least(rest, kPositions);
  };
  block.n_pages = (some_see + kPositions - 1) / kPositions;
  for (int page = 0; page < block.n_pages; page++) {
    score_page<Page, kQueries>(block, page, in_page(some_see, page));
  }
  for (int i = 0; i < kQueries; i++) {
    float* partial = block.partials[i];
    for (int d = 0; d < block.head_dim; d += 16) store(partial + d, broadcast(0.0f));
    weigh(block.weights[i], block.n_visible[i], block.scale, partial + block.head_dim);
  }
  for (int page = 0; page < block.n_pages; page++) {
    const int shared = in_page(all_see, page);
    accumulate_page<Page, kQueries>(block, 0, page, 0, shared);
    for (int i = 0; i < kQueries; i++) {
      const int own = in_page(block.n_visible[i], page);
      if (own > shared) accumulate_page<Page, 1>(block, i, page, shared, own);
    }
  }
}

template <class Page, int kQueries = kMaxTokens>
void attend_block_of(int n_queries, QueryBlock& block) {
  if (n_queries == kQueries) return attend_block<Page, kQueries>(block);
  if constexpr (kQueries > 1) attend_block_of<Page, kQueries - 1>(n_queries, block);
}

template <class Page>
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
    attend_block_of<Page>(n, block);
  }
}

/// Online softmax: total and partial are [head_dim] outputs, then the maximum and the sum of
/// weights. The one with the lesser maximum is scaled by e^(its maximum - the greater one).
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
