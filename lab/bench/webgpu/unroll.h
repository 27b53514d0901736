// Unrolls WGSL loops with constant bounds, for (var i = FROM; i < BOUND; i++ or i += STEP) { ... }.
// Some drivers do not keep an array in registers if a loop indexes it.
#pragma once
#include <string>

/// Returns the text with all loops of at most `most` rounds unrolled.
std::string unrolled(const std::string& wgsl, int most);
