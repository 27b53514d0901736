// AVX-512 VNNI with AMX for batches.
#include "row_kernels.h"

#if defined(__AMX_INT8__)
#include "simd_amx.h"
#include "variant.inl"

namespace hearth::kernels::cpu {

const RowKernels* amx_kernels() {
  static constexpr RowKernels kTable = table("amx");
  return &kTable;
}

}  // namespace hearth::kernels::cpu
#else
namespace hearth::kernels::cpu {

const RowKernels* amx_kernels() { return nullptr; }

}  // namespace hearth::kernels::cpu
#endif
