// AMD's matrix instructions for int8: c[16 x 16] += a[16 x 16] * b[16 x 16], half a group of 32
// columns; mfma_group does both halves. What lane l holds:
//
//   MFMA (64 lanes)  a: row l % 16, columns 4 (l / 16)..    b: column l % 16, rows 4 (l / 16)..
//                    c[i]: row 4 (l / 16) + i, column l % 16
//   WMMA (32 lanes)  a: row l % 16, all columns             b: column l % 16, all rows
//                    c[i]: row 2 i + l / 16, column l % 16
//   WMMA of gfx12    a: row l % 16, columns 8 (l / 16)..    b: column l % 16, rows 8 (l / 16)..
//                    c[i]: row 8 (l / 16) + i, column l % 16
// The emulation implements them as functions.
#pragma once

#include "gpu.hip.h"

#if defined(GPU_EMULATION)
#define GPU_HAS_MFMA
#define GPU_HAS_WMMA
#define GPU_HAS_WMMA12
#elif defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#define GPU_HAS_MFMA
#elif defined(__GFX11__)
#define GPU_HAS_WMMA
#elif defined(__GFX12__)
#define GPU_HAS_WMMA12
#endif

namespace hearth::kernels::hip {

#if defined(GPU_EMULATION)

GPU_DEVICE void mfma_half(int* c, int a, int b) { emulation::mfma_16x16x16(c, a, b); }
GPU_DEVICE void mfma_group(int* c, const int (&a)[2], const int (&b)[2]) {
  GPU_UNROLL for (int half = 0; half < 2; half++) mfma_half(c, a[half], b[half]);
}
GPU_DEVICE void wmma_half(int* c, const int (&a)[4], const int (&b)[4]) {
  emulation::wmma_16x16x16(c, a, b);
}
GPU_DEVICE void wmma_half(int* c, const int (&a)[2], const int (&b)[2]) {
  emulation::wmma12_16x16x16(c, a, b);
}

#elif defined(GPU_HAS_MFMA)

typedef int Sums4 __attribute__((ext_vector_type(4)));

#if defined(__gfx942__) || defined(__gfx950__)  // have an instruction for whole groups only
GPU_DEVICE void mfma_group(int* c, const int (&a)[2], const int (&b)[2]) {
  const auto both = [](const int(&v)[2]) {
    return static_cast<long>(static_cast<uint32_t>(v[0]) | static_cast<uint64_t>(v[1]) << 32);
  };
  Sums4 sums = {c[0], c[1], c[2], c[3]};
  sums = __builtin_amdgcn_mfma_i32_16x16x32_i8(both(a), both(b), sums, 0, 0, 0);
  GPU_UNROLL for (int i = 0; i < 4; i++) c[i] = sums[i];
}
GPU_DEVICE void mfma_half(int* c, int a, int b) { mfma_group(c, {a, 0}, {b, 0}); }
#else
GPU_DEVICE void mfma_half(int* c, int a, int b) {
  Sums4 sums = {c[0], c[1], c[2], c[3]};
  sums = __builtin_amdgcn_mfma_i32_16x16x16i8(a, b, sums, 0, 0, 0);
  GPU_UNROLL for (int i = 0; i < 4; i++) c[i] = sums[i];
}
GPU_DEVICE void mfma_group(int* c, const int (&a)[2], const int (&b)[2]) {
  GPU_UNROLL for (int half = 0; half < 2; half++) mfma_half(c, a[half], b[half]);
}
#endif

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
