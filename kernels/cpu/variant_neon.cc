// Variant "neon": NEON with ARMv8.2's dot products.
#include "simd_neon.h"

#include "panels_vector.inl"
#include "variant.inl"

HEARTH_EXPORT_VARIANT(neon, VectorPanels)
