// The kernels for AMX with emulated instructions, so that tests can run them on any processor with
// AVX-512 VNNI.
#include "cpu/row_kernels.h"

#if defined(__AMX_INT8__)
#define HEARTH_EMULATED_AMX "emulated_amx_tiles.h"
#include "cpu/simd_amx.h"

#include "cpu/panels_amx.inl"
#include "cpu/variant.inl"

namespace test {

const hearth::kernels::cpu::RowKernels* emulated_amx_kernels() {
  static constexpr hearth::kernels::cpu::RowKernels kTable =
      hearth::kernels::cpu::table<hearth::kernels::cpu::AmxPanels>("emulated amx");
  return &kTable;
}

}  // namespace test
#else
namespace test {

const hearth::kernels::cpu::RowKernels* emulated_amx_kernels() { return nullptr; }

}  // namespace test
#endif
