// The functions of gpu.hip.h in the tests' CPU emulation of a GPU.
#pragma once

namespace hearth::kernels::hip {

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
template <bool kHigh>
GPU_DEVICE int dot2(int a, int b, int c) {
  const int pair = kHigh ? b >> 16 : b;
  return c + int16_t(a) * int8_t(pair) + (a >> 16) * int8_t(pair >> 8);
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
GPU_DEVICE uint32_t atomic_add(uint32_t* counter, uint32_t value) {
  const uint32_t before = *counter;
  *counter += value;
  return before;
}
GPU_DEVICE void copy_async(uint4* shared, const uint4* from) { *shared = *from; }
GPU_DEVICE void commit_copies() {}
template <int kPending>
GPU_DEVICE void wait_for_copies() {}
template <class Params>
GPU_DEVICE const Params& late(const Params& p) {
  return p;
}
GPU_DEVICE int kept(int value) { return value; }
GPU_DEVICE int late_thread() { return threadIdx.x; }
GPU_DEVICE void schedule_fence() {}
GPU_DEVICE int uniform(int value) { return value; }
template <int kThreads>
GPU_DEVICE void meet() {
  __syncthreads();
}
GPU_DEVICE float divide(float a, float b) { return a / b; }
GPU_DEVICE float inverse_root(float value) { return 1.0f / sqrtf(value); }
GPU_DEVICE int nearest(float value) { return value == value ? static_cast<int>(rintf(value)) : 0; }
GPU_DEVICE int lanes_max(int value) {
  GPU_UNROLL for (int mask = GPU_LANES / 2; mask > 0; mask >>= 1) value =
      max(value, shuffle_xor(value, mask));
  return value;
}
GPU_DEVICE int lanes_sum(int value) {
  GPU_UNROLL for (int mask = GPU_LANES / 2; mask > 0; mask >>= 1) value += shuffle_xor(value, mask);
  return value;
}

}  // namespace hearth::kernels::hip
