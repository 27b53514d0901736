// Which kernel multiplies a matrix, and how its work is divided.
#pragma once

#include "params.h"

namespace hearth::kernels::hip {

inline constexpr unsigned kMaxSharedBytes = 64 << 10;  // of a block, on every GPU

/// How many slices a row's units are cut into: a matrix of few tiles needs many to keep a GPU busy,
/// one of many tiles is faster with few. None is empty, and few are short.
int count_slices(int n_units, int n_tiles);

/// A kernel ("stream_q8_0_32" is prefix, format, suffix), the tokens that it takes at once, the
/// tiles and warps of its blocks, and the slices of a warp.
struct MatmulShape {
  const char *prefix, *suffix;
  int tokens, block_tiles, warps, own_slices;

  /// Shared memory for the sums: a part for each slice, or for each quad of them.
  int sum_bytes(int n_slices) const;
  /// Kernels for many tokens have no slices of their own.
  bool is_wide() const { return own_slices == 0; }
};

/// For p.n_tokens, n_tiles, log2_span and quantized.
MatmulShape choose_shape(const MatmulParams& p, int n_slices, int n_processors);

}  // namespace hearth::kernels::hip
