// Times of launches, by the GPU's timestamps and by the clock.
#pragma once
#include "gpu.h"

/// Seconds.
struct Times {
  double gpu = 1e9, wall = 1e9, encode = 1e9, submit = 1e9;
};

/// Adds the launches as one pass, `times` times over, with timestamps or without.
void encode(WGPUCommandEncoder e, const vector<Launch>& ls, int times = 1, bool stamp = true);
/// Encodes, submits and waits.
Times run(const vector<Launch>& ls, int times = 1);
/// The least of several tries, of one round.
Times best(const vector<Launch>& ls, int tries, int times = 1);
void profile(const char* title, const vector<Launch>& ls);
