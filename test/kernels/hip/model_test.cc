// A whole model on the GPU against the CPU: "model_test MODEL.gguf". Greedy tokens must agree, or
// first differ where the CPU hesitates; a prompt in pieces must give the bits of the whole; then
// tokens/s.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "forward.h"
#include "gguf.h"
#include "gpu.h"
#include "hip/ops_hip.h"
#include "model.h"

using namespace hearth;

namespace {

constexpr int kPrompt = 200, kTokens = 256, kPages = 24;
// Two right engines with int8 activations differ by this much in a logit (docs of the reference
// runs).
constexpr float kLogitNoise = 0.5f;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// One sequence on one backend.
class Runner {
 public:
  Runner(const std::string& path, kernels::Ops& ops) : ops_(ops), file_(GgufFile::open(path)) {
    const ModelConfig config = check_model(file_);
    model_ = load_model(file_, config, ops, [](double) { return true; });
    ops.make_kv_pool({config.n_layers, config.n_heads, config.n_kv_heads, config.head_dim,
                      kPages * kernels::kPageTokens, config.rope_base},
                     kPages);
    forward_ = std::make_unique<Forward>(ops, model_, heartbeat_, interrupt_);
    pages_.resize(kPages);
    std::iota(pages_.begin(), pages_.end(), 0);
  }

  int n_vocab() const { return model_.config.n_vocab; }

  /// Evaluates tokens at `first`; the logits of the last stay in backend memory.
  const float* step(int first, std::span<const uint32_t> tokens) {
    std::vector<int32_t> positions(tokens.size()), sequences(tokens.size(), 0);
    std::iota(positions.begin(), positions.end(), first);
    const std::span<const int32_t> tables[] = {pages_};
    forward_->run({tokens, positions, sequences, tables}, true);
    const int32_t row = static_cast<int32_t>(tokens.size()) - 1;
    return forward_->head({&row, 1});
  }

  std::vector<float> logits(int first, std::span<const uint32_t> tokens) {
    std::vector<float> values(n_vocab());
    ops_.read(values, step(first, tokens));
    return values;
  }

  kernels::Argmax next(int first, std::span<const uint32_t> tokens) {
    kernels::Argmax best;
    ops_.argmax(step(first, tokens), 1, n_vocab(), {&best, 1});
    return best;
  }

 private:
  kernels::Ops& ops_;
  GgufFile file_;
  Model model_;
  Heartbeat heartbeat_;
  std::atomic<bool> interrupt_{false};
  std::unique_ptr<Forward> forward_;
  std::vector<int32_t> pages_;
};

struct Continuation {
  std::vector<uint32_t> tokens;
  std::vector<float> margins;
  double seconds = 0;
};

Continuation generate(Runner& runner, std::span<const uint32_t> prompt) {
  Continuation result;
  kernels::Argmax best = runner.next(0, prompt);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTokens; i++) {
    result.tokens.push_back(best.id);
    result.margins.push_back(best.margin);
    best = runner.next(kPrompt + i, {&result.tokens.back(), 1});
  }
  result.seconds = seconds_since(start);
  return result;
}

void require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

void check_pieces(Runner& gpu, std::span<const uint32_t> prompt) {
  const std::vector<float> whole = gpu.logits(0, prompt);
  std::vector<float> pieces;
  for (int first = 0, n = 1; first < kPrompt; first += n, n = std::min(n * 3, kPrompt - first))
    pieces = gpu.logits(first, prompt.subspan(first, n));
  require(whole == pieces, "a prompt in pieces gives other bits than the whole");
  std::printf("ok a prompt in pieces gives the bits of the whole\n");
}

void check_tokens(const Continuation& gpu, const Continuation& cpu) {
  int same = 0;
  while (same < kTokens && gpu.tokens[same] == cpu.tokens[same]) same++;
  require(same == kTokens || cpu.margins[same] < kLogitNoise,
          "the GPU leaves the CPU's tokens early");
  std::printf("ok %d greedy tokens as on the CPU%s\n", same,
              same < kTokens ? ", then one where the CPU's margin is small" : "");
}

}  // namespace

int main(int argc, char** argv) try {
  require(argc == 2, "usage: model_test MODEL.gguf");
  std::vector<uint32_t> prompt;
  for (uint32_t i = 0; i < kPrompt; i++) prompt.push_back(i * 37 % 4000);

  kernels::hip::HipOps gpu_ops(test::gpu_api(), test::gpu_choice());
  const auto start = std::chrono::steady_clock::now();
  Runner gpu(argv[1], gpu_ops);
  std::printf("%s: loaded in %.2f s\n", gpu_ops.description().c_str(), seconds_since(start));
  const auto cpu_ops = kernels::make_cpu_ops({"", 0});
  Runner cpu(argv[1], *cpu_ops);

  const std::vector<float> a = gpu.logits(0, prompt), b = cpu.logits(0, prompt);
  float worst = 0;
  for (size_t i = 0; i < a.size(); i++) worst = std::max(worst, std::fabs(a[i] - b[i]));
  std::printf("logits differ from the CPU's by %.3g at most\n", worst);
  require(worst < kLogitNoise, "logits are too far from the CPU's");
  check_pieces(gpu, prompt);
  const Continuation on_gpu = generate(gpu, prompt);
  check_tokens(on_gpu, generate(cpu, prompt));
  std::printf("%.0f tok/s\n", kTokens / on_gpu.seconds);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "FAIL %s\n", e.what());
  return 1;
}
