// The common part of the matmul kernels: the division of rows, and the staging of a thread block's
// tokens in shared memory. Then the end of the GEMV and of the kernel for a few tokens: both reduce
// their split-K sums in shared memory and run the epilogue.
#pragma once

#include "activations.hip.h"
#include "epilogue.hip.h"
#include "formats.h"
#include "raise.hip.h"

namespace hearth::kernels::hip {

/// log2 of the number of shares of a row: quads of slices or, in super-block formats, slices. For
/// one token, a warp takes one share.
template <BlockType kType>
GPU_DEVICE int log2_shares(const MatmulParams& p) {
  return Layout<kType>::kSuper ? p.log2_slices : max(p.log2_slices - 2, 0);
}

/// The first unit of a slice.
template <BlockType kType>
GPU_DEVICE int slice_begin(const MatmulParams& p, int slice) {
  constexpr int kStep = Layout<kType>::kUnits;
  return (slice * (p.n_units / kStep) >> p.log2_slices) * kStep;
}

/// The number of 16-byte words of the squares of n tokens.
GPU_DEVICE int count_square_fours(const MatmulParams& p, int n) {
  return is_norm(p.norm) ? n * squares_stride(p.x.n_groups) / 4 : 0;
}
/// Stages only the squares, for tokens that stay in global memory.
GPU_DEVICE void stage_squares(const MatmulParams& p, int n, uint4* shared) {
  const int n_fours = count_square_fours(p, n);
  const uint4* from = reinterpret_cast<const uint4*>(p.x.squares);
  GPU_NO_UNROLL for (int i = threadIdx.x; i < n_fours; i += blockDim.x) shared[i] = from[i];
}

/// Prefetches the norm's weights, if the thread block normalizes its own input.
GPU_DEVICE void prefetch_norm(const MatmulParams& p) {
  if (p.input != InputKind::kNorm || !is_norm(p.norm)) return;
  GPU_NO_UNROLL for (int i = threadIdx.x * kGroup; i < p.norm.n_cols; i += blockDim.x * kGroup)
      prefetch(p.norm.weight + i);
}

/// The staged tokens in shared memory: their groups, then the scales, then the squares.
GPU_DEVICE Activations staged_tokens(const MatmulParams& p, int n, uint4* shared) {
  Activations x = {};
  const int n_groups = staged_groups(p.x.n_groups) * n;
  x.n_groups = p.x.n_groups;
  x.n_slots = n;
  x.q = reinterpret_cast<int8_t*>(shared);
  x.scales = reinterpret_cast<GroupScale*>(x.q + n_groups * kGroup);
  x.squares = reinterpret_cast<float*>(x.scales + n_groups);
  return x;
}

/// Stages tokens that are already quantized. A thread issues several loads together, usually all of
/// its share, so that all are in flight together. Loads are unconditional, which takes fewer
/// instructions.
GPU_DEVICE void copy_tokens(const MatmulParams& p, int n, const Activations& x) {
  constexpr int kWords = 4;  // words of codes per word of scales; a word has 16 bytes
  const auto* words = reinterpret_cast<const uint4*>(p.x.q);
  const auto* scales = reinterpret_cast<const uint4*>(p.x.scales);
  const auto* fours = reinterpret_cast<const uint4*>(p.x.squares);
  const int n_scales = x.n_groups * n / 2, n_words = kWords * n_scales, step = blockDim.x;
  const int n_fours = count_square_fours(p, n);
  GPU_NO_UNROLL for (int first = 0; first < n_scales; first += step) {
    const int i = first + threadIdx.x, at = kWords * first + threadIdx.x;
    uint4 word[kWords];
    GPU_UNROLL for (int k = 0; k < kWords; k++) word[k] = words[min(at + k * step, n_words - 1)];
    const uint4 scale = scales[min(i, n_scales - 1)], four = fours[max(min(i, n_fours - 1), 0)];
    GPU_UNROLL for (int k = 0; k < kWords; k++) {
      const int word_at = at + k * step;
      if (word_at < n_words) reinterpret_cast<uint4*>(x.q)[word_at] = word[k];
    }
    if (i < n_scales) reinterpret_cast<uint4*>(x.scales)[i] = scale;
    if (i < n_fours) reinterpret_cast<uint4*>(x.squares)[i] = four;
  }
  __syncthreads();
}

/// Stages the thread block's tokens and quantizes them, if no earlier kernel has. row: the columns
/// of a single token.
template <BlockType kType>
GPU_DEVICE void stage_tokens(const MatmulParams& p, const float* row, int n, const Activations& x) {
  using L = Layout<kType>;
  constexpr TokenUse kPlain{
      .has_blocks = L::kSuper, .has_norm = false, .has_sums = L::kHasSums, .has_room = true};
  constexpr TokenUse kNormed{
      .has_blocks = L::kSuper, .has_norm = true, .has_sums = L::kHasSums, .has_room = true};
  if (p.input != InputKind::kNorm)
    copy_tokens(p, n, x);
  else if (is_norm(p.norm))
    quantize_tokens<kNormed>(p.norm, row, n, x);
  else
    quantize_tokens<kPlain>(p.norm, row, n, x);
}

/// The split-K sums of a thread block for up to eight tokens: [tile][addend][16 rows][kStride],
/// with a token in each column. If quad_addends is 1, an addend is the sum of a share; otherwise it
/// is the sum of a slice, and quad_addends of them make a quad. After the last addend there is room
/// for kSpareAddends more.
template <int kTokens>
struct BlockSums {
  static constexpr int kStride = sum_stride(kTokens), kAddend = kTileRows * kStride;
  float* data;
  int n_addends, quad_addends;

