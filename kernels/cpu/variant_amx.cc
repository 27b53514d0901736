// Variant "amx": AVX-512 VNNI, with AMX for batches.
#include "simd_amx.h"

#include "panels_amx.inl"
#include "variant.inl"

HEARTH_EXPORT_VARIANT(amx, AmxPanels)
