// The small model in double precision, with activations quantized as the kernels do.
#pragma once
#include "model.h"

/// The logits at every position.
vector<vector<double>> reference(const vector<u32>& ids);
