// The dot products of simd.h on AVX-VNNI: the instruction vpdpbusd on 32-byte registers. Most
// recent laptop and desktop processors that lack AVX-512 have it.
#pragma once

#include "simd_avx2.h"

namespace hearth::kernels::cpu {
namespace {

inline constexpr int kDot8Offset = 128;
inline Unsigned add_dot4(Unsigned acc, Bytes w, const int8_t* x) {
  return as<Unsigned>(_mm256_dpbusd_avx_epi32(bits(acc), bits(w), bits(broadcast_4_part(x))));
}

}  // namespace
}  // namespace hearth::kernels::cpu

#include "dot_steps.h"
