// The only header through which a kernel sees its platform: AMD (hipcc), NVIDIA (nvcc) or the CPU
// emulation of the tests. Kernels use one spelling for all three.
//
// Kernels are written for waves of 32 lanes, called warps. GPUs whose waves have 64 (AMD's gfx9)
// are not supported.
#pragma once

#include <stdint.h>

#if defined(GPU_EMULATION)
#include "emulation.h"
#elif defined(GPU_NVIDIA)
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#else
#include <hip/hip_runtime.h>
#endif

/// Lanes of a warp, which share a tile of 16 rows. Shuffles stay inside a warp.
#define GPU_LANES 32

/// Whether kernels copy ahead with copy_async(). It must agree with DeviceChoice::has_copies
/// (native/gpu/nvidia.cc). False on AMD's GPUs and in the emulation.
#if defined(GPU_NVIDIA) && defined(__CUDA_ARCH__)
#define GPU_COPIES_AHEAD (__CUDA_ARCH__ >= 800)
#else
#define GPU_COPIES_AHEAD false
#endif

/// NVIDIA's int8 matrix instruction.
#if defined(GPU_NVIDIA)
#define GPU_HAS_MMA
#endif

/// GPU_DEVICE marks free functions and static members (it contains `static`), GPU_MEMBER the other
/// members.
#if defined(GPU_EMULATION)
#define GPU_DEVICE static inline
#define GPU_MEMBER inline
#define GPU_UNROLL
#define GPU_UNROLL_2
#define GPU_NO_UNROLL
#define GPU_KERNEL(name, Params, max_threads)                 \
  static void name(Params p);                                 \
  static const emulation::Register register_##name(           \
      #name, {emulation::run<Params, name>, sizeof(Params)}); \
  static void name(Params p)
#define GPU_DYNAMIC_SHARED(T, name) T* name = reinterpret_cast<T*>(emulation::dynamic_shared())
#else
#define GPU_DEVICE static __device__ __forceinline__
#define GPU_MEMBER __device__ __forceinline__
#define GPU_UNROLL _Pragma("unroll")
#define GPU_UNROLL_2 _Pragma("unroll 2")
/// Keeps a loop rolled. Code that runs once waits for instruction fetches, and short code needs
/// fewer.
#define GPU_NO_UNROLL _Pragma("unroll 1")
#define GPU_KERNEL(name, Params, max_threads) \
  extern "C" __global__ __launch_bounds__(max_threads) void name(const Params p)
#define GPU_DYNAMIC_SHARED(T, name) extern __shared__ T name[]
#endif

/// Follows a lambda's parameters. Without it, AMD's compiler might compile a long lambda as a
/// function with a stack.
#if defined(GPU_EMULATION) || defined(GPU_NVIDIA)
#define GPU_INLINE
#else
#define GPU_INLINE __attribute__((always_inline))
#endif

/// The maximum number of threads in a thread block of a prefill kernel (choose_many_tokens). The
/// compiler derives from it how many registers a thread may use: 255 for 256 threads, 168 for 384.
/// With 168, one thread block of 384 threads or three of 128 fit a compute unit (NVIDIA: SM).
#define GPU_WIDE_THREADS (GPU_COPIES_AHEAD ? 384 : 256)

/// A kernel with an occupancy of n_resident thread blocks per compute unit. Without this number,
/// NVIDIA's compiler uses fewer registers than there are and issues loads later than it could. The
/// other compilers ignore it.
#if defined(GPU_NVIDIA)
#define GPU_KERNEL_RESIDENT(name, Params, max_threads, n_resident) \
  extern "C" __global__ __launch_bounds__(max_threads, n_resident) void name(const Params p)
#else
#define GPU_KERNEL_RESIDENT(name, Params, max_threads, n_resident) \
  GPU_KERNEL(name, Params, max_threads)
#endif

// Each platform's header defines:
//   shuffle_xor(value, mask), shuffle(value, lane)  within a warp
//   dot4(a, b, c)            c + the dot product of four int8 each
//   dot2<kHigh>(a, b, c)     c + the dot product of a's two int16 with the lower (kHigh: upper) two
//                            int8 of b
//   half_to_float(bits), float_to_half(value)
//   lookup16(index, table)   entries of a 16-byte table, by the low nibble of each byte of index
//   wait_for_previous()      waits until all earlier work on the stream is done and visible. Every
//                            kernel calls it; the code before the call (loading weights) overlaps
//                            the previous kernel's tail (programmatic dependent launch). Empty on
//                            AMD and before sm_90, where kernels do not overlap
//   let_next_start()         from here on, the next kernel may run up to its wait_for_previous()
//   prefetch(from)           into the L2 cache
//   load_word(from), store_word(to, word)
//                            eight bytes as a whole, past caches that belong to a part of the GPU
//   memory_fence()           orders earlier writes before later ones, for the whole GPU
//   copy_async(shared, from) copies 16 bytes to shared memory without passing through registers,
//                            where the GPU can. commit_copies() makes a group of the copies so far;
//                            wait_for_copies<kPending>() waits for all but the last kPending groups
//   reload(params)           the kernel's own parameter struct, read again instead of kept in
//                            registers
//   compute_now(value)       forces the value to be computed here, not where it is used
//   reload_thread()          threadIdx.x, read again: values that follow from it are recomputed
//                            instead of kept in registers
//   schedule_fence()         the compiler moves no instruction across it
//   uniform(value)           keeps a value that all lanes of a wave share in a scalar register
//   barrier<kThreads>()      a barrier of at least kThreads neighbouring threads. It stays within a
//                            warp only on NVIDIA with kThreads = 32; otherwise the whole thread
//                            block takes part, so all threads must call it equally often
//   divide(a, b)             the correctly rounded quotient if b >= 1e-30, otherwise any number
//   inverse_root(value)      1 / sqrt(value) to within 2 ulp, for values >= 1e-30
//   nearest(value)           the nearest integer, ties to even; 0 for NaN
#if defined(GPU_EMULATION)
#include "gpu_emulated.hip.h"
#elif defined(GPU_NVIDIA)
#include "gpu_nvidia.hip.h"
#else
#include "gpu_amd.hip.h"
#endif

namespace hearth::kernels::hip {

/// Loads eight bytes at once: two operand words of a matrix instruction or of dot4().
GPU_DEVICE void load_pair(int (&to)[2], const void* from) {
  const uint2 both = *static_cast<const uint2*>(from);
  to[0] = static_cast<int>(both.x), to[1] = static_cast<int>(both.y);
}

GPU_DEVICE int maximum_of(int a, int b) { return max(a, b); }
GPU_DEVICE float maximum_of(float a, float b) { return fmaxf(a, b); }

/// Sum or maximum over a warp, with the same bits in every lane. Platforms may have their own
/// versions for integers.
template <class T>
GPU_DEVICE T warp_sum(T value) {
  GPU_UNROLL for (int mask = GPU_LANES / 2; mask > 0; mask >>= 1) value += shuffle_xor(value, mask);
  return value;
}
template <class T>
GPU_DEVICE T warp_max(T value) {
  GPU_UNROLL for (int mask = GPU_LANES / 2; mask > 0; mask >>= 1) value =
      maximum_of(value, shuffle_xor(value, mask));
  return value;
}

}  // namespace hearth::kernels::hip
