// Whether the results are right, and whether their bits depend on the batch.
#pragma once

/// Compares the small model with float64.
void check_reference();
/// Compares products computed one token at a time, in a batch, and by the plain kernels. Returns
/// the number of runs that differ.
void check_products(int reps);
void check_model(int n, int reps);
extern int n_wrong;  // the number of failed checks
