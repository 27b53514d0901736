// Checks that the results are right, and that their bits do not depend on the batch.
#pragma once

/// Compares the small model's logits with those computed in float64.
void check_reference();
/// Compares products computed one token at a time, in a batch, and by the plain kernels. Returns
/// the number of runs that differ.
void check_products(int reps);
/// Compares a prompt of n tokens in a batch, and in two pieces, with one token at a time.
void check_model(int n, int reps);
extern int n_wrong;  // the number of failed checks
