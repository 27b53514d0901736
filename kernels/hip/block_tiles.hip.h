// What all matmuls over packed weights share: which tiles a block takes, how its tokens come to
// shared memory, and what becomes of the sums, which a block leaves in shared memory and adds here.
#pragma once

#include "activations.hip.h"
#include "epilogue.hip.h"
#include "formats.h"

namespace hearth::kernels::hip {

GPU_DEVICE bool has_pairs(const MatmulParams& p) { return p.log2_span != kNoPairs; }

/// The tile (in p.a, or in p.b: see MatmulParams) that is number i of the launch.
GPU_DEVICE int tile_of(const MatmulParams& p, int i) {
  if (!has_pairs(p)) return p.tile_ids ? p.tile_ids[i] : i;
  const int pair = i >> 1, head = pair >> p.log2_span;
  return pair + (head << p.log2_span);
}

GPU_DEVICE const uint8_t* tile_data(const MatmulParams& p, int i) {
  const uint8_t* from = has_pairs(p) && (i & 1) ? p.b : p.a;
  return from + tile_of(p, i) * p.tile_bytes;
}

/// Tiles of this block: the last one may have fewer.
GPU_DEVICE int count_block_tiles(const MatmulParams& p) {
  return min(p.block_tiles, p.n_tiles - static_cast<int>(blockIdx.y) * p.block_tiles);
}

/// log2 of the parts of a row that one warp each takes for one token: quads, or slices of a block
/// type.
template <BlockType kType>
GPU_DEVICE int log2_parts(const MatmulParams& p) {
  return Layout<kType>::kSuper ? p.log2_slices : max(p.log2_slices - 2, 0);
}

/// The first unit of a slice.
template <BlockType kType>
GPU_DEVICE int slice_begin(const MatmulParams& p, int slice) {
  constexpr int kStep = Layout<kType>::kUnits;
  return (slice * (p.n_units / kStep) >> p.log2_slices) * kStep;
}

/// Squares of a few tokens, four at a time. A block begins its shared memory with them.
GPU_DEVICE int count_square_fours(const MatmulParams& p, int n) {
  return n * squares_stride(p.x.n_groups) / 4;
}
/// Brings them there for tokens that stay where they are.
GPU_DEVICE void stage_squares(const MatmulParams& p, int n, uint4* shared) {
  if (!p.norm.norm) return;
  const int n_fours = count_square_fours(p, n);
  const uint4* from = reinterpret_cast<const uint4*>(p.x.squares);
  GPU_NO_UNROLL for (int i = threadIdx.x; i < n_fours; i += blockDim.x) shared[i] = from[i];
}

/// Asks for the norm's weights, if the block normalizes for itself.
GPU_DEVICE void prefetch_norm(const MatmulParams& p) {
  if (p.input != InputKind::kNorm || !p.norm.norm) return;
  GPU_NO_UNROLL for (int i = threadIdx.x * kGroup; i < p.norm.n_cols; i += blockDim.x * kGroup)
      prefetch(p.norm.norm + i);
}

/// Brings the block's tokens to shared memory, quantizing them where that has not been done.
template <BlockType kType>
GPU_DEVICE Activations stage_tokens(const MatmulParams& p, int n, uint4* shared) {
  const int n_groups = p.x.n_groups;
  const int n_fours = count_square_fours(p, n);
  int8_t* tokens = reinterpret_cast<int8_t*>(shared + n_fours);
  Activations x = {};
  x.n_groups = n_groups;
  x.n_slots = n;
  x.q = tokens;
  x.scales = reinterpret_cast<GroupScale*>(tokens + n_groups * n * kGroup);
  x.squares = reinterpret_cast<float*>(shared);
  if (p.input == InputKind::kNorm) {
    quantize_tokens<Layout<kType>::kSuper>(p.norm, n, x);
    return x;
  }
  // Two words of codes and a scale a thread at a time, and squares, of which there are fewer: loads
  // are issued together.
  const uint4* from = reinterpret_cast<const uint4*>(p.x.q);
  const uint4* squares = reinterpret_cast<const uint4*>(p.x.squares);
  uint4* to = reinterpret_cast<uint4*>(x.q);
  const int n_scales = n_groups * n;
  GPU_UNROLL_2 for (int i = threadIdx.x; i < n_scales; i += blockDim.x) {
    const uint4 low = from[2 * i], high = from[2 * i + 1];
    const uint4 four = squares[min(i, n_fours - 1)];
    const GroupScale scale = p.x.scales[i];
    if (i < n_fours) shared[i] = four;
    to[2 * i] = low, to[2 * i + 1] = high;
    x.scales[i] = scale;
  }
  __syncthreads();
  return x;
}

/// Tokens where they are best read from. Where that is shared memory for sure, stage_tokens() tells
/// the compiler so, which has faster instructions for it.
template <BlockType kType>
GPU_DEVICE Activations stage_input(const MatmulParams& p, int n, uint4* shared) {
  return p.input == InputKind::kMemory ? p.x : stage_tokens<kType>(p, n, shared);
}

/// The sums of a block: [tile][part][16 rows][stride], a token a column. A part is a quad, or one
/// of its slices, or a slice of a block type, which has no quads and counts as one here.
struct BlockSums {
  float* data;
  int n_parts, quad_parts, stride;

