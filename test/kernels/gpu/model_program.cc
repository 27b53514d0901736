// Compares a whole model on the GPU with the CPU: "model_test MODEL.gguf", or "model_test
// 1.5b:q8_0" for random weights in a real shape. Greedy tokens must agree, or first differ where
// the CPU's margin is small. A prompt in pieces, or in a batch with others, must give the bits of
// the whole prompt. Then prints tokens/s.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "gguf/gguf.h"
#include "gpu_fixture.h"
#include "model/forward.h"
#include "model/model.h"
#include "random_model.h"

using namespace hearth;

namespace {

constexpr int kPrompt = 200, kTokens = 256;
// The pages of one sequence; the pool holds eight sequences.
constexpr int kPages = 16, kSequences = 8;
// The logits of two correct engines with int8 activations differ by this fraction of their standard
// deviation (by 0.5 in a trained model, whose logits have a deviation of 3).
constexpr float kLogitNoise = 0.17f;
// The relative rounding of a float. Models with random weights, unlike trained ones, can be
// chaotic: layers amplify differences. Two engines that round in different places differ about as
// much as the CPU does from itself if the weights of its norms move by two roundings. Both
// differences are maxima over many logits, so twice the CPU's difference bounds the engines'.
constexpr float kRounding = 0x1p-24f;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Model from_file(const std::string& path, kernels::Ops& ops) {
  const GgufFile file = GgufFile::open(path);
  return load_model(file, read_config(file), ops, [](double) { return true; });
}

/// "1.5b:q4_k_m" has the types of such files.
Model from_shape(const std::string& name, kernels::Ops& ops) {
  using kernels::BlockType;
  const size_t colon = name.find(':');
  const test::Shape& s = test::kShapes.at(name.substr(0, colon));
  if (s.n_experts > 0) throw std::invalid_argument(name + " is a mixture of experts");
  const bool is_mixed = name.substr(colon + 1) == "q4_k_m";
  const BlockType main = is_mixed ? BlockType::kQ4_K : BlockType::kQ8_0;
  const BlockType more = is_mixed ? BlockType::kQ6_K : BlockType::kQ8_0;
  uint32_t seed = 0;
  const auto pack = [&](std::vector<std::pair<BlockType, int>> parts, int n_cols) {
    std::vector<std::vector<std::byte>> rows;
    std::vector<kernels::MatrixSource> sources;
    for (const auto& [type, n_rows] : parts) {
      rows.push_back(test::fast_rows(type, n_rows, n_cols, ++seed));
      sources.push_back({type, rows.back().data(), n_rows, n_cols});
    }
    return ops.pack(sources);
  };
  const auto vector = [&](int n, float value) {
    auto buffer = ops.buffer(n);
    ops.write(buffer->data, std::vector<float>(n, value));
    return buffer;
  };
  constexpr float kNorm = 0.04f;
  Model model;
  ModelConfig& config = model.config;
  config.n_layers = s.n_layers, config.n_embd = s.n_embd;
  config.n_heads = s.n_heads, config.n_kv_heads = s.n_kv_heads, config.head_dim = s.head_dim();
  config.n_ff = s.n_ff, config.n_vocab = s.n_vocab;
  config.rope_base = 1e6f, config.norm_eps = 1e-6f;
  model.token_embd = pack({{more, s.n_vocab}}, s.n_embd);
  for (int i = 0; i < s.n_layers; i++) {
    const BlockType some = i % 2 ? more : main;
    Layer layer;
    layer.attn_norm = vector(s.n_embd, kNorm);
    layer.qkv = pack({{main, s.n_embd + s.n_kv()}, {some, s.n_kv()}}, s.n_embd);
    layer.qkv_bias = vector(s.n_embd + 2 * s.n_kv(), 0.1f);
    layer.attn_out = pack({{main, s.n_embd}}, s.n_embd);
    layer.ffn_norm = vector(s.n_embd, kNorm);
    layer.gate_up = pack({{main, s.n_ff}, {main, s.n_ff}}, s.n_embd);
    layer.ffn_down = pack({{some, s.n_embd}}, s.n_ff);
    model.layers.push_back(std::move(layer));
  }
  model.output_norm = vector(s.n_embd, kNorm);
  return model;
}

/// Several sequences on one backend, each with its own pages.
class Runner {
 public:
  Runner(const std::string& name, kernels::Ops& ops)
      : ops_(ops), model_(name.ends_with(".gguf") ? from_file(name, ops) : from_shape(name, ops)) {
    const ModelConfig& config = model_.config;
    ops.make_kv_pool(config.attention_shape(kernels::KvType::kF16, kPages * kernels::kPageTokens),
                     kPages * kSequences);
    forward_ = std::make_unique<Forward>(ops, model_, heartbeat_, interrupt_);
    for (int i = 0; i < kSequences; i++) {
      pages_[i].resize(kPages);
      std::iota(pages_[i].begin(), pages_[i].end(), i * kPages);
      tables_[i] = pages_[i];
    }
  }