  GPU_MEMBER float* at(int tile, int addend, int row, int token) const {
    return data + (tile * n_addends + addend) * kAddend + row * kStride + token;
  }
  /// Adds them in order, four at a time: a quad's slices, or four shares. Always loads all four,
  /// even if fewer exist, since unconditional loads take fewer instructions.
  GPU_MEMBER float total(int tile, int row, int token) const {
    const float* addends = at(tile, 0, row, token);
    const bool are_shares = kTokens == 1 || quad_addends == 1;
    float sum = 0;
    GPU_NO_UNROLL for (int left = n_addends; left > 0; left -= kQuad, addends += kQuad * kAddend) {
      float v[kQuad];
      GPU_UNROLL for (int k = 0; k < kQuad; k++) v[k] = addends[k * kAddend];
      float quad = are_shares ? sum + v[0] : v[0];
      GPU_UNROLL for (int k = 1; k < kQuad; k++) quad = k < left ? quad + v[k] : quad;
      sum = are_shares ? quad : sum + quad;
    }
    return sum;
  }
};

/// SwiGLU epilogue with quantization. Two pairs of tiles give one group of 32 columns of the next
/// matmul's input, which a warp quantizes for each token.
template <int kTokens>
GPU_DEVICE void store_swiglu(const MatmulParams& p, const BlockSums<kTokens>& sums, int n_tiles,
                             int n_tokens, const float* squares) {
  const unsigned n = unsigned(n_tiles) / 4 * kTokens * kGroup;
  const unsigned first_group = first_tile(p) / 4;
  GPU_NO_UNROLL for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
    const unsigned col = i % kGroup, token = i / kGroup % kTokens, group = i / kGroup / kTokens;
    if (token >= unsigned(n_tokens)) continue;  // for the whole warp, since its lanes shuffle
    const int tile = 4 * group + col / kTileRows * 2, row = col % kTileRows;
    const float factor = token_factor(p.norm, squares, p.x.n_groups, token);
    float gate = sums.total(tile, row, token), up = sums.total(tile + 1, row, token);
    add_raised(p, first_tile(p) + tile, row, token, gate);
    add_raised(p, first_tile(p) + tile + 1, row, token, up);
    const float h = swiglu(gate * factor, up * factor);
    p.epilogue.out[token * p.epilogue.stride + (first_group + group) * kGroup + col] = h;
    quantize_column(p.quantized, token, first_group + group, h);
  }
}

/// The i-th result of a thread block: one row of one of its tiles (or of a pair of tiles), for one
/// token.
template <int kTokens>
struct BlockRow {
  int tile, row, token;

  GPU_DEVICE BlockRow of(unsigned i, int tiles_each) {
    return {int(i / kTileRows / kTokens) * tiles_each, int(i % kTileRows),
            int(i / kTileRows % kTokens)};
  }
  /// The row in the strip.
  GPU_MEMBER int global(const MatmulParams& p) const {
    return tile_of(p, first_tile(p) + tile) * kTileRows + row;
  }
};

