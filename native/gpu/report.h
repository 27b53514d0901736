// The report of `hearth doctor --gpu-report`, which the owner of a GPU can send to the developers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ops.h"

namespace hearth::gpu {

/// The size of the timed products (their matrices should be larger than the GPU's caches), and how
/// many layouts of weights the self-test with WebGPU tries.
struct ReportEffort {
  int n_rows = 32768, n_cols = 4096;
  int n_prompt_tokens = 256;
  int n_rounds = 20;
  size_t n_layouts = SIZE_MAX;
};

/// For each AMD and NVIDIA GPU: runtime and driver, memory, clock, the verdict of the self-test,
/// and how fast each kernel reads weights. Takes some seconds per GPU. kernels: the folder of code
/// objects.
std::string report(const std::string& kernels, const ReportEffort& effort);

/// The same report for WebGPU, with the GPU's limits and the verdict on each result of the
/// self-test.
std::string webgpu_report(const std::string& kernels, const ReportEffort& effort);

/// How fast products read each format of weights.
std::string speeds(kernels::Ops& ops, const ReportEffort& effort);

}  // namespace hearth::gpu
