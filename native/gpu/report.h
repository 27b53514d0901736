// What an owner of a GPU can send to those who have none of its kind: `hearth doctor --gpu-report`.
#pragma once

#include <string>

namespace hearth::gpu {

/// What is timed: products with matrices that should be larger than the GPU's caches.
struct ReportEffort {
  int n_rows = 32768, n_cols = 4096;
  int n_prompt_tokens = 256;
  int n_rounds = 20;
};

/// For each GPU: runtime and driver, memory, clock, the verdict of the self-test, and how fast each
/// kernel reads weights. Takes some seconds for each. kernels: the folder of code objects.
std::string report(const std::string& kernels, const ReportEffort& effort);

}  // namespace hearth::gpu
