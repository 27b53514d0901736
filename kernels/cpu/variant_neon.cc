// Variant "neon": NEON with the dot product instructions of ARMv8.2.
#include "simd_neon.h"

#include "panels_vector.inl"
#include "variant.inl"

namespace hearth::kernels::cpu {

const RowKernels* neon_kernels() {
  static constexpr RowKernels kTable = table<VectorPanels>("neon");
  return &kTable;
}

}  // namespace hearth::kernels::cpu
