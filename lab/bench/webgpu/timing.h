// The times of launches, measured with the GPU's timestamps and with the clock.
#pragma once
#include "gpu.h"

/// Seconds.
struct Times {
  double gpu = 1e9, wall = 1e9, encode = 1e9, submit = 1e9;
};

/// Adds the launches as one pass, `times` times, with timestamps or without.
void encode(WGPUCommandEncoder e, const vector<Launch>& ls, int times = 1, bool stamp = true);
/// Encodes, submits and waits.
Times run(const vector<Launch>& ls, int times = 1);
/// The minimum of several tries, for one round.
Times best(const vector<Launch>& ls, int tries, int times = 1);
void profile(const char* title, const vector<Launch>& ls);
