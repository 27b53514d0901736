// The matrix product of a warp, c[16 rows x 8 tokens] += a[16 x 32 columns] * b[32 x 8], int8 to
// int32, exact. NVIDIA has it as an instruction (m16n8k32; before sm_80 as four of m8n8k16, whose
// operands lie in the same lanes); elsewhere dot4 and shuffles among four lanes give the same
// integers. Lane 4g + t holds
//
//   a[0..3]   row g, g + 8, g, g + 8;  columns 4t.. of half 0, 0, 1, 1
//   b[0..1]   token g;                 columns 4t.. of half 0, 1
//   c[0..3]   row g, g, g + 8, g + 8;  token 2t, 2t + 1, 2t, 2t + 1
//
// With one token (GEMV), seven of the eight columns of b would be empty. So a GEMV multiplies four
// groups at a time, from four different slices or units: four_dots gives lane 4g + t the dot
// products of the t-th group with rows g and g + 8.
//
// Formats with a scale per 16 columns need a separate product for each half of a group (kHalves).
#pragma once

#include "gpu.hip.h"

namespace hearth::kernels::hip {

#if defined(GPU_HAS_MMA) && __CUDA_ARCH__ < 800

/// c0 = start0 + a * b, c1 = start1 + a * b, for rows g of a and the 16 columns of half a group.
GPU_DEVICE void mma_8(int start0, int start1, int& c0, int& c1, int a, int b) {
  asm("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%4,%5};"
      : "=r"(c0), "=r"(c1)
      : "r"(a), "r"(b), "r"(start0), "r"(start1));
}
/// c = start + a * b for half a group: rows g (a0) and g + 8 (a1).
GPU_DEVICE void mma_16(int start, int (&c)[4], int a0, int a1, int b, int) {
  mma_8(start, start, c[0], c[1], a0, b);
  mma_8(start, start, c[2], c[3], a1, b);
}
/// c = start + a * b for a whole group.
GPU_DEVICE void mma_32(int start, int (&c)[4], const int (&a)[4], const int (&b)[2], int n_tokens) {
  mma_16(start, c, a[0], a[1], b[0], n_tokens);
  mma_8(c[0], c[1], c[0], c[1], a[2], b[1]);
  mma_8(c[2], c[3], c[2], c[3], a[3], b[1]);
}

#elif defined(GPU_HAS_MMA)

/// c = start + a * b for a whole group. One register with `start` is the third operand of all
/// products.
GPU_DEVICE void mma_32(int start, int (&c)[4], const int (&a)[4], const int (&b)[2], int) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%10,%10,%10};"
      : "=r"(c[0]), "=r"(c[1]), "=r"(c[2]), "=r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(start));
}
/// c = start + a * b for half a group.
GPU_DEVICE void mma_16(int start, int (&c)[4], int a0, int a1, int b, int) {
  asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%7,%7,%7,%7};"
      : "=r"(c[0]), "=r"(c[1]), "=r"(c[2]), "=r"(c[3])
      : "r"(a0), "r"(a1), "r"(b), "r"(start));
}

#else

/// Sums two rows' partial sums over four lanes; the lane that owns the token keeps both results.
GPU_DEVICE void keep_quad_sum(int (&c)[4], int upper, int lower, int token) {
  upper += shuffle_xor(upper, 1), lower += shuffle_xor(lower, 1);
  upper += shuffle_xor(upper, 2), lower += shuffle_xor(lower, 2);
  const bool is_mine = static_cast<int>(threadIdx.x % 4) == token / 2, is_odd = token & 1;
  c[0] += is_mine && !is_odd ? upper : 0, c[1] += is_mine && is_odd ? upper : 0;
  c[2] += is_mine && !is_odd ? lower : 0, c[3] += is_mine && is_odd ? lower : 0;
}

/// c = start + a * b for a whole group, but only for the first n_tokens of eight. The loop is not
/// unrolled, because eight tokens for each of many tiles would take too many registers.
GPU_DEVICE void mma_32(int start, int (&c)[4], const int (&a)[4], const int (&b)[2], int n_tokens) {
  const int t = threadIdx.x % 4, n = min(n_tokens, 8);
  GPU_UNROLL for (int i = 0; i < 4; i++) c[i] = start;
  GPU_NO_UNROLL for (int token = 0; token < n; token++) {
    const int b0 = shuffle(b[0], 4 * token + t), b1 = shuffle(b[1], 4 * token + t);
    keep_quad_sum(c, dot4(a[0], b0, dot4(a[2], b1, 0)), dot4(a[1], b0, dot4(a[3], b1, 0)), token);
  }
}
GPU_DEVICE void mma_16(int start, int (&c)[4], int a0, int a1, int b, int n_tokens) {
  const int t = threadIdx.x % 4, n = min(n_tokens, 8);
  GPU_UNROLL for (int i = 0; i < 4; i++) c[i] = start;
  GPU_NO_UNROLL for (int token = 0; token < n; token++) {
    const int b0 = shuffle(b, 4 * token + t);
    keep_quad_sum(c, dot4(a0, b0, 0), dot4(a1, b0, 0), token);
  }
}