/// Inputs of the epilogue for up to eight tokens, loaded before the sums are known.
struct EarlyRows {
  const QkvRow* qkv;     // of all rows of the thread block, in shared memory
  float before;          // the residual that the thread's first row is added to
  const float* squares;  // of the tokens, in shared memory
};

/// Loads the QkvRows of the thread block's pairs of tiles.
template <int kTokens>
GPU_DEVICE void load_qkv_rows(const MatmulParams& p, int n_tiles, int n_tokens, QkvRow* rows) {
  const unsigned n = unsigned(n_tiles) / 2 * kTileRows * kTokens;
  GPU_NO_UNROLL for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
    const auto r = BlockRow<kTokens>::of(i, 2);
    if (r.token < n_tokens) rows[i] = load_qkv_row(p.epilogue, r.global(p), r.token);
  }
}

/// The index of EarlyRows::before in the epilogue's output. It is valid even if nothing is added,
/// so that the load needs no condition.
template <int kTokens>
GPU_DEVICE int place_before(const MatmulParams& p, int n_tiles, int n_tokens) {
  const Epilogue& e = p.epilogue;
  auto r = BlockRow<kTokens>::of(threadIdx.x, 1);
  r.tile = min(r.tile, n_tiles - 1), r.token = min(r.token, n_tokens - 1);
  return r.token * e.stride + min(e.row0 + r.global(p), e.stride - 1);
}

/// Epilogue for single rows: store, or residual add.
template <int kTokens>
GPU_DEVICE void store_rows(const MatmulParams& p, const BlockSums<kTokens>& sums, int n_tiles,
                           int n_tokens, const EarlyRows& early) {
  const Epilogue& e = p.epilogue;
  const unsigned n = unsigned(n_tiles) * kTileRows * kTokens;
  const bool is_added = e.kind == EpilogueKind::kAdd;
  float before = early.before;
  GPU_NO_UNROLL for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
    const auto r = BlockRow<kTokens>::of(i, 1);
    const int row = r.global(p);
    if (r.token >= n_tokens || row >= e.n_rows) continue;
    float* to = place_of(e, row, r.token);
    const float factor = token_factor(p.norm, early.squares, p.x.n_groups, r.token);
    if (i >= unsigned(blockDim.x) && is_added) before = *to;
    float sum = sums.total(r.tile, r.row, r.token);
    add_raised(p, first_tile(p) + r.tile, r.row, r.token, sum);
    sum *= factor;
    *to = is_added ? before + sum * e.scale : sum;
  }
}

/// Epilogue for pairs of rows: q, k and v with RoPE, or SwiGLU.
template <int kTokens>
GPU_DEVICE void store_pairs(const MatmulParams& p, const BlockSums<kTokens>& sums, int n_tiles,
                            int n_tokens, const EarlyRows& early) {
  const Epilogue& e = p.epilogue;
  const unsigned n = unsigned(n_tiles) / 2 * kTileRows * kTokens;
  GPU_NO_UNROLL for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
    const auto r = BlockRow<kTokens>::of(i, 2);
    if (r.token >= n_tokens) continue;
    const float factor = token_factor(p.norm, early.squares, p.x.n_groups, r.token);
    float a = sums.total(r.tile, r.row, r.token), b = sums.total(r.tile + 1, r.row, r.token);
    add_raised(p, first_tile(p) + r.tile, r.row, r.token, a);
    add_raised(p, first_tile(p) + r.tile + 1, r.row, r.token, b);
    a *= factor, b *= factor;
    if (e.kind == EpilogueKind::kQkv)
      store_qkv(early.qkv[i], e.pool.head_dim / 2, a, b);
    else
      store_one(e, r.global(p), r.token, swiglu(a, b));
  }
}

/// Adds up the stored sums and runs the epilogue. A barrier must separate it from the last stored
/// sum.
template <int kTokens>
GPU_DEVICE void store_block(const MatmulParams& p, const BlockSums<kTokens>& sums, int n_tokens,
                            const EarlyRows& early) {
  const int n_tiles = count_block_tiles(p);
  if (!has_pairs(p))
    store_rows<kTokens>(p, sums, n_tiles, n_tokens, early);
  else if (p.quantized.q)
    store_swiglu<kTokens>(p, sums, n_tiles, n_tokens, early.squares);
  else
    store_pairs<kTokens>(p, sums, n_tiles, n_tokens, early);
}

}  // namespace hearth::kernels::hip
