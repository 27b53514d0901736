// Matmul and embedding for float formats (F32, F16, BF16). Weights keep the file's layout, row
// after row, and activations are not quantized. In completion models such weights are rare, except
// in the routers of mixtures of experts.
#pragma once

#include "batch.hip.h"
#include "block_tiles.hip.h"

namespace hearth::kernels::hip {

struct F32Weight {
  float bits;
  GPU_MEMBER float value() const { return bits; }
};
struct F16Weight {
  uint16_t bits;
  GPU_MEMBER float value() const { return half_to_float(bits); }
};
struct BF16Weight {
  uint16_t bits;
  GPU_MEMBER float value() const {
    const uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float result;
    memcpy(&result, &wide, 4);
    return result;
  }
};

/// The columns that a lane loads together: of a row (or of a pair of rows), and of eight tokens.
template <class T, int kTiles>
struct FloatStep {
  static constexpr int kAhead = 16 / kTiles, kColumns = kAhead * GPU_LANES;

  /// Adds the products of the lane's columns: `col`, col + GPU_LANES, and so on. kWhole: whether
  /// all of these exist; if not, loads past the last column read the last column again.
  template <bool kWhole>
  GPU_DEVICE void add(const T* a, const T* b, const float* x, int col, int n_cols, int n_tokens,
                      float (&sum)[2][kTileTokens]) {
    const auto at = [&](int j) {
      return kWhole ? col + j * GPU_LANES : min(col + j * GPU_LANES, n_cols - 1);
    };
    float wa[kAhead], wb[kAhead] = {};
    GPU_UNROLL for (int j = 0; j < kAhead; j++) {
      wa[j] = a[at(j)].value();
      if (kTiles == 2) wb[j] = b[at(j)].value();
    }
    GPU_UNROLL for (int k = 0; k < kTileTokens; k++) {
      if (k >= n_tokens) continue;
      const float* from = x + static_cast<uint64_t>(k) * n_cols;
      float values[kAhead];
      GPU_UNROLL for (int j = 0; j < kAhead; j++) values[j] = from[at(j)];
      GPU_UNROLL for (int j = 0; j < kAhead; j++) {
        if (!kWhole && col + j * GPU_LANES >= n_cols) continue;
        sum[0][k] = fmaf(wa[j], values[j], sum[0][k]);
        if (kTiles == 2) sum[1][k] = fmaf(wb[j], values[j], sum[1][k]);
      }
    }
  }
};

/// A warp takes a row (or a pair of rows) and eight tokens. Each lane sums its columns in order,
/// then a tree adds the lanes.
template <class T, int kTiles>
GPU_DEVICE void float_matmul(const MatmulParams& p) {
  wait_for_previous();
  let_next_start();
  const int lane = threadIdx.x % GPU_LANES;
  const int i = blockIdx.x * (blockDim.x / GPU_LANES) + threadIdx.x / GPU_LANES;
  if (i >= p.n_tiles / kTiles * kTileRows) return;
  const int launch_tile = i / kTileRows * kTiles, tile = tile_of(p, launch_tile);
  const int row = i % kTileRows;
  const int n_cols = p.norm.n_cols, row_a = kTileRows * tile + row;
  const int first = kTileTokens * blockIdx.y, n = min(kTileTokens, p.n_tokens - first);
  float sum[2][kTileTokens] = {};
  const T* a = reinterpret_cast<const T*>(p.a) + static_cast<uint64_t>(row_a) * n_cols;
  const T* b = reinterpret_cast<const T*>(p.b) + static_cast<uint64_t>(row_a) * n_cols;
  const float* x = p.x.f32 + static_cast<uint64_t>(first) * n_cols;
  using Step = FloatStep<T, kTiles>;
  const int whole = n_cols / Step::kColumns * Step::kColumns;
  GPU_NO_UNROLL for (int col = lane; col < whole; col += Step::kColumns)
      Step::template add<true>(a, b, x, col, n_cols, n, sum);
  if (whole < n_cols) Step::template add<false>(a, b, x, whole + lane, n_cols, n, sum);
  const float factor = token_factor(p.norm, p.x.squares, p.x.n_groups, first + min(lane, n - 1));
  GPU_UNROLL for (int k = 0; k < kTileTokens; k++) {
    if (k >= n) continue;
    const float va = warp_sum(sum[0][k]), vb = kTiles == 2 ? warp_sum(sum[1][k]) : 0;
    if (lane != k) continue;
    float a = va, b = vb;
    add_raised(p, launch_tile, row, first + k, a);
    a *= factor;
    if constexpr (kTiles == 1) {
      store_one(p.epilogue, row_a, first + k, a);
    } else {
      add_raised(p, launch_tile + 1, row, first + k, b);
      store_pair(p.epilogue, row_a, first + k, a, b * factor);
    }
  }
}

template <class T>
GPU_DEVICE void embed_float_row(const EmbedParams& p) {
  const int token = take_token(p) - p.first_row;
  if (token < 0 || token >= p.n_rows) return;
  const T* row = reinterpret_cast<const T*>(p.tiles) + static_cast<int64_t>(token) * p.n_cols;
  for (int i = threadIdx.x; i < p.n_cols; i += blockDim.x)
    p.x[static_cast<int64_t>(blockIdx.x) * p.n_cols + i] = row[i].value();
}

}  // namespace hearth::kernels::hip
