// Variant "amx": AVX-512 VNNI, with AMX for batches.
#include "simd_amx.h"

#include "panels_amx.inl"
#include "variant.inl"

namespace hearth::kernels::cpu {

const RowKernels* amx_kernels() {
  static constexpr RowKernels kTable = table<AmxPanels>("amx");
  return &kTable;
}

}  // namespace hearth::kernels::cpu
