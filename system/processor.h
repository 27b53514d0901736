// Cores, and instructions whose availability only the system knows.
#pragma once

namespace hearth::system {

/// Cores that this process may use. Hardware threads of one core count once, because they share its
/// vector units.
struct Cores {
  int n_fast = 0;  // all of them, if the machine has only one kind
  int n_slow = 0;  // efficiency cores
};
Cores usable_cores();

/// Asks the system to run the calling thread at full speed, on a fast core if one is free.
void prefer_fast_cores();

/// Whether this process may use the tile registers of an x86 processor that has them. It asks the
/// system for permission.
bool may_use_tiles();

/// Whether a 64-bit ARM processor has dot products of int8 (FEAT_DotProd) and arithmetic in f16.
bool has_dot_products();

/// Whether a 64-bit ARM processor has products of int8 matrices (FEAT_I8MM).
bool has_matrix_products();

}  // namespace hearth::system
