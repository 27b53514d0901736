// AVX-512 (F, BW, DQ, VL) with VNNI.
#include "row_kernels.h"

#if defined(__AVX512VNNI__)
#include "simd_avx512.h"
#include "variant.inl"

namespace hearth::kernels::cpu {

const RowKernels* avx512vnni_kernels() {
  static constexpr RowKernels kTable = table("avx512vnni");
  return &kTable;
}

}  // namespace hearth::kernels::cpu
#else
namespace hearth::kernels::cpu {

const RowKernels* avx512vnni_kernels() { return nullptr; }

}  // namespace hearth::kernels::cpu
#endif