  GPU_DEVICE float* at(const BlockSums& s, int tile, int part, int row, int token) {
    return s.data + ((tile * s.n_parts + part) * kTileRows + row) * s.stride + token;
  }
  /// Four parts at a time: a quad's slices, or four quads.
  GPU_DEVICE float total(const BlockSums& s, int tile, int row, int token) {
    const float* part = at(s, tile, 0, row, token);
    float sum = 0;
    GPU_NO_UNROLL for (int i = 0; i < s.n_parts; i += kQuad) {
      float v[kQuad];
      GPU_UNROLL for (int k = 0; k < kQuad; k++) v[k] =
          part[min(i + k, s.n_parts - 1) * kTileRows * s.stride];
      const bool are_quads = s.quad_parts == 1;
      float quad = are_quads && i > 0 ? sum + v[0] : v[0];
      GPU_UNROLL for (int k = 1; k < kQuad; k++) quad = i + k < s.n_parts ? quad + v[k] : quad;
      sum = are_quads || i == 0 ? quad : sum + quad;
    }
    return sum;
  }
};

/// SwiGLU of two pairs of tiles is a group of 32 columns of the next matmul's input: 32 lanes
/// quantize a token's.
template <int kTokens>
GPU_DEVICE void store_swiglu(const MatmulParams& p, const BlockSums& sums, int n_tiles,
                             int n_tokens, const float* squares) {
  const int first_pair = blockIdx.y * p.block_tiles / 2;
  GPU_NO_UNROLL for (int i = threadIdx.x; i < n_tiles / 4 * kTokens * kGroup; i += blockDim.x) {
    const int col = i % kGroup, token = i / kGroup % kTokens;
    if (token >= n_tokens) continue;  // of all 32 lanes
    const int pair = i / kGroup / kTokens * 2 + col / kTileRows, row = col % kTileRows;
    const float factor = token_factor(p.norm, squares, p.x.n_groups, token);
    const float gate = BlockSums::total(sums, 2 * pair, row, token) * factor;
    const float up = BlockSums::total(sums, 2 * pair + 1, row, token) * factor;
    const float h = gate / (1.0f + expf(-gate)) * up;
    store_one(p.epilogue, (first_pair + pair) * kTileRows + row, token, h);
    float v[4];  // quantizing wants four columns a lane
    GPU_UNROLL for (int j = 0; j < 4; j++) v[j] = shuffle(h, col % 8 * 4 + j);
    quantize_group(p.quantized, token, (first_pair + pair) / 2, v, col < 8);
  }
}

/// Number i of what a block hands on: a row of one of its tiles, or pairs of tiles, of a token.
template <int kTokens>
struct BlockRow {
  int tile, row, token;

