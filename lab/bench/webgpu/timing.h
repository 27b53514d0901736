// Measures the times of launches, with the GPU's timestamps and with the clock.
#pragma once
#include "gpu.h"

struct Times {
  double gpu = 1e9, wall = 1e9, encode = 1e9, submit = 1e9;  // seconds
};

/// Encodes one pass in which all launches run `times` times. stamp: whether timestamps are written.
void encode(WGPUCommandEncoder e, const vector<Launch>& ls, int times = 1, bool stamp = true);
/// Encodes and submits the launches, and waits for their end.
Times run(const vector<Launch>& ls, int times = 1);
/// The minimum times of several tries. Each try runs the launches `times` times and divides its
/// times by `times`.
Times best(const vector<Launch>& ls, int tries, int times = 1);
/// Runs each launch in its own pass. Prints the time per name, and the time between passes.
void profile(const char* title, const vector<Launch>& ls);
