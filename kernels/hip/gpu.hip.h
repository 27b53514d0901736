// The only header through which a kernel sees its platform: AMD (hipcc), NVIDIA (nvcc, for running
// the kernels on a GPU that can be had) or the CPU emulation of the tests. One spelling for each.
//
// Kernels think in groups of 32 lanes. A wave of 64 (gfx9) holds two of them, so no kernel may
// assume that its 32 lanes are alone in their wave, and none mentions the wave's size but those
// whose matrix instruction takes a whole one (fragment.hip.h).
#pragma once

#include <stdint.h>

#if defined(GPU_EMULATION)
#include "emulation.h"
#elif defined(GPU_NV_SHIM)
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#else
#include <hip/hip_runtime.h>
#endif

/// Lanes that share a tile of 16 rows; shuffles stay inside.
#define GPU_LANES 32

/// A block of 512 has 128 registers a lane where waves are 64 wide: loads ahead of use must be
/// fewer.
#if defined(__GFX9__)
#define GPU_FEW_REGISTERS true
#else
#define GPU_FEW_REGISTERS false
#endif

/// Where these, besides, have no others beside them for matrix instructions: too few for two
/// versions of a loop.
#if defined(__gfx906__)
#define GPU_FEWEST_REGISTERS true
#else
#define GPU_FEWEST_REGISTERS false
#endif

/// Whether copy_async() goes on by itself, so that it pays to copy what is wanted later. Not in the
/// emulation: the GPUs that it stands for are AMD's, which get less shared memory (has_copies).
#if defined(GPU_NV_SHIM)
#define GPU_COPIES_AHEAD true
#else
#define GPU_COPIES_AHEAD false
#endif

#if defined(GPU_EMULATION)
#define GPU_DEVICE static inline
#define GPU_UNROLL
#define GPU_UNROLL_2
#define GPU_UNROLL_4
#define GPU_NO_UNROLL
#define GPU_KERNEL(name, Params, max_threads)                                            \
  static void name(Params p);                                                            \
  static const emulation::Register register_##name(#name, emulation::run<Params, name>); \
  static void name(Params p)
#define GPU_DYNAMIC_SHARED(T, name) T* name = reinterpret_cast<T*>(emulation::dynamic_shared())
#else
#define GPU_DEVICE static __device__ __forceinline__
#define GPU_UNROLL _Pragma("unroll")
#define GPU_UNROLL_2 _Pragma("unroll 2")
#define GPU_UNROLL_4 _Pragma("unroll 4")
/// Small kernels run their code once: what they wait for is instructions, so code is kept short.
#define GPU_NO_UNROLL _Pragma("unroll 1")
#define GPU_KERNEL(name, Params, max_threads) \
  extern "C" __global__ __launch_bounds__(max_threads) void name(const Params p)
#define GPU_DYNAMIC_SHARED(T, name) extern __shared__ T name[]
#endif

/// After a lambda's parameters: AMD's compiler might make a function, with a stack, of a long one.
#if defined(GPU_EMULATION) || defined(GPU_NV_SHIM)
#define GPU_INLINE
#else
#define GPU_INLINE __attribute__((always_inline))
#endif

/// The most threads of a block of a kernel for many tokens. AMD's compiler then gives each 256
/// registers, NVIDIA's 168, so that three blocks of 128 fit a processor.
#if defined(GPU_NV_SHIM)
#define GPU_WIDE_THREADS 384
#else
#define GPU_WIDE_THREADS 256
#endif

/// A kernel of which one or two blocks should fit a processor at once: NVIDIA's compiler has to be
/// told, or gives fewer registers than there are, with loads later than they might be.
#if defined(GPU_NV_SHIM)
#define GPU_KERNEL_ONE(name, Params, max_threads) \
  extern "C" __global__ __launch_bounds__(max_threads, 1) void name(const Params p)
#define GPU_KERNEL_TWO(name, Params, max_threads) \
  extern "C" __global__ __launch_bounds__(max_threads, 2) void name(const Params p)
#else
#define GPU_KERNEL_ONE GPU_KERNEL
#define GPU_KERNEL_TWO GPU_KERNEL
#endif

