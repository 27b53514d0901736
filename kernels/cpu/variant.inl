// Fills the table of a variant with its kernels. A variant_*.cc includes its SIMD layer (simd_*.h),
// its panels (panels_*.inl) and this file, and exports one function that returns the table.
// Everything else has internal linkage: of two functions with the same name, the linker would keep
// only one, perhaps the one with instructions that the processor lacks.
// clang-format off
#include "matmul.inl"
#include "vector_kernels.inl"
#include "kv_page.inl"
#include "attention.inl"
// clang-format on

namespace hearth::kernels::cpu {
namespace {

template <class Panels>
constexpr RowKernels table(const char* name) {
  return {.name = name,
          .wide_tile = kBatchPlan.tile,
          .quantize_tokens = quantize_tokens,
          .matmul = matmul<Panels>,
          .rmsnorm = rmsnorm,
          .rope = rope,
          .silu_mul = silu_mul,
          .add = add,
          .f16 = {.append = HalfPage::append, .attend_split = attend_split<HalfPage>},
          .int8 = {.append = Int8Page::append, .attend_split = attend_split<Int8Page>},
          .merge_split = merge_split,
          .finish_attention = finish_attention,
          .argmax = argmax};
}

}  // namespace
}  // namespace hearth::kernels::cpu

/// Defines the variant's function that row_kernels.h declares.
#define HEARTH_EXPORT_VARIANT(name, Panels)                                        \
  const hearth::kernels::cpu::RowKernels* hearth::kernels::cpu::name##_kernels() { \
    static constexpr RowKernels kTable = table<Panels>(#name);                     \
    return &kTable;                                                                \
  }
