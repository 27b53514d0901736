// Whether the results are right, and whether their bits depend on the batch.
#pragma once

/// The small model against float64.
void check_reference();
/// Products alone: one token at a time, in a batch, and by the plain kernels. Gives the number of
/// runs that differ.
void check_products(int reps);
void check_model(int n, int reps);
extern int n_wrong;  // checks that failed
