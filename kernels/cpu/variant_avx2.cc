// x86-64-v3: AVX2, FMA and F16C.
#include "row_kernels.h"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include "dot_avx2.h"
#include "variant.inl"

namespace hearth::kernels::cpu {

const RowKernels* avx2_kernels() {
  static constexpr RowKernels kTable = table("avx2");
  return &kTable;
}

}  // namespace hearth::kernels::cpu
#else
namespace hearth::kernels::cpu {

const RowKernels* avx2_kernels() { return nullptr; }

}  // namespace hearth::kernels::cpu
#endif
