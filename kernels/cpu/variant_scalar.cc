// Variant "scalar": plain C++ for any processor. It is slow, and the reference that the others are
// tested against.
#include "simd_scalar.h"

#include "panels_vector.inl"
#include "variant.inl"

namespace hearth::kernels::cpu {

const RowKernels* scalar_kernels() {
  static constexpr RowKernels kTable = table<VectorPanels>("scalar");
  return &kTable;
}

}  // namespace hearth::kernels::cpu
