// NEON with the dot product instructions of ARMv8.2.
#include "row_kernels.h"

#if defined(__ARM_FEATURE_DOTPROD)
#include "simd_neon.h"

#include "dot_few_steps.h"
#include "variant.inl"

namespace hearth::kernels::cpu {

const RowKernels* neon_kernels() {
  static constexpr RowKernels kTable = table("neon");
  return &kTable;
}

}  // namespace hearth::kernels::cpu
#else
namespace hearth::kernels::cpu {

const RowKernels* neon_kernels() { return nullptr; }

}  // namespace hearth::kernels::cpu
#endif
