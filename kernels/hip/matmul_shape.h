// Which kernel multiplies a matrix, and how its work is divided.
#pragma once

#include "device.h"
#include "params.h"

namespace hearth::kernels::hip {

inline constexpr unsigned kMaxSharedBytes = 64 << 10;  // of a block, on every GPU
/// On those that copy to it by themselves (DeviceChoice::has_copies).
inline constexpr unsigned kMaxCopySharedBytes = 160 << 10;
inline constexpr int kMaxWarps = 8;

/// What a row's units are cut into: a matrix of few tiles needs many slices to keep a GPU busy, one
/// of many tiles is faster with few. None is empty, and few are short.
struct RowSlices {
  int n;
  int of_part;  // slices that are added up before others are: kQuad, or 1 of block types

  static RowSlices of(int n_units, int n_tiles, bool has_blocks);
  int n_parts() const;
};

/// A kernel ("wide_q8_0_64x4" is prefix, format, suffix), the tokens that it takes at once, the
/// tiles and warps of its blocks, and the slices of a warp.
struct MatmulShape {
  const char *prefix, *suffix;
  int tokens, block_tiles, warps, own_slices;

  /// Shared memory for the sums: of each slice, or of each part.
  int sum_bytes(const RowSlices& slices) const;
  /// Kernels for many tokens have no slices of their own.
  bool is_wide() const { return own_slices == 0; }
  /// Shared memory for what the rows of q, k and v of up to eight tokens need besides their sums.
  int qkv_bytes() const;
  /// In how many ways a block of a kernel for many tokens divides rows, at most.
  int n_ways() const { return is_wide() ? warps * 64 / tokens / block_tiles : 0; }
};

/// For p.n_tokens, n_tiles, log2_span and quantized.
MatmulShape choose_shape(const MatmulParams& p, const RowSlices& slices, const DeviceChoice& gpu);

}  // namespace hearth::kernels::hip
