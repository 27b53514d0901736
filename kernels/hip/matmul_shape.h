// Chooses the kernel of a matmul (GEMV, a few tokens, or GEMM), and divides its work into slices of
// rows (split-K), tiles, warps and thread blocks.
#pragma once

#include "device.h"
#include "params.h"

namespace hearth::kernels::hip {

inline constexpr int kMaxWarps = 8;

/// The division of a row's units into slices (tiling.h). A matrix of few tiles needs many slices to
/// keep the GPU busy; one of many tiles is faster with few slices. No slice is empty, and few are
/// shorter than the others.
struct RowSlices {
  int n;
  int per_share;  // slices per share: kQuad, or 1 for super-block formats

  static RowSlices of(int n_units, int n_tiles, bool has_blocks);
  int n_shares() const;
};

/// A kernel, whose name is prefix, format, suffix ("wide_q8_0_64x4"); the tokens, tiles and warps
/// of one of its thread blocks; and the slices that each warp takes (0 in a GEMM).
struct MatmulShape {
  const char *prefix, *suffix;
  int tokens, block_tiles, warps, own_slices;

  /// Bytes of shared memory for a thread block's sums.
  int sum_bytes(const RowSlices& slices) const;
  /// Whether it is a GEMM kernel, whose warps have no slices of their own.
  bool is_wide() const { return own_slices == 0; }
  /// Bytes of shared memory for the QkvRows of up to eight tokens.
  int qkv_bytes() const;
  /// The maximum number of splits in a GEMM's thread block (wide_matmul.hip.h).
  int n_splits() const { return is_wide() ? warps * 64 / tokens / block_tiles : 0; }
};

/// Reads only p.n_tokens, n_tiles, log2_span, quantized and epilogue.
MatmulShape choose_shape(const MatmulParams& p, const RowSlices& slices, const DeviceChoice& gpu);

}  // namespace hearth::kernels::hip
