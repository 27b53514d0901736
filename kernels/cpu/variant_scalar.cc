// Plain C++, for any processor: slow, and the reference that the other variants are measured
// against.
#include "simd_scalar.h"

#include "dot_few_steps.h"
#include "variant.inl"

namespace hearth::kernels::cpu {

const RowKernels* scalar_kernels() {
  static constexpr RowKernels kTable = table("scalar");
  return &kTable;
}

}  // namespace hearth::kernels::cpu
