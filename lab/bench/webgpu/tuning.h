// Tries several ways to divide products, and chooses the fastest.
#pragma once

extern double tuning_start;  // seconds, as from now(); 50 s later, no more tiles are tried
/// Compares the speed of loops that unroll.h unrolls with that of loops left to the driver.
void compare_unrolling();
void tune_gemv();
void tune_tiles();
/// Prints the time of a step that computes nearly nothing, a lower bound for every step, and the
/// maximum speed of dot products.
void floor_of_step();
