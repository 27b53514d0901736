// Variant "avx2": AVX2, FMA and F16C (x86-64-v3).
#include "dot_avx2.h"

#include "panels_vector.inl"
#include "variant.inl"

namespace hearth::kernels::cpu {

const RowKernels* avx2_kernels() {
  static constexpr RowKernels kTable = table<VectorPanels>("avx2");
  return &kTable;
}

}  // namespace hearth::kernels::cpu
