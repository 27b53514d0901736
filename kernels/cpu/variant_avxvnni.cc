// Variant "avxvnni": AVX2, FMA and F16C (x86-64-v3) with AVX-VNNI.
#include "dot_avxvnni.h"

#include "panels_vector.inl"
#include "variant.inl"

HEARTH_EXPORT_VARIANT(avxvnni, VectorPanels)
