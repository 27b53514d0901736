// Computes the small model in double precision, with activations quantized as in the kernels.
#pragma once
#include "model.h"

/// The logits [position][token] for these token ids.
vector<vector<double>> reference(const vector<u32>& ids);
