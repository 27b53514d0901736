// x86-64-v3 with AVX-VNNI.
#include "row_kernels.h"

#if defined(__AVXVNNI__)
#include "dot_avxvnni.h"
#include "variant.inl"

namespace hearth::kernels::cpu {

const RowKernels* avxvnni_kernels() {
  static constexpr RowKernels kTable = table("avxvnni");
  return &kTable;
}

}  // namespace hearth::kernels::cpu
#else
namespace hearth::kernels::cpu {

const RowKernels* avxvnni_kernels() { return nullptr; }

}  // namespace hearth::kernels::cpu
#endif
