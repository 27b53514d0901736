// Variant "scalar": plain C++ for any processor. It is slow. Tests compare the other variants with
// it.
#include "simd_scalar.h"

#include "panels_vector.inl"
#include "variant.inl"

HEARTH_EXPORT_VARIANT(scalar, VectorPanels)
