// AMD's matrix instructions for int8: c[16 x 16] += a[16 x 16] * b[16 x 16], half a group of 32
// columns. Operands of lane l:
//
//   WMMA             a: row l % 16, all columns             b: column l % 16, all rows
//                    c[i]: row 2 i + l / 16, column l % 16
//   WMMA of gfx12    a: row l % 16, columns 8 (l / 16)..    b: column l % 16, rows 8 (l / 16)..
//                    c[i]: row 8 (l / 16) + i, column l % 16
// The emulation implements them as functions.
#pragma once

#include "gpu.hip.h"

#if defined(GPU_EMULATION)
#define GPU_HAS_WMMA
#define GPU_HAS_WMMA12
#elif defined(__GFX11__)
#define GPU_HAS_WMMA
#elif defined(__GFX12__)
#define GPU_HAS_WMMA12
#endif

namespace hearth::kernels::hip {

#if defined(GPU_EMULATION)

GPU_DEVICE void wmma_half(int* c, const int (&a)[4], const int (&b)[4]) {
  emulation::wmma_16x16x16(c, a, b);
}
GPU_DEVICE void wmma_half(int* c, const int (&a)[2], const int (&b)[2]) {
  emulation::wmma12_16x16x16(c, a, b);
}

#elif defined(GPU_HAS_WMMA) || defined(GPU_HAS_WMMA12)

typedef int Sums8 __attribute__((ext_vector_type(8)));

#if defined(GPU_HAS_WMMA)
typedef int Words4 __attribute__((ext_vector_type(4)));
GPU_DEVICE void wmma_half(int* c, const int (&a)[4], const int (&b)[4]) {
  const Words4 a4 = {a[0], a[1], a[2], a[3]}, b4 = {b[0], b[1], b[2], b[3]};
  Sums8 sums = {c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]};
  sums = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, a4, true, b4, sums, false);
  GPU_UNROLL for (int i = 0; i < 8; i++) c[i] = sums[i];
}
#else
typedef int Words2 __attribute__((ext_vector_type(2)));
GPU_DEVICE void wmma_half(int* c, const int (&a)[2], const int (&b)[2]) {
  const Words2 a2 = {a[0], a[1]}, b2 = {b[0], b[1]};
  Sums8 sums = {c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]};
  sums = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, a2, true, b2, sums, false);
  GPU_UNROLL for (int i = 0; i < 8; i++) c[i] = sums[i];
}
#endif

#endif

}  // namespace hearth::kernels::hip
