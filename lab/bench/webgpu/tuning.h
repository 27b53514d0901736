// Chooses how products are divided, by trying.
#pragma once

extern double tuning_start;  // seconds; tiles are tried for 50 s at most
void compare_unrolling();
void tune_gemv();
void tune_tiles();
/// What a step takes that computes nothing, and the most that dot products reach.
void floor_of_step();
