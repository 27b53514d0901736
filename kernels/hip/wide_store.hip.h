// The epilogue of the GEMM. The sums of a thread block are in shared memory, token by token, and
// each thread finishes four rows at a time.
#pragma once

#include "block_tiles.hip.h"

namespace hearth::kernels::hip {

/// The sums of a thread block, [token][kStride]: the rows of its tiles and four floats of padding,
/// so that lanes of a matrix instruction write to different banks. factors: token_factor() of each
/// token.
template <int kTiles>
struct WideSums {
  static constexpr int kStride = kTiles * kTileRows + 4;
  float* data;
  const float* factors;

  GPU_MEMBER float* at(int token, int row) const { return data + token * kStride + row; }
  /// Loads four neighbouring rows and multiplies them by the token's factor.
  GPU_MEMBER void load(float (&to)[4], int token, int row) const {
    const float4 v = *reinterpret_cast<const float4*>(at(token, row));
    const float factor = factors[token];
    to[0] = v.x * factor, to[1] = v.y * factor, to[2] = v.z * factor, to[3] = v.w * factor;
  }
};

/// Stores four neighbouring rows of one token.
GPU_DEVICE void store_four(const Epilogue& e, int row, int token, const float (&v)[4]) {
  if (row + 4 > e.n_rows || (e.stride | e.row0) % 4 != 0) {
    GPU_UNROLL for (int j = 0; j < 4; j++) store_one(e, row + j, token, v[j]);
    return;
  }
  float4* to = reinterpret_cast<float4*>(place_of(e, row, token));
  if (e.kind == EpilogueKind::kAdd) {
    const float4 before = *to;
    const float scale = e.scale;
    *to = {before.x + v[0] * scale, before.y + v[1] * scale, before.z + v[2] * scale,
           before.w + v[3] * scale};
  } else {
    *to = {v[0], v[1], v[2], v[3]};
  }
}

/// SwiGLU of four rows of gate and up. Eight lanes together have a group of the next matmul's input
/// and quantize it if p.quantized is set; all eight must call this.
GPU_DEVICE void store_four_swiglu(const MatmulParams& p, int row, int token, const float (&gate)[4],
                                  const float (&up)[4], bool stores) {
  float h[4];
  GPU_UNROLL for (int j = 0; j < 4; j++) h[j] = swiglu(gate[j], up[j]);
  if (stores) store_four(p.epilogue, row, token, h);
  if (p.quantized.q) quantize_group(p.quantized, token, row / kGroup, h, stores);
}

/// RoPE and append for four rows of a head's first half and the matching four of its second half.
GPU_DEVICE void store_four_qkv(const Epilogue& e, int row, int token, const float (&a)[4],
                               const float (&b)[4]) {
  QkvRow known[4];
  GPU_UNROLL for (int j = 0; j < 4; j++) known[j] = load_qkv_row(e, row + j, token);
  GPU_UNROLL for (int j = 0; j < 4; j++) store_qkv(known[j], e.pool.head_dim / 2, a[j], b[j]);
}

/// Adds an adapter's part to the sums. A thread takes four rows and several tokens, for which it
/// unpacks b once.
template <int kTokens, int kTiles>
GPU_DEVICE void raise_wide(const MatmulParams& p, const WideSums<kTiles>& sums, int first_token,
                           int n_tokens) {
  constexpr int kFours = kTiles * (kTileRows / 4), kAtOnce = kTokens / 16;
  const Added& added = p.epilogue.added;
  const int n_tiles = count_block_tiles(p);
  GPU_NO_UNROLL for (int i = threadIdx.x; i < kFours * 16; i += blockDim.x) {
    const int four = i % kFours, first = i / kFours * kAtOnce, tile = four / (kTileRows / 4);
    if (tile >= n_tiles || first >= n_tokens) continue;
    const int row = four % (kTileRows / 4) * 4, first_row = first_row_of(p, first_tile(p) + tile);
    if (first_row >= added.n_rows) continue;
    float4* own[kAtOnce];
    float products[kAtOnce][4];
    const float* lowered[kAtOnce];
    GPU_UNROLL for (int k = 0; k < kAtOnce; k++) {
      own[k] = reinterpret_cast<float4*>(sums.at(first + k, tile * kTileRows + row));
      const float4 v = *own[k];
      products[k][0] = v.x, products[k][1] = v.y, products[k][2] = v.z, products[k][3] = v.w;
      lowered[k] = added.lowered + (first_token + min(first + k, n_tokens - 1)) * added.n_ranks;
    }
    const int64_t at = int64_t{first_row / kTileRows} * rank_tile_bytes(added.rank);
    raise<4, kAtOnce>(added.tiles + at, row, added.rank, lowered, added.remainder_at, products);
    GPU_UNROLL for (int k = 0; k < kAtOnce; k++) *
        own[k] = {products[k][0], products[k][1], products[k][2], products[k][3]};
  }
}

/// Finishes all rows of the thread block's tokens. A barrier must separate it from the last stored
/// sum.
template <int kTokens, int kTiles>
GPU_DEVICE void store_wide(const MatmulParams& p, const WideSums<kTiles>& sums, int first_token,
                           int n_tokens) {
  const bool is_pairs = has_pairs(p);
  const int n_fours = kTiles * (kTileRows / 4) / (is_pairs ? 2 : 1);
  const int four = threadIdx.x % n_fours, at_once = blockDim.x / n_fours;
  const int tile = four / (kTileRows / 4) * (is_pairs ? 2 : 1), row = four % (kTileRows / 4) * 4;
  const bool has_tile = tile < count_block_tiles(p);
  const int block_tile = first_tile(p) + (has_tile ? tile : 0);
  const int global_row = tile_of(p, block_tile) * kTileRows + row;
  GPU_NO_UNROLL for (int first = 0; first < n_tokens; first += at_once) {
    const int at = first + threadIdx.x / n_fours, token = first_token + at;
    const bool stores = has_tile && at < n_tokens;
    float a[4], b[4];
    sums.load(a, min(at, kTokens - 1), tile * kTileRows + row);
    if (!is_pairs) {
      if (!stores) continue;
      store_four(p.epilogue, global_row, token, a);
      continue;
    }
    sums.load(b, min(at, kTokens - 1), (tile + 1) * kTileRows + row);
    if (p.epilogue.kind == EpilogueKind::kSwiglu)
      store_four_swiglu(p, global_row, token, a, b, stores);
    else if (stores)
      store_four_qkv(p.epilogue, global_row, token, a, b);
  }
}

}  // namespace hearth::kernels::hip
