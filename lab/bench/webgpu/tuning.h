// Tries several ways to divide products, and chooses the fastest.
#pragma once

extern double tuning_start;  // seconds; no tiles are tried later than 50 s after it
/// Compares loops that are unrolled here with loops left to the driver.
void compare_unrolling();
void tune_gemv();
void tune_tiles();
/// Prints the time of a step that computes nearly nothing, and the maximum speed of dot products.
void floor_of_step();
