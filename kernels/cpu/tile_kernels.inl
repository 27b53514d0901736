// The parts that the kernels of all variants share: unpacking of weights, inner loops over a row
// tile, and layouts of activations. It uses the variant's SIMD layer (simd.h) and kBatchPlan
// (panel.h).
#include <type_traits>
#include <utility>

#include "packed_layout.h"
#include "panel.h"
#include "row_kernels.h"
#ifndef HEARTH_INNER_KERNEL  // an attribute of the inner loops, which a simd_*.h can set
#define HEARTH_INNER_KERNEL
#endif
// clang-format off
#include "packed_source.inl"
#include "multiply.inl"
#include "multiply_blocks.inl"
#include "activations.inl"
// clang-format on
