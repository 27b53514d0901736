// Variant "i8mm": NEON with the dot products of ARMv8.2 and the matrix products of int8 of ARMv8.6.
#include "dot_i8mm.h"

#include "panels_vector.inl"
#include "variant.inl"

HEARTH_EXPORT_VARIANT(i8mm, VectorPanels)
