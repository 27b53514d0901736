// Variant "i8mm": NEON with ARMv8.2's dot products and ARMv8.6's matrix products for int8.
#include "dot_i8mm.h"

#include "panels_vector.inl"
#include "variant.inl"

HEARTH_EXPORT_VARIANT(i8mm, VectorPanels)