  int n_vocab() const { return model_.config.n_vocab; }

  /// Evaluates tokens of sequence 0 at `first`. The logits of the last token stay in backend
  /// memory.
  const float* step(int first, std::span<const uint32_t> tokens) {
    std::vector<int32_t> positions(tokens.size()), sequences(tokens.size(), 0);
    std::iota(positions.begin(), positions.end(), first);
    forward_->run({tokens, positions, sequences, tables_}, true);
    const int32_t row = static_cast<int32_t>(tokens.size()) - 1;
    return forward_->head({&row, 1});
  }

  /// The logits for the next token of every sequence, [kSequences][n_vocab]. Sequence i is at
  /// position i of the prompt.
  std::vector<float> batch_logits(std::span<const uint32_t> prompt) {
    std::vector<int32_t> indices(kSequences);
    std::iota(indices.begin(), indices.end(), 0);
    for (int position = 0; position < kSequences - 1; position++) {
      const int n = kSequences - 1 - position;  // the number of longer sequences
      const std::vector<uint32_t> tokens(n, prompt[position]);
      const std::vector<int32_t> positions(n, position);
      forward_->run({tokens, positions, std::span(indices).last(n), tables_}, true);
    }
    const std::vector<uint32_t> tokens(prompt.begin(), prompt.begin() + kSequences);
    forward_->run({tokens, indices, indices, tables_}, true);
    std::vector<float> values(static_cast<size_t>(kSequences) * n_vocab());
    ops_.read(values, forward_->head(indices));
    return values;
  }

  /// The weights of all norms in the layers, and replacements for them.
  std::vector<std::vector<float>> norms() {
    std::vector<std::vector<float>> all;
    for (const Layer& layer : model_.layers)
      for (const auto* norm : {&layer.attn_norm, &layer.ffn_norm}) {
        all.emplace_back((*norm)->n_floats);
        ops_.read(all.back(), (*norm)->data);
      }
    return all;
  }
  void set_norms(const std::vector<std::vector<float>>& all) {
    size_t i = 0;
    for (const Layer& layer : model_.layers)
      for (const auto* norm : {&layer.attn_norm, &layer.ffn_norm})
        ops_.write((*norm)->data, all[i++]);
  }

  std::vector<float> logits(int first, std::span<const uint32_t> tokens) {
    std::vector<float> values(n_vocab());
    ops_.read(values, step(first, tokens));
    return values;
  }

  uint32_t next(int first, std::span<const uint32_t> tokens) {
    kernels::Argmax best;
    ops_.argmax(step(first, tokens), 1, n_vocab(), {&best, 1});
    return best.id;
  }

