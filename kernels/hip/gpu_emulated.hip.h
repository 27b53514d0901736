// The functions of gpu.hip.h in the tests' CPU emulation of a GPU.
#pragma once

#include "cpu/fused.h"
#include "cpu/half.h"
#include "gpu_plain.hip.h"

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
GPU_DEVICE int lookup16(int index, const uint32_t table[4]) {
  uint32_t result = 0;
  for (int i = 0; i < 32; i += 8) {
    const int entry = index >> i & 15;
    result |= (table[entry / 4] >> 8 * (entry % 4) & 255) << i;
  }
  return static_cast<int>(result);
}
// Plain arithmetic, because C libraries differ: mingw-w64's fmaf rounds twice, and its functions
// that convert halves use other registers than clang expects.
GPU_DEVICE float half_to_float(uint16_t bits) { return cpu::f16_to_f32(bits); }
GPU_DEVICE uint16_t float_to_half(float value) { return cpu::f32_to_f16(value); }
GPU_DEVICE float fmaf(float a, float b, float c) { return cpu::fused(a, b, c); }
GPU_DEVICE void memory_fence() {}
GPU_DEVICE uint64_t load_word(const uint64_t* from) { return *from; }
GPU_DEVICE void store_word(uint64_t* to, uint64_t word) { *to = word; }
template <class Params>
GPU_DEVICE const Params& reload(const Params& p) {
  return p;
}
GPU_DEVICE int reload_thread() { return threadIdx.x; }
GPU_DEVICE void schedule_fence() {}
GPU_DEVICE int uniform(int value) { return value; }
GPU_DEVICE float inverse_root(float value) { return 1.0f / sqrtf(value); }

}  // namespace hearth::kernels::hip