namespace hearth::kernels::hip {

#if defined(GPU_EMULATION)

template <class T>
GPU_DEVICE T shuffle_xor(T value, int mask) {
  return emulation::shuffle(value, emulation::lane() ^ mask);
}
template <class T>
GPU_DEVICE T shuffle(T value, int lane) {
  return emulation::shuffle(value, lane);
}
GPU_DEVICE int dot4(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += int8_t(a >> i) * int8_t(b >> i);
  return c;
}
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
/// Bytes of the 16-entry table {low, high} picked by the nibble in each byte of index.
GPU_DEVICE int lookup16(int index, const uint32_t table[4]) {
  uint32_t result = 0;
  for (int i = 0; i < 32; i += 8) {
    const int entry = index >> i & 15;
    result |= (table[entry / 4] >> 8 * (entry % 4) & 255) << i;
  }
  return static_cast<int>(result);
}
GPU_DEVICE void prefetch(const void*) {}
GPU_DEVICE void wait_for_previous() {}
GPU_DEVICE void let_next_start() {}
GPU_DEVICE void memory_fence() {}
GPU_DEVICE void host_fence() {}
GPU_DEVICE uint32_t atomic_add(uint32_t* counter, uint32_t value) {
  const uint32_t before = *counter;
  *counter += value;
  return before;
}

#elif defined(GPU_NV_SHIM)

template <class T>
GPU_DEVICE T shuffle_xor(T value, int mask) {
  return __shfl_xor_sync(0xffffffffu, value, mask);
}
template <class T>
GPU_DEVICE T shuffle(T value, int lane) {
  return __shfl_sync(0xffffffffu, value, lane);
}
GPU_DEVICE int dot4(int a, int b, int c) { return __dp4a(a, b, c); }
GPU_DEVICE float half_to_float(uint16_t bits) { return __half2float(__ushort_as_half(bits)); }
GPU_DEVICE uint16_t float_to_half(float value) { return __half_as_ushort(__float2half_rn(value)); }
GPU_DEVICE int lookup16(int index, const uint32_t table[4]) {
  // __byte_perm takes its four selectors as nibbles of the low half: bring the bytes together.
  uint32_t selector = index & 0x07070707;
  selector = (selector | selector >> 4) & 0x00ff00ff;
  selector = (selector | selector >> 8) & 0x0000ffff;
  const uint32_t low = __byte_perm(table[0], table[1], selector);
  const uint32_t high = __byte_perm(table[2], table[3], selector);
  const uint32_t upper = ((index >> 3) & 0x01010101) * 255;  // bytes whose entry is 8 or more
  return static_cast<int>((low & ~upper) | (high & upper));
}
/// Everything earlier on the stream is done and visible. What comes before it in a kernel (loading
/// weights) overlaps the previous kernel's tail. Every kernel must call it.
GPU_DEVICE void wait_for_previous() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
/// To the second-level cache.
GPU_DEVICE void prefetch(const void* from) { asm volatile("prefetch.global.L2 [%0];" ::"l"(from)); }
GPU_DEVICE void let_next_start() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
GPU_DEVICE void copy_async(uint4* shared, const uint4* from) {
  const uint32_t to = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
GPU_DEVICE void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kPending>
GPU_DEVICE void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

#else  // AMD

/// The mask is a constant once loops are unrolled. Exchanges within 16 lanes cost no more than a
/// move where an ordinary shuffle goes through shared memory, with a register for each address.
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
#elif defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || \
    defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__) || defined(__gfx1011__) ||  \
    defined(__gfx1012__) || defined(__gfx1030__) || defined(__gfx1031__) ||                       \
    defined(__gfx1032__) || defined(__gfx1033__) || defined(__gfx1034__) ||                       \
    defined(__gfx1035__) || defined(__gfx1036__)
  return __builtin_amdgcn_sdot4(a, b, c, false);
#else  // gfx900, gfx1010: no such instruction
  GPU_UNROLL for (int i = 0; i < 32; i += 8) c += int(int8_t(a >> i)) * int(int8_t(b >> i));
  return c;
#endif
}
#if defined(__GFX11__) && __clang_major__ < 16
// The short forms of these instructions reach 128 registers only, which clang 15 does not know: it
// is told to use all 256 (scripts/build-hip.mjs), and here to use the long forms.
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
GPU_DEVICE void prefetch(const void*) {}
GPU_DEVICE void wait_for_previous() {}
GPU_DEVICE void let_next_start() {}

#endif

