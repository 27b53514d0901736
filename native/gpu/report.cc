#include "report.h"

#include <chrono>
#include <cstdio>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "gpus.h"
#include "hip/ops_hip.h"
#include "self_test.h"

namespace hearth::gpu {
namespace {

using kernels::BlockType;
using kernels::hip::HipOps;

template <class... Values>
std::string line(const char* format, Values... values) {
  char text[1000];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

/// A batch of n tokens of one sequence.
struct Batch {
  explicit Batch(int n) : tokens(n), positions(n), sequences(n) {
    std::iota(positions.begin(), positions.end(), 0);
  }
  void begin(kernels::Ops& ops) const { ops.begin({tokens, positions, sequences, {&table, 1}}); }

  std::vector<uint32_t> tokens;
  std::vector<int32_t> positions, sequences;
  std::vector<int32_t> pages{0, 1, 2, 3, 4, 5, 6, 7};
  std::span<const int32_t> table = pages;
};

/// Seconds for one product of the matrix with n tokens, in a series launched back to back.
double seconds(kernels::Ops& ops, const kernels::Matrix& matrix, const ReportEffort& effort,
               int n) {
  const Batch batch(n);
  const auto in = ops.buffer(size_t(n) * effort.n_cols);
  const auto out = ops.buffer(size_t(n) * effort.n_rows);
  std::vector<float> one(1);
  const auto round = [&](int times) {
    for (int i = 0; i < times; i++) {
      batch.begin(ops);
      ops.matmul_add(matrix, in->data, out->data);
    }
    ops.read(one, out->data);
  };
  round(2);  // warm-up: allocates memory and builds graphs
  const auto start = std::chrono::steady_clock::now();
  round(effort.n_rounds);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
         effort.n_rounds;
}

std::string report_on(const Candidate& gpu, const std::string& folder, const ReportEffort& effort) {
  std::string text =
      line("%s\n%s %s\n%zu MiB, %d processors, at most %d MHz%s\n", gpu.name().c_str(),
           gpu.runtime->library.c_str(), gpu.runtime->versions.c_str(), gpu.device.n_bytes >> 20,
           gpu.device.n_processors, gpu.device.clock_mhz,
           gpu.device.is_integrated ? ", integrated" : "");
  try {
    const std::vector<char> code = gpu.read_code(folder);
    const kernels::hip::DeviceChoice choice = gpu.choice(code);
    self_test(gpu.api(), choice);
    text += "self-test: passed\n";
    HipOps ops(gpu.api(), choice);
    text += speeds(ops, effort);
  } catch (const std::runtime_error& error) {
    text += std::string(error.what()) + '\n';
  }
  return text;
}

}  // namespace

std::string speeds(kernels::Ops& ops, const ReportEffort& effort) {
  const int n_rows = effort.n_rows, n_cols = effort.n_cols;
  const int n_prompt_tokens = effort.n_prompt_tokens;
  std::string text =
      line("%-8s %10s %10s %10s %14s\n", "weights", "MB", "1 token", "8 tokens", "prompt");
  for (const BlockType type : kernels::kBlockTypes) {
    std::vector<std::byte> bytes(n_rows * kernels::row_bytes(type, n_cols));
    std::mt19937 random(1);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 0x3f);
    const kernels::MatrixSource source{type, bytes.data(), n_rows, n_cols};
    const auto matrix = ops.pack({&source, 1});
    const double n_bytes = static_cast<double>(bytes.size());
    const double one = seconds(ops, *matrix, effort, 1), few = seconds(ops, *matrix, effort, 8);
    const double many = seconds(ops, *matrix, effort, n_prompt_tokens);
    const double operations = 2.0 * n_rows * n_cols * n_prompt_tokens;
    text += line("%-8s %10.1f %5.0f GB/s %5.0f GB/s %8.1f TOPS\n", kernels::block_traits(type).name,
                 n_bytes / 1e6, n_bytes / one / 1e9, n_bytes / few / 1e9, operations / many / 1e12);
  }
  return text;
}

std::string report(const std::string& kernels, const ReportEffort& effort) {
  const Gpus gpus = find_gpus("auto");
  std::string text;
  for (const Candidate& gpu : gpus.candidates) text += report_on(gpu, kernels, effort) + '\n';
  if (!gpus.reasons.empty()) text += gpus.reasons + "\n\n";
  return text;
}

}  // namespace hearth::gpu
