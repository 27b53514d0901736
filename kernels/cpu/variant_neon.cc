// Variant "neon": NEON with the dot product instructions of ARMv8.2.
#include "simd_neon.h"

#include "panels_vector.inl"
#include "variant.inl"

HEARTH_EXPORT_VARIANT(neon, VectorPanels)
