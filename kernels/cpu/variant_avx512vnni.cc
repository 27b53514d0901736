// Variant "avx512vnni": AVX-512 (F, BW, DQ, VL) with VNNI.
#include "simd_avx512.h"

#include "panels_avx512.inl"
#include "variant.inl"

HEARTH_EXPORT_VARIANT(avx512vnni, Avx512Panels)
