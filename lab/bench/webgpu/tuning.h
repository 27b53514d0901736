// Chooses how products are divided, by trial.
#pragma once

extern double tuning_start;  // seconds; tiles are tried for at most 50 s
void compare_unrolling();
void tune_gemv();
void tune_tiles();
/// The time of a step that computes nothing, and the maximum that dot products reach.
void floor_of_step();
