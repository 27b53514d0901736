// The functions of gpu.hip.h that need no special instructions. AMD's GPUs and the emulation share
// them.
#pragma once

namespace hearth::kernels::hip {

template <bool kHigh>
GPU_DEVICE int dot2(int a, int b, int c) {
  const int pair = kHigh ? b >> 16 : b;
  return c + int16_t(a) * int8_t(pair) + (a >> 16) * int8_t(pair >> 8);
}
GPU_DEVICE void prefetch(const void*) {}
GPU_DEVICE void wait_for_previous() {}
GPU_DEVICE void let_next_start() {}
GPU_DEVICE void copy_async(uint4* shared, const uint4* from) { *shared = *from; }
GPU_DEVICE void commit_copies() {}
template <int kPending>
GPU_DEVICE void wait_for_copies() {}
GPU_DEVICE int compute_now(int value) { return value; }
template <int kThreads>
GPU_DEVICE void barrier() {
  __syncthreads();
}
GPU_DEVICE float divide(float a, float b) { return a / b; }
GPU_DEVICE int nearest(float value) { return value == value ? static_cast<int>(rintf(value)) : 0; }

}  // namespace hearth::kernels::hip
