// Variant "scalar": plain C++ for any processor. It is slow, and the reference that the others are
// tested against.
#include "simd_scalar.h"

#include "panels_vector.inl"
#include "variant.inl"

HEARTH_EXPORT_VARIANT(scalar, VectorPanels)
