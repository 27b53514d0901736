// The functions of gpu.hip.h on AMD's GPUs.
#pragma once

/// On gfx11, the 32-bit encodings of f16 instructions address only 128 VGPRs, but clang 15 does not
/// know these instructions. scripts/build-amd.mjs lets it use all 256 VGPRs, so this forces the
/// 64-bit encodings.
#if defined(__GFX11__) && __clang_major__ < 16
#define GPU_FORCES_LONG_ENCODINGS
#endif

#include "gpu_plain.hip.h"

namespace hearth::kernels::hip {

/// The mask is a constant once loops are unrolled. A DPP exchange within 16 lanes costs no more
/// than a move; an ordinary shuffle (ds_bpermute) goes through LDS and takes an address register.
GPU_DEVICE int exchange_bits(int bits, int mask) {
  switch (mask) {
    case 1:
      return __builtin_amdgcn_mov_dpp(bits, 0xb1, 15, 15, true);  // lanes 1 0 3 2 of each quad
    case 2:
      return __builtin_amdgcn_mov_dpp(bits, 0x4e, 15, 15, true);  // 2 3 0 1
    case 4:
      return __builtin_amdgcn_ds_swizzle(bits, 4 << 10 | 31);  // xor 4 among 32 lanes
    case 8:
      return __builtin_amdgcn_mov_dpp(bits, 0x128, 15, 15, true);  // rotates 16 lanes by 8
    case 16:
      return __builtin_amdgcn_ds_swizzle(bits, 16 << 10 | 31);
    default:
      return __shfl_xor(bits, mask, GPU_LANES);
  }
}
template <class T>
GPU_DEVICE T shuffle_xor(T value, int mask) {
  static_assert(sizeof(T) == sizeof(int));
  int bits;
  memcpy(&bits, &value, sizeof bits);
  bits = exchange_bits(bits, mask);
  memcpy(&value, &bits, sizeof bits);
  return value;
}
template <class T>
GPU_DEVICE T shuffle(T value, int lane) {
  return __shfl(value, lane, GPU_LANES);
}
GPU_DEVICE int dot4(int a, int b, int c) {
#if __has_builtin(__builtin_amdgcn_sudot4) && \
    (defined(__GFX11__) || defined(__GFX12__) || defined(__gfx1100__))
  return __builtin_amdgcn_sudot4(true, a, true, b, c, false);
#elif defined(__gfx1011__) || defined(__gfx1012__) || defined(__gfx1030__) || \
    defined(__gfx1031__) || defined(__gfx1032__) || defined(__gfx1033__) ||   \
    defined(__gfx1034__) || defined(__gfx1035__) || defined(__gfx1036__)
  return __builtin_amdgcn_sdot4(a, b, c, false);
#else  // gfx1010: no such instruction
  GPU_UNROLL for (int i = 0; i < 32; i += 8) c += int(int8_t(a >> i)) * int(int8_t(b >> i));
  return c;
#endif
}
#if defined(GPU_FORCES_LONG_ENCODINGS)
GPU_DEVICE float half_to_float(uint16_t bits) {
  float value;
  asm("v_cvt_f32_f16_e64 %0, %1" : "=v"(value) : "v"(bits));
  return value;
}
GPU_DEVICE uint16_t float_to_half(float value) {
  uint16_t bits;
  asm("v_cvt_f16_f32_e64 %0, %1" : "=v"(bits) : "v"(value));
  return bits;
}
#else
GPU_DEVICE float half_to_float(uint16_t bits) {
  _Float16 half;
  __builtin_memcpy(&half, &bits, 2);
  return half;
}
GPU_DEVICE uint16_t float_to_half(float value) {
  const _Float16 half = static_cast<_Float16>(value);
  uint16_t bits;
  __builtin_memcpy(&bits, &half, 2);
  return bits;
}
#endif
GPU_DEVICE int lookup16(int index, const uint32_t table[4]) {
  const uint32_t selector = index & 0x07070707;
  const uint32_t low = __builtin_amdgcn_perm(table[1], table[0], selector);
  const uint32_t high = __builtin_amdgcn_perm(table[3], table[2], selector);
  const uint32_t upper = ((index >> 3) & 0x01010101) * 255;
  return static_cast<int>((low & ~upper) | (high & upper));
}
GPU_DEVICE void memory_fence() { __threadfence(); }
GPU_DEVICE uint64_t load_word(const uint64_t* from) {
  return __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
GPU_DEVICE void store_word(uint64_t* to, uint64_t word) {
  __hip_atomic_store(to, word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Without this, the compiler loads all parameters at the start of the kernel and runs out of
/// SGPRs.
template <class Params>
GPU_DEVICE const Params& reload(const Params&) {
  auto* again = __builtin_amdgcn_kernarg_segment_ptr();
  asm volatile("" : "+s"(again));
  return *(const Params*)again;
}
GPU_DEVICE int reload_thread() {
  int thread = threadIdx.x;
  asm volatile("" : "+v"(thread));
  return thread;
}
/// Without this, the compiler hoists all loads of a long run of code to its beginning, which takes
/// too many registers.
GPU_DEVICE void schedule_fence() { __builtin_amdgcn_sched_barrier(0); }
/// Without this, the compiler divides in VGPRs.
GPU_DEVICE int uniform(int value) { return __builtin_amdgcn_readfirstlane(value); }
GPU_DEVICE float inverse_root(float value) { return rsqrtf(value); }
/// Recursive, because inside some loops the compiler does not unroll a loop here.
template <int kMask = GPU_LANES / 2>
GPU_DEVICE int warp_max(int value) {
  value = max(value, shuffle_xor(value, kMask));
  if constexpr (kMask > 1) value = warp_max<kMask / 2>(value);
  return value;
}
template <int kMask = GPU_LANES / 2>
GPU_DEVICE int warp_sum(int value) {
  value += shuffle_xor(value, kMask);
  if constexpr (kMask > 1) value = warp_sum<kMask / 2>(value);
  return value;
}

}  // namespace hearth::kernels::hip
