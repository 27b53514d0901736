// Checks that the results are right, and that their bits do not depend on the batch.
#pragma once

/// Compares the small model's logits with those computed in float64.
void check_reference();
/// Compares the bits of products computed one token at a time, in a batch, and by the plain
/// kernels, `reps` times.
void check_products(int reps);
/// Compares the bits of a prompt of n tokens evaluated in one batch, in two pieces, and one token
/// at a time, `reps` times.
void check_model(int n, int reps);
extern int n_wrong;  // the number of failed checks
