// The body of every variant_*.cc, which includes its simd_*.h before this. All of it has internal
// linkage: two variants may not share one copy of a function, as the linker would keep either.
#include <type_traits>
#include <utility>

#include "pack.h"
#include "packed_layout.h"
#include "row_kernels.h"
#include "simd.h"
#ifndef __AMX_INT8__
namespace hearth::kernels::cpu {
inline constexpr int kWideTokens = kTileTokens;
#ifdef __AVX512VNNI__
inline constexpr int kTokenOffset = 128, kFewTokens = 18;
#else
inline constexpr int kTokenOffset = 0;
#endif
}  // namespace hearth::kernels::cpu
#endif
// clang-format off
#include "packed_source.inl"
#include "multiply.inl"
#include "multiply_blocks.inl"
#include "activations.inl"
#ifdef __AMX_INT8__
#include "multiply_amx.inl"
#include "multiply_blocks_amx.inl"
#elif defined(__AVX512VNNI__)
#include "multiply_wide_avx512.inl"
#else
#include "multiply_wide.inl"
#endif
#include "matmul.inl"
#include "vector_kernels.inl"
#include "kv_page.inl"
#include "attention.inl"
// clang-format on

namespace hearth::kernels::cpu {
namespace {

constexpr RowKernels table(const char* name) {
  return {.name = name,
          .wide_tile = kWideTokens,
          .tile_bytes = tile_bytes,
          .pack_tile = pack_tile,
          .unpack_row = unpack_row,
          .quantize_tokens = quantize_tokens,
          .matmul = matmul,
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
