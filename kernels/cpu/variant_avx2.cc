// Variant "avx2": AVX2, FMA and F16C (x86-64-v3).
#include "dot_avx2.h"

#include "panels_vector.inl"
#include "variant.inl"

HEARTH_EXPORT_VARIANT(avx2, VectorPanels)
