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

// What each platform's header says in its own way:
//   shuffle_xor(value, mask), shuffle(value, lane)  among 32 lanes
//   dot4(a, b, c)            c + the dot product of four int8 each
//   dot2<kHigh>(a, b, c)     c + the dot product of two int16 with the lower, or higher, int8 of b
//   half_to_float(bits), float_to_half(value)
//   lookup16(index, table)   bytes of the 16-entry table picked by the nibble in each byte of index
//   wait_for_previous()      everything earlier on the stream is done and visible. Every kernel
//                            must call it; what it does before (loading weights) overlaps the
//                            previous kernel's tail
//   let_next_start()         from here on the next kernel may begin to
//   prefetch(from)           to the second-level cache
//   memory_fence()           what was written before it is seen on the GPU before what is after
//   atomic_add(counter, value)  what was there before
//   copy_async(shared, from) 16 bytes to shared memory without passing through registers, where a
//                            GPU has that (fragment.hip.h says who copies so). commit_copies() puts
//                            them together; wait_for_copies<kPending>() leaves the last of these
//   late(params)             the kernel's parameters, read again where they are needed
//   kept(value)              the value, worked out here and not where it is needed
//   late_thread()            threadIdx.x, so that what is computed from it is not kept from before
//   schedule_fence()         instructions are not moved across
//   uniform(value)           a value that the lanes of a wave share, in a scalar register
//   meet<kThreads>()         a barrier of so many neighbours, or of all: both must come as often
//   divide(a, b)             the quotient that the language defines, b from 1e-30 up; else any
//   inverse_root(value)      1 / sqrt(value), to a rounding or two, from 1e-30 up
//   nearest(value)           the nearest integer, the even one of two; 0 for NaN
//   lanes_max(value), lanes_sum(value)  of integers, over 32 lanes
#if defined(GPU_EMULATION)
#include "gpu_emulated.hip.h"
#elif defined(GPU_NV_SHIM)
#include "gpu_nvidia.hip.h"
#else
#include "gpu_amd.hip.h"
#endif

namespace hearth::kernels::hip {

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

}  // namespace hearth::kernels::hip