#endif

/// Sets c[0] to the products of a group or, with kHalves, c[0] and c[1] to the products of its two
/// halves. c[0] begins with `start`.
template <bool kHalves>
GPU_DEVICE void mma_group(int start, int (&c)[2][4], const int (&a)[4], const int (&b)[2],
                          int n_tokens) {
  if constexpr (kHalves) {
    mma_16(start, c[0], a[0], a[1], b[0], n_tokens);
    mma_16(0, c[1], a[2], a[3], b[1], n_tokens);
  } else {
    mma_32(start, c[0], a, b, n_tokens);
  }
}

#if defined(GPU_HAS_MMA)

/// A lane's part of one group of the token in each of four slices. With matrix instructions, a lane
/// has a part of only one slice, g / 2.
struct FourInputs {
  int q[2];
};
struct FourSources {
  const int8_t* q;

  GPU_DEVICE FourSources of(const int8_t* x, const int (&first_groups)[4], int lane) {
    const int slice = lane / 8;
    const int group = slice < 2 ? (slice == 0 ? first_groups[0] : first_groups[1])
                                : (slice == 2 ? first_groups[2] : first_groups[3]);
    return {x + compute_now(group * 32 + lane % 4 * 8)};
  }
  GPU_MEMBER FourInputs load(int group) const {
    FourInputs x;
    load_pair(x.q, q + group * 32);
    return x;
  }
};

/// Column 2k of b is the token in slice k. Lane t takes column 2t of the product with slice t's
/// weights; the other columns, weights of one slice times activations of another, are ignored.
template <bool kHalves>
GPU_DEVICE void four_dots(int (&dots)[2][2], const int (&a)[4][4], const FourInputs& x) {
  int c[4][2][4];
  GPU_UNROLL for (int k = 0; k < 4; k++) mma_group<kHalves>(0, c[k], a[k], x.q, 1);
  const int t = threadIdx.x % 4;
  GPU_UNROLL for (int half = 0; half < (kHalves ? 2 : 1); half++)
      GPU_UNROLL for (int row = 0; row < 2; row++) {
    const int low = t & 1 ? c[1][half][2 * row] : c[0][half][2 * row];
    const int high = t & 1 ? c[3][half][2 * row] : c[2][half][2 * row];
    dots[half][row] = t & 2 ? high : low;
  }
}

#else

/// A lane's part of one group of the token in each of four slices. With dot4, a lane has columns
/// 4t.. of all four.
struct FourInputs {
  int q[4][2];
};
struct FourSources {
  const int8_t* q[4];

  GPU_DEVICE FourSources of(const int8_t* x, const int (&first_groups)[4], int lane) {
    FourSources s;
    GPU_UNROLL for (int k = 0; k < 4; k++) s.q[k] = x + first_groups[k] * 32 + lane % 4 * 8;
    return s;
  }
  GPU_MEMBER FourInputs load(int group) const {
    FourInputs x;
    GPU_UNROLL for (int k = 0; k < 4; k++) load_pair(x.q[k], q[k] + group * 32);
    return x;
  }
};

/// A transposing reduction: each of four lanes has its part of the sums of four slices, and lane t
/// gets the whole sum of slice t, for both rows. At each step a lane gives half of its slices away.
GPU_DEVICE void trade_slices(int (&dots)[2], const int (&partial)[4][2]) {
  const int t = threadIdx.x % 4;
  const bool is_upper = t & 2, is_odd = t & 1;
  int half[2][2];
  GPU_UNROLL for (int i = 0; i < 2; i++) GPU_UNROLL for (int row = 0; row < 2; row++) {
    const int keep = is_upper ? partial[2 + i][row] : partial[i][row];
    const int give = is_upper ? partial[i][row] : partial[2 + i][row];
    half[i][row] = keep + shuffle_xor(give, 2);
  }
  GPU_UNROLL for (int row = 0; row < 2; row++) {
    const int keep = is_odd ? half[1][row] : half[0][row];
    const int give = is_odd ? half[0][row] : half[1][row];
    dots[row] = keep + shuffle_xor(give, 1);
  }
}
template <bool kHalves>
GPU_DEVICE void four_dots(int (&dots)[2][2], const int (&a)[4][4], const FourInputs& x) {
  GPU_UNROLL for (int half = 0; half < (kHalves ? 2 : 1); half++) {
    int partial[4][2];
    GPU_UNROLL for (int k = 0; k < 4; k++) GPU_UNROLL for (int row = 0; row < 2; row++) {
      const int rest = kHalves ? 0 : dot4(a[k][2 + row], x.q[k][1], 0);
      partial[k][row] = dot4(a[k][2 * half + row], x.q[k][half], rest);
    }
    trade_slices(dots[half], partial);
  }
}

#endif

}  // namespace hearth::kernels::hip
