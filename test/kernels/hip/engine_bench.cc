// Runs the engine with a model file as the product does: "gpu_engine_bench MODEL.gguf KERNELS
// BACKEND [GiB [VARIANT]]". KERNELS is the folder with nvidia.fatbin, BACKEND is auto, cuda or cpu.
// The bench occupies the GPU's memory except GiB; if the model needs more, its first layers run on
// the CPU. Prints tokens per second, memory, and a hash of the logits' bits.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "gpu/runtime.h"
#include "native/ask.h"

using namespace hearth;

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::vector<uint32_t> tokens(int n, uint32_t seed = 1) {
  std::vector<uint32_t> all(n);
  for (int i = 0; i < n; i++) all[i] = (seed * 7919 + i * 104729u) % 30000;
  return all;
}

Request request(RequestKind kind, std::vector<uint32_t> tokens) {
  Request made;
  made.kind = kind;
  made.tokens = std::move(tokens);
  return made;
}

/// The FNV-1a hash.
unsigned long long digest(const std::vector<float>& values) {
  unsigned long long hash = 0xcbf29ce484222325;
  for (const std::byte each : std::as_bytes(std::span(values)))
    hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return hash;
}

/// Occupies all of the GPU's memory except some, as another program might.
class GpuMemory {
 public:
  GpuMemory() : runtime_(gpu::nvidia_runtime()) { runtime_.api.set_device(0); }
  double free_gib() const {
    size_t free = 0, total = 0;
    runtime_.api.memory_info(&free, &total);
    return static_cast<double>(free) / (1 << 30);
  }
  void leave(double gib) {
    void* taken;
    const double n = free_gib() - gib;
    if (n > 0 && runtime_.api.allocate(&taken, static_cast<size_t>(n * (1 << 30))) != 0)
      throw std::runtime_error("the GPU's memory cannot be taken");
  }

 private:
  gpu::Runtime runtime_;
};

class Bench {
 public:
  explicit Bench(Engine& engine) : engine_(engine) {}

  double prompt_speed(int n) {
    std::vector<double> ms;
    for (uint32_t round = 0; round < 6; round++) {
      test::clear_cache(engine_);
      const Result result = test::ask(engine_, request(RequestKind::kPrefill, tokens(n, round)));
      if (round > 0) ms.push_back(result.timings.prefill_ms);
    }
    return 1e3 * n / median(ms);
  }

  double generation_speed(int n) {
    std::vector<double> ms;
    for (uint32_t round = 0; round < 3; round++) {
      Request generate = request(RequestKind::kGenerate, tokens(100, round));
      generate.max_tokens = n;
      generate.speculate = false;
      const Result result = test::ask(engine_, generate);
      ms.push_back(result.timings.decode_ms / std::max(result.timings.decode_passes, 1));
    }
    return 1e3 / median(ms);
  }

  /// The milliseconds of one pass that computes the logits of all its tokens.
  double pass_ms(int n) {
    std::vector<double> ms;
    for (uint32_t round = 0; round < 9; round++) {
      const auto start = std::chrono::steady_clock::now();
      test::ask(engine_, request(RequestKind::kLogits, tokens(n, round)));
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - start;
      ms.push_back(took.count());
    }
    return median(ms);
  }

  /// The logits after a prompt that is evaluated in pieces of this many tokens.
  unsigned long long bits(int piece) {
    test::clear_cache(engine_);
    const std::vector<uint32_t> all = tokens(200);
    for (int n = piece; n < static_cast<int>(all.size()); n += piece)
      test::ask(engine_, request(RequestKind::kPrefill, {all.begin(), all.begin() + n}));
    return digest(test::ask(engine_, request(RequestKind::kLastLogits, all)).values);
  }

 private:
  Engine& engine_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) throw std::runtime_error("MODEL.gguf KERNELS BACKEND [GiB]");
  const bool has_gpu = std::string(argv[3]) != "cpu";
  std::unique_ptr<GpuMemory> memory;
  double before = 0;
  if (has_gpu) {
    memory = std::make_unique<GpuMemory>();
    if (argc > 4) memory->leave(std::atof(argv[4]));
    before = memory->free_gib();
  }
  LoadOptions options;
  options.model_path = argv[1];
  options.gpu_kernels = argv[2];
  options.backend = argv[3];
  if (argc > 5) options.variant = argv[5];
  const auto engine = test::load(options);
  const ModelInfo& info = engine->info();
  std::printf("%s: %s, loaded in %.1f s%s%s\n", info.config.name.c_str(), info.backend.c_str(),
              info.load_ms / 1e3, info.fallback_reason.empty() ? "" : ", because ",
              info.fallback_reason.c_str());
  if (has_gpu) std::printf("  GPU memory %.2f GiB\n", before - memory->free_gib());
  Bench bench(*engine);
  for (const int n : {32, 256, 512})
    std::printf("  prompt %d: %.0f tok/s\n", n, bench.prompt_speed(n));
  std::printf("  generation: %.1f tok/s\n", bench.generation_speed(has_gpu ? 128 : 32));
  const double one = bench.pass_ms(1), eight = bench.pass_ms(8);
  std::printf("  a pass of 1: %.2f ms, of 8: %.2f ms, %.2fx\n", one, eight, eight / one);
  std::printf("  bits %016llx, in pieces %016llx\n", bench.bits(200), bench.bits(23));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "gpu_engine_bench: %s\n", error.what());
  return 1;
}