 private:
  kernels::Ops& ops_;
  Model model_;
  Heartbeat heartbeat_;
  std::atomic<bool> interrupt_{false};
  std::unique_ptr<Forward> forward_;
  std::array<std::vector<int32_t>, kSequences> pages_;
  std::array<std::span<const int32_t>, kSequences> tables_;
};

struct Continuation {
  std::vector<uint32_t> tokens;
  double seconds = 0;
};

Continuation generate(Runner& runner, std::span<const uint32_t> prompt) {
  Continuation result;
  uint32_t next = runner.next(0, prompt);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTokens; i++) {
    result.tokens.push_back(next);
    next = runner.next(kPrompt + i, {&result.tokens.back(), 1});
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

void check_batch(Runner& gpu, std::span<const uint32_t> prompt) {
  const std::vector<float> together = gpu.batch_logits(prompt);
  for (int i = 0; i < kSequences; i++) {
    const std::vector<float> alone = gpu.logits(0, prompt.first(i + 1));
    require(std::equal(alone.begin(), alone.end(), &together[i * size_t(gpu.n_vocab())]),
            "a token gets other bits beside others in a batch");
  }
  std::printf("ok eight sequences in a batch have the bits of each alone\n");
}

/// The difference between the greatest and the second logit where the answer's i-th token was
/// chosen.
float margin(Runner& runner, std::span<const uint32_t> prompt, const Continuation& answer, int i) {
  std::vector<float> logits = i == 0 ? runner.logits(0, prompt)
                                     : runner.logits(kPrompt + i - 1, {&answer.tokens[i - 1], 1});
  std::partial_sort(logits.begin(), logits.begin() + 2, logits.end(), std::greater<float>());
  return logits[0] - logits[1];
}

void check_tokens(const Continuation& gpu, Runner& on_cpu, std::span<const uint32_t> prompt,
                  float noise) {
  const Continuation cpu = generate(on_cpu, prompt);
  int same = 0;
  while (same < kTokens && gpu.tokens[same] == cpu.tokens[same]) same++;
  require(same == kTokens || margin(on_cpu, prompt, cpu, same) < noise,
          "the GPU's tokens differ from the CPU's too early");
  std::printf("ok %d greedy tokens as on the CPU%s\n", same,
              same < kTokens ? ", then one where the CPU's margin is small" : "");
}

float greatest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  float greatest = 0;
  for (size_t i = 0; i < a.size(); i++) greatest = std::max(greatest, std::fabs(a[i] - b[i]));
  return greatest;
}

/// The logits of an engine that rounds in other places.
std::vector<float> rounded_otherwise(Runner& runner, std::span<const uint32_t> prompt) {
  const auto norms = runner.norms();
  auto moved = norms;
  for (size_t k = 0; k < moved.size(); k++)
    for (size_t i = 0; i < moved[k].size(); i++)
      moved[k][i] *= 1 + ((i * 7919 + k * 104729) % 5 < 2 ? 2 : -2) * kRounding;
  runner.set_norms(moved);
  std::vector<float> logits = runner.logits(0, prompt);
  runner.set_norms(norms);
  return logits;
}

float spread(const std::vector<float>& values) {
  double sum = 0, squares = 0;
  for (const float value : values) sum += value, squares += double{value} * value;
  const double mean = sum / values.size();
  return static_cast<float>(std::sqrt(squares / values.size() - mean * mean));
}

}  // namespace

int main(int argc, char** argv) try {
  require(argc == 2, "usage: model_test MODEL.gguf | SHAPE:q8_0 | SHAPE:q4_k_m");
  const auto ops = test::gpu::gpu_ops();
  kernels::Ops& gpu_ops = *ops;
  const auto start = std::chrono::steady_clock::now();
  Runner gpu(argv[1], gpu_ops);
  std::printf("%s: loaded in %.2f s\n", gpu_ops.description().c_str(), seconds_since(start));
  std::vector<uint32_t> prompt;
  for (uint32_t i = 0; i < kPrompt; i++) prompt.push_back(i * 37 % std::min(4000, gpu.n_vocab()));
  const auto cpu_ops = kernels::make_cpu_ops({"", 0});
  Runner cpu(argv[1], *cpu_ops);

  const std::vector<float> a = gpu.logits(0, prompt), b = cpu.logits(0, prompt);
  const float worst = greatest_difference(a, b);
  const float own = greatest_difference(b, rounded_otherwise(cpu, prompt));
  const bool is_trained = std::string(argv[1]).ends_with(".gguf");
  const float noise = std::max(kLogitNoise * spread(b), is_trained ? 0 : 2 * own);
  std::printf(
      "logits differ from the CPU's by %.3g at most; noise is below %.3g (rounding: %.3g)\n", worst,
      noise, own);
  require(worst < noise, "logits are too far from the CPU's");
  check_pieces(gpu, prompt);
  check_batch(gpu, prompt);
  const Continuation on_gpu = generate(gpu, prompt);
  check_tokens(on_gpu, cpu, prompt, noise);
  std::printf("%.0f tok/s\n", kTokens / on_gpu.seconds);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "FAIL %s\n", e.what());
  return 1;
}