/// The kernel's parameters, read again where they are needed. AMD's compiler would otherwise read
/// all of them at the kernel's start and keep them, in more scalar registers than there are.
template <class Params>
GPU_DEVICE const Params& late(const Params& p) {
#if defined(GPU_EMULATION) || defined(GPU_NV_SHIM)
  return p;
#else
  auto* again = __builtin_amdgcn_kernarg_segment_ptr();
  asm volatile("" : "+s"(again));
  return *(const Params*)again;
#endif
}

/// threadIdx.x, for the same reason: what is computed from it is not kept from ahead of a loop.
GPU_DEVICE int late_thread() {
  int thread = threadIdx.x;
#if !defined(GPU_EMULATION) && !defined(GPU_NV_SHIM)
  asm volatile("" : "+v"(thread));
#endif
  return thread;
}

/// Instructions are not moved across: AMD's compiler would otherwise begin with all loads of a long
/// run of code, and have too many registers wait for their use.
GPU_DEVICE void schedule_fence() {
#if !defined(GPU_EMULATION) && !defined(GPU_NV_SHIM)
  __builtin_amdgcn_sched_barrier(0);
#endif
}

/// A value that the lanes of a wave share, in a scalar register: AMD divides in vector ones.
GPU_DEVICE int uniform(int value) {
#if defined(GPU_EMULATION) || defined(GPU_NV_SHIM)
  return value;
#else
  return __builtin_amdgcn_readfirstlane(value);
#endif
}

#if !defined(GPU_NV_SHIM)
/// 16 bytes from memory to shared memory without passing through registers, where a GPU has that
/// (fragment.hip.h says who copies so). Copies are committed together; waiting leaves the last
/// kPending of these under way.
GPU_DEVICE void copy_async(uint4* shared, const uint4* from) { *shared = *from; }
GPU_DEVICE void commit_copies() {}
template <int kPending>
GPU_DEVICE void wait_for_copies() {}
#endif

#if !defined(GPU_EMULATION)
GPU_DEVICE void memory_fence() {
#if defined(GPU_NV_SHIM)
  asm volatile("fence.acq_rel.gpu;" ::: "memory");  // __threadfence() orders more than is needed
#else
  __threadfence();
#endif
}
/// What was written before it reaches the host before what is written after.
GPU_DEVICE void host_fence() { __threadfence_system(); }
GPU_DEVICE uint32_t atomic_add(uint32_t* counter, uint32_t value) {
  return atomicAdd(counter, value);
}
#endif

/// A barrier of kThreads neighbours, or of all: both must come as often.
template <int kThreads>
GPU_DEVICE void meet() {
#if defined(GPU_NV_SHIM)
  if (kThreads == GPU_LANES) {
    __syncwarp();
    return;
  }
#endif
  __syncthreads();
}

/// The quotient that the language defines, of numbers from 1e-30 up to any: NVIDIA's compiler makes
/// branches for others.
GPU_DEVICE float divide(float a, float b) {
#if defined(GPU_NV_SHIM)
  const float by = b > 1e30f ? 0x1p-64f : 1.0f;
  const float divisor = b * by;
  float inverse;
  asm("rcp.approx.f32 %0, %1;" : "=f"(inverse) : "f"(divisor));
  inverse = fmaf(fmaf(-divisor, inverse, 1.0f), inverse, inverse);
  const float quotient = a * inverse;
  return fmaf(fmaf(-divisor, quotient, a), inverse, quotient) * by;
#else
  return a / b;
#endif
}

/// 1 / sqrt(value), to a rounding or two: an instruction where sqrt and division are dozens.
GPU_DEVICE float inverse_root(float value) {
#if defined(GPU_EMULATION)
  return 1.0f / sqrtf(value);
#else
  return rsqrtf(value);
#endif
}

/// Sum, or greatest, over the 32 lanes; the same bits in every lane.
GPU_DEVICE float lanes_sum(float value) {
  GPU_UNROLL for (int mask = GPU_LANES / 2; mask > 0; mask >>= 1) value += shuffle_xor(value, mask);
  return value;
}
GPU_DEVICE float lanes_max(float value) {
  GPU_UNROLL for (int mask = GPU_LANES / 2; mask > 0; mask >>= 1) value =
      fmaxf(value, shuffle_xor(value, mask));
  return value;
}
GPU_DEVICE int lanes_max(int value) {
  GPU_UNROLL for (int mask = GPU_LANES / 2; mask > 0; mask >>= 1) value =
      max(value, shuffle_xor(value, mask));
  return value;
}

}  // namespace hearth::kernels::hip
