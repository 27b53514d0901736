// Unrolls WGSL loops with constant bounds, for (var i = 0u; i < BOUND; i++ or i += STEP) { ... },
// since some drivers do not keep arrays in registers that a loop indexes.
#pragma once
#include <string>

/// Unrolls loops with at most `most` rounds.
std::string unrolled(const std::string& wgsl, int most);