  GPU_DEVICE BlockRow of(int i, int tiles_each) {
    return {i / kTileRows / kTokens * tiles_each, i % kTileRows, i / kTileRows % kTokens};
  }
  /// In the part.
  GPU_DEVICE int global(const BlockRow& r, const MatmulParams& p) {
    return tile_of(p, blockIdx.y * p.block_tiles + r.tile) * kTileRows + r.row;
  }
};

/// What up to eight tokens' rows need besides their sums, loaded ahead of them: of q, k and v for
/// all rows of the block, in shared memory; else of the thread's first row. squares: those of the
/// tokens, in shared memory.
struct EarlyRows {
  const QkvRow* qkv;
  float before;
  const float* squares;
};

/// Those of the block's pairs of tiles.
template <int kTokens>
GPU_DEVICE void load_qkv_rows(const MatmulParams& p, int n_tiles, int n_tokens, QkvRow* rows) {
  GPU_NO_UNROLL for (int i = threadIdx.x; i < n_tiles / 2 * kTileRows * kTokens; i += blockDim.x) {
    const auto r = BlockRow<kTokens>::of(i, 2);
    if (r.token < n_tokens)
      rows[i] = load_qkv_row(p.epilogue, BlockRow<kTokens>::global(r, p), r.token);
  }
}

/// Where, in what the epilogue writes to, lies what the thread's first row is added to. There is a
/// place also where nothing is added: a load under a condition would be waited for at once.
template <int kTokens>
GPU_DEVICE int place_before(const MatmulParams& p, int n_tiles, int n_tokens) {
  const Epilogue& e = p.epilogue;
  auto r = BlockRow<kTokens>::of(threadIdx.x, 1);
  r.tile = min(r.tile, n_tiles - 1), r.token = min(r.token, n_tokens - 1);
  return r.token * e.stride + min(e.row0 + BlockRow<kTokens>::global(r, p), e.stride - 1);
}

/// Hands on row i of the block of one of a few tokens, or a pair of rows.
GPU_DEVICE void store_early(const Epilogue& e, const EarlyRows& early, int i, int row, int token,
                            float a, float b) {
  if (e.kind == EpilogueKind::kQkv) return store_qkv(e, row, token, a, b, early.qkv[i]);
  if (e.kind == EpilogueKind::kSwiglu) return store_pair(e, row, token, a, b);
  if (e.kind == EpilogueKind::kStore || i >= blockDim.x) return store_one(e, row, token, a);
  if (row < e.n_rows)
    e.out[static_cast<uint64_t>(token) * e.stride + e.row0 + row] = early.before + a;
}

/// One row of one token, or of a pair of rows.
template <int kTokens>
GPU_DEVICE void store_sum(const MatmulParams& p, const BlockSums& sums, int i, int n_tokens,
                          const EarlyRows& early) {
  const bool is_pairs = has_pairs(p);
  const auto r = BlockRow<kTokens>::of(i, is_pairs ? 2 : 1);
  if (r.token >= n_tokens) return;
  const int row = BlockRow<kTokens>::global(r, p);
  const float factor = token_factor(p.norm, early.squares, p.x.n_groups, r.token);
  const float a = BlockSums::total(sums, r.tile, r.row, r.token) * factor;
  const float b = is_pairs ? BlockSums::total(sums, r.tile + 1, r.row, r.token) * factor : 0;
  store_early(p.epilogue, early, i, row, r.token, a, b);
}

/// Adds the quads and hands every row on. The block must have met after its last sum.
template <int kTokens>
GPU_DEVICE void store_block(const MatmulParams& p, const BlockSums& sums, int n_tokens,
                            const EarlyRows& early) {
  const int n_tiles = count_block_tiles(p);
  if (p.epilogue.kind == EpilogueKind::kSwiglu && p.quantized.q)
    return store_swiglu<kTokens>(p, sums, n_tiles, n_tokens, early.squares);
  const int n = (has_pairs(p) ? n_tiles / 2 : n_tiles) * kTileRows * kTokens;
  if constexpr (kTokens == 1) {
    GPU_NO_UNROLL for (int i = threadIdx.x; i < n; i += blockDim.x)
        store_sum<kTokens>(p, sums, i, n_tokens, early);
  } else {  // several rows a thread: what one waits for overlaps
    GPU_UNROLL_4 for (int i = threadIdx.x; i < n; i += blockDim.x)
        store_sum<kTokens>(p, sums, i, n_tokens, early);
  }
}

}  // namespace hearth::kernels::hip
