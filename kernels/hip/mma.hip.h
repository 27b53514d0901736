// One small matrix product of 32 lanes: c[16 x 8] += a[16 x 32] * b[32 x 8], int8 to int32, exact.
// Lane 4g + t holds of a the words (row g, g + 8, g, g + 8; columns 4t.. of half 0, 0, 1, 1), of b
// token g's columns 4t.. of halves 0 and 1, and of c rows g, g, g + 8, g + 8 and tokens 2t, 2t + 1,
// 2t, 2t + 1. NVIDIA has this as an instruction. Elsewhere dot4 and shuffles among four lanes give
// the same integers.
#pragma once

#include "gpu.hip.h"

namespace hearth::kernels::hip {

#if defined(GPU_NV_SHIM)

GPU_DEVICE void mma_32(int c[4], const int a[4], const int b[2], int) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
GPU_DEVICE void mma_16(int c[4], int a0, int a1, int b, int) {
  asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a0), "r"(a1), "r"(b));
}

#else

/// Lanes of a quad hold parts of two rows' sums; all get both sums, the owner of the token keeps
/// them.
GPU_DEVICE void keep_quad_sum(int c[4], int upper, int lower, int token, int t) {
  upper += shuffle_xor(upper, 1), lower += shuffle_xor(lower, 1);
  upper += shuffle_xor(upper, 2), lower += shuffle_xor(lower, 2);
  if (t == token / 2) c[token % 2] += upper, c[2 + token % 2] += lower;
}

/// Only the first n_tokens of 8 are computed: a decode step pays for one.
GPU_DEVICE void mma_32(int c[4], const int a[4], const int b[2], int n_tokens) {
  const int t = threadIdx.x % 4;
  GPU_UNROLL for (int token = 0; token < 8; token++) {
    if (token >= n_tokens) continue;
    const int b0 = shuffle(b[0], 4 * token + t), b1 = shuffle(b[1], 4 * token + t);
    keep_quad_sum(c, dot4(a[0], b0, dot4(a[2], b1, 0)), dot4(a[1], b0, dot4(a[3], b1, 0)), token,
                  t);
  }
}
GPU_DEVICE void mma_16(int c[4], int a0, int a1, int b, int n_tokens) {
  const int t = threadIdx.x % 4;
  GPU_UNROLL for (int token = 0; token < 8; token++) {
    if (token >= n_tokens) continue;
    const int b0 = shuffle(b, 4 * token + t);
    keep_quad_sum(c, dot4(a0, b0, 0), dot4(a1, b0, 0), token, t);
  }
}

#endif

}  // namespace hearth::kernels::hip
