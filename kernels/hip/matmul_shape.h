// Which kernel a matmul launches (GEMV, a few tokens, or GEMM), and how its work is divided into
// slices of rows (split-K), tiles, warps and thread blocks.
#pragma once

#include "device.h"
#include "params.h"

namespace hearth::kernels::hip {

inline constexpr int kMaxWarps = 8;

/// How a row's units are divided (params.h). A matrix of few tiles needs many slices to keep the
/// GPU busy; one of many tiles is faster with few slices. No slice is empty, and few are shorter
/// than the others.
struct RowSlices {
  int n;
  int of_share;  // slices of a share: kQuad, or 1 for super-block formats

  static RowSlices of(int n_units, int n_tiles, bool has_blocks);
  int n_shares() const;
};

/// A kernel ("wide_q8_0_64x4": prefix, format, suffix), the tokens that it takes at once, the tiles
/// and warps of its thread blocks, and the slices of a warp.
struct MatmulShape {
  const char *prefix, *suffix;
  int tokens, block_tiles, warps, own_slices;

  /// Bytes of shared memory for the sums of each slice, or each share.
  int sum_bytes(const RowSlices& slices) const;
  /// Whether it is a GEMM kernel, whose warps have no slices of their own.
  bool is_wide() const { return own_slices == 0; }
  /// Bytes of shared memory for the QkvRows of up to eight tokens.
  int qkv_bytes() const;
  /// The splits of a GEMM's thread block (wide_matmul.hip.h), at most.
  int n_splits() const { return is_wide() ? warps * 64 / tokens / block_tiles : 0; }
};

/// For p.n_tokens, n_tiles, log2_span and quantized.
MatmulShape choose_shape(const MatmulParams& p, const RowSlices& slices, const DeviceChoice& gpu);

}  // namespace hearth::kernels::hip
