// The functions of gpu.hip.h on NVIDIA's GPUs, from Turing (sm_75) on. Dependent launches came with
// sm_90, asynchronous copies and reductions over a warp with sm_80.
#pragma once

namespace hearth::kernels::hip {

template <class T>
GPU_DEVICE T shuffle_xor(T value, int mask) {
  return __shfl_xor_sync(0xffffffffu, value, mask);
}
template <class T>
GPU_DEVICE T shuffle(T value, int lane) {
  return __shfl_sync(0xffffffffu, value, lane);
}
GPU_DEVICE int dot4(int a, int b, int c) { return __dp4a(a, b, c); }
template <bool kHigh>
GPU_DEVICE int dot2(int a, int b, int c) {
  return kHigh ? __dp2a_hi(a, b, c) : __dp2a_lo(a, b, c);
}
GPU_DEVICE float half_to_float(uint16_t bits) { return __half2float(__ushort_as_half(bits)); }
GPU_DEVICE uint16_t float_to_half(float value) { return __half_as_ushort(__float2half_rn(value)); }
GPU_DEVICE int lookup16(int index, const uint32_t table[4]) {
  // __byte_perm takes its four selectors as nibbles of the low half: bring the bytes together.
  uint32_t selector = index & 0x07070707;
  selector = (selector | selector >> 4) & 0x00ff00ff;
  selector = (selector | selector >> 8) & 0x0000ffff;
  const uint32_t low = __byte_perm(table[0], table[1], selector);
  const uint32_t high = __byte_perm(table[2], table[3], selector);
  const uint32_t upper = ((index >> 3) & 0x01010101) * 255;  // 0xff for indices of 8 or more
  return static_cast<int>((low & ~upper) | (high & upper));
}
GPU_DEVICE void prefetch(const void* from) { asm volatile("prefetch.global.L2 [%0];" ::"l"(from)); }
#if __CUDA_ARCH__ >= 900
GPU_DEVICE void wait_for_previous() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
GPU_DEVICE void let_next_start() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
#else
GPU_DEVICE void wait_for_previous() {}
GPU_DEVICE void let_next_start() {}
#endif
#if __CUDA_ARCH__ >= 800
GPU_DEVICE void copy_async(uint4* shared, const uint4* from) {
  const uint32_t to = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
GPU_DEVICE void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kPending>
GPU_DEVICE void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}
#else
GPU_DEVICE void copy_async(uint4* shared, const uint4* from) { *shared = *from; }
GPU_DEVICE void commit_copies() {}
template <int kPending>
GPU_DEVICE void wait_for_copies() {}
#endif
// Weaker than __threadfence(), which is sequentially consistent.
GPU_DEVICE void memory_fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
GPU_DEVICE uint64_t load_word(const uint64_t* from) {
  uint64_t word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
}
GPU_DEVICE void store_word(uint64_t* to, uint64_t word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}
template <class Params>
GPU_DEVICE const Params& reload(const Params& p) {
  return p;
}
/// The assembler sinks a computation below wait_for_previous() if only code there needs its result,
/// but it does not sink a load from volatile memory.
GPU_DEVICE int compute_now(int value) {
  __shared__ volatile int places[512];
  places[threadIdx.x] = value;
  return places[threadIdx.x];
}
GPU_DEVICE int reload_thread() { return threadIdx.x; }
GPU_DEVICE void schedule_fence() {}
GPU_DEVICE int uniform(int value) { return value; }
template <int kThreads>
GPU_DEVICE void barrier() {
  if (kThreads == GPU_LANES)
    __syncwarp();
  else
    __syncthreads();
}
/// Unlike the compiler's division, it has no branches for numbers that do not occur here.
GPU_DEVICE float divide(float a, float b) {
  const float by = b > 1e30f ? 0x1p-64f : 1.0f;
  const float divisor = b * by;
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(divisor));
  inverse = fmaf(fmaf(-divisor, inverse, 1.0f), inverse, inverse);
  const float quotient = a * inverse;
  return fmaf(fmaf(-divisor, quotient, a), inverse, quotient) * by;
}
GPU_DEVICE float inverse_root(float value) {
  float result;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
  return result;
}
GPU_DEVICE int nearest(float value) { return __float2int_rn(value); }
#if __CUDA_ARCH__ >= 800
GPU_DEVICE int warp_max(int value) { return __reduce_max_sync(0xffffffffu, value); }
GPU_DEVICE int warp_sum(int value) { return __reduce_add_sync(0xffffffffu, value); }
#endif

}  // namespace hearth::kernels::hip
