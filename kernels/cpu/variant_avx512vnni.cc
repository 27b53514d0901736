// Variant "avx512vnni": AVX-512 (F, BW, DQ, VL) with VNNI.
#include "simd_avx512.h"

#include "panels_avx512.inl"
#include "variant.inl"

namespace hearth::kernels::cpu {

const RowKernels* avx512vnni_kernels() {
  static constexpr RowKernels kTable = table<Avx512Panels>("avx512vnni");
  return &kTable;
}

}  // namespace hearth::kernels::cpu
