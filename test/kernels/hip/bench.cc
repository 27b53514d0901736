// Measures the HIP ops in tokens per second, with the real shapes of qwen2.5-coder (30b-a3b: of
// qwen3-coder, without head norms) and random weights: an upper bound for the engine. "bench 1.5b
// q8_0": decode, batches of 2..8, prefill; "bench 1.5b q8_0 32": one batch of 32 tokens.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>

#include "../gpu/random_model.h"
#include "gpu.h"
#include "hip/ops_hip.h"

using namespace hearth::kernels;
using test::fast_rows, test::kShapes, test::Shape;

namespace {

struct Layer {
  std::unique_ptr<Matrix> qkv, attn_out, gate_up, down;
  std::unique_ptr<Matrix> router;  // for a mixture of experts
  std::unique_ptr<Buffer> attn_norm, ffn_norm,
      bias;  // one for each layer, as in a model, so they are not in the caches
};

class Bench {
 public:
  Bench(const Shape& shape, bool is_mixed)
      : shape_(shape), ops_(test::gpu_api(), test::gpu_choice()), is_mixed_(is_mixed) {
    const BlockType main = is_mixed ? BlockType::kQ4_K : BlockType::kQ8_0;
    const int n_q = shape.n_q(), n_kv = shape.n_kv();
    // Matrices of experts are stacked: gate and up of each, down of each.
    const size_t n_experts = std::max(1, shape.n_experts);
    const std::vector<Part> gate_up(shape.n_experts ? 2 * n_experts : 1,
                                    {main, shape.n_experts ? shape.n_ff : 2 * shape.n_ff});
    for (int i = 0; i < shape.n_layers; i++) {
      const BlockType more = is_mixed && i % 2 ? BlockType::kQ6_K : main;
      Layer layer;
      layer.qkv = pack({{main, n_q + n_kv}, {more, n_kv}}, shape.n_embd);
      layer.attn_out = pack({{main, shape.n_embd}}, n_q);
      layer.gate_up = pack(gate_up, shape.n_embd);
      layer.down = pack(std::vector<Part>(n_experts, {more, shape.n_embd}), shape.n_ff);
      if (shape.n_experts)
        layer.router = pack({{BlockType::kF32, shape.n_experts}}, shape.n_embd, 512);
      layer.attn_norm = make_norm(), layer.ffn_norm = make_norm();
      layer.bias = ops_.buffer(n_q + 2 * n_kv);
      layers_.push_back(std::move(layer));
    }
    const BlockType last = is_mixed ? BlockType::kQ6_K : main;
    // With experts, all rows of the embedding differ, so that different tokens go to different
    // experts.
    head_ = pack({{last, shape.n_vocab}}, shape.n_embd, shape.n_experts ? shape.n_vocab : 64);
    ops_.make_kv_pool(
        {shape.n_layers, shape.n_heads, shape.n_kv_heads, shape.head_dim(), kContext, 1e6f},
        kContext / kPageTokens);
    norm_ = make_norm();
    x_ = ops_.buffer(kMaxBatch * size_t(shape.n_embd));
    q_ = ops_.buffer(kMaxBatch * size_t(n_q));
    attn_ = ops_.buffer(kMaxBatch * size_t(n_q));
    h_ = ops_.buffer(kMaxBatch * size_t(shape.n_ff) * std::max(1, shape.n_used));
    if (shape.n_experts) routes_ = ops_.buffer(ops_.n_route_floats(experts(layers_[0])));
    logits_ = ops_.buffer(16 * size_t(shape.n_vocab));
    pages_.resize(kContext / kPageTokens);
    std::iota(pages_.begin(), pages_.end(), 0);
  }

  double gigabytes() const { return n_bytes_ * 1e-9; }

  /// Runs one batch of n tokens at `first`, with the head for the last n_rows, and waits for it.
  void step(int first, int n, int n_rows) {
    start(first, n, n_rows);
    std::vector<Argmax> best(n_rows);
    ops_.argmax(logits_->data, n_rows, shape_.n_vocab, best);
  }
  void start(int first, int n, int n_rows) {
    std::vector<uint32_t> tokens(n);
    std::vector<int32_t> positions(n), sequences(n, 0), rows(n_rows);
    std::iota(positions.begin(), positions.end(), first);
    std::iota(rows.begin(), rows.end(), n - n_rows);
    for (int i = 0; i < n; i++) tokens[i] = (first + i) * 7919u % shape_.n_vocab;
    const std::span<const int32_t> tables[] = {pages_};
    ops_.begin({tokens, positions, sequences, tables});
    ops_.embed(*head_, x_->data);
    for (int i = 0; i < shape_.n_layers; i++) {
      const Layer& layer = layers_[i];
      ops_.norm_qkv(i, layer.attn_norm->data, 1e-6f, *layer.qkv, layer.bias->data, x_->data,
                    q_->data);
      const auto attended = ops_.attention(i, q_->data, attn_->data, layer.attn_out.get());
      ops_.matmul_add(*layer.attn_out, attended, x_->data);
      if (layer.router) {
        mix(layer);
        continue;
      }
      const auto h = ops_.norm_gate_up(layer.ffn_norm->data, 1e-6f, *layer.gate_up, x_->data,
                                       h_->data, layer.down.get());
      ops_.matmul_add(*layer.down, h, x_->data);
    }
    ops_.norm_head(norm_->data, 1e-6f, *head_, x_->data, rows, logits_->data);
  }

  /// Seconds per token if the GPU never waits for the host, because the next step is ready in time.
  double time_ahead(int first, int n_steps) {
    step(first, 1, 1);
    const auto start_time = std::chrono::steady_clock::now();
    for (int i = 0; i < n_steps - 1; i++) start(first, 1, 1);
    step(first, 1, 1);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_time).count() /
           n_steps;
  }

  /// Median seconds of a batch.
  double time(int first, int n, int n_rows, int n_repeats) {
    std::vector<double> seconds;
    for (int i = 0; i < n_repeats + 3; i++) {
      const auto start = std::chrono::steady_clock::now();
      step(first, n, n_rows);
      seconds.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(seconds.begin() + 3, seconds.end());
    return seconds[3 + n_repeats / 2];
  }

  /// Counts the kernels of a decode step, and the launches once steps repeat.
  void count_launches() {
    const auto& queue = ops_.queue();
    step(0, 1,
         1);  // finds out in which form the next weights need the output of attention and SwiGLU
    step(0, 1, 1);
    const uint64_t kernels = queue.n_launches();
    const uint64_t graphs = queue.n_graph_launches(), singles = queue.n_plain_launches();
    for (int i = 0; i < 10; i++) step(0, 1, 1);
    std::printf("  a token: %d kernels, as %.1f graphs and %.1f single launches\n",
                static_cast<int>((queue.n_launches() - kernels) / 10),
                (queue.n_graph_launches() - graphs) / 10.0,
                (queue.n_plain_launches() - singles) / 10.0);
  }

  static constexpr int kContext = 4096;

 private:
  using Part = std::pair<BlockType, int>;  // a type and its number of rows

  Experts experts(const Layer& layer) const {
    return {*layer.router, *layer.gate_up, *layer.down, shape_.n_experts, shape_.n_used};
  }
  void mix(const Layer& layer) {
    const Experts all = experts(layer);
    ops_.norm_route(layer.ffn_norm->data, 1e-6f, all, x_->data, routes_->data);
    ops_.norm_gate_up_experts(layer.ffn_norm->data, 1e-6f, all, routes_->data, x_->data, h_->data);
    ops_.add_experts(all, routes_->data, h_->data, x_->data);
  }

  std::unique_ptr<Buffer> make_norm() {
    auto norm = ops_.buffer(shape_.n_embd);
    ops_.write(norm->data, std::vector<float>(shape_.n_embd, 1.0f));
    return norm;
  }

  /// Equal parts share their bytes.
  std::unique_ptr<Matrix> pack(const std::vector<Part>& parts, int n_cols, int n_different = 64) {
    std::map<Part, std::vector<std::byte>> rows;
    std::vector<MatrixSource> sources;
    for (const Part& part : parts) {
      const auto& [type, n_rows] = part;
      if (!rows.contains(part)) rows[part] = fast_rows(type, n_rows, n_cols, 1, n_different);
      sources.push_back({type, rows[part].data(), n_rows, n_cols});
    }
    auto matrix = ops_.pack(sources);
    n_bytes_ += matrix->n_bytes;
    return matrix;
  }

  Shape shape_;
  hip::HipOps ops_;
  bool is_mixed_;
  double n_bytes_ = 0;
  std::vector<Layer> layers_;
  std::unique_ptr<Matrix> head_;
  std::unique_ptr<Buffer> norm_, x_, q_, attn_, h_, routes_, logits_;
  std::vector<int32_t> pages_;
};

/// Bytes per second that the GPU reads and writes while it copies.
double copy_bandwidth() {
  constexpr size_t kBytes = size_t{1} << 30;
  constexpr int kCopies = 10;
  const hip::GpuApi& api = test::gpu_api();
  void *from, *to, *stream, *event;
  int result = api.allocate(&from, kBytes) | api.allocate(&to, kBytes) |
               api.create_stream(&stream, hip::kNonBlocking) |
               api.create_event(&event, hip::kDisableTiming);
  double seconds = 0;
  for (int n : {1, kCopies}) {  // once to warm up
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < n; i++) result |= api.copy(to, from, kBytes, hip::kDeviceToDevice, stream);
    result |= api.record_event(event, stream);
    while (result == 0 && api.query_event(event) == hip::kNotReady) {
    }
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  if (result) throw std::runtime_error("the GPU cannot copy a gigabyte");
  api.destroy_event(event), api.destroy_stream(stream), api.release(to), api.release(from);
  return 2.0 * kBytes * kCopies / seconds;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3 || argc > 4 || !kShapes.count(argv[1])) {
    std::fprintf(stderr,
                 "usage: bench 0.5b|1.5b|3b|7b|30b-a3b q8_0|q4_k_m [tokens of one batch]\n");
    return 2;
  }
  Bench bench(kShapes.at(argv[1]), std::string(argv[2]) == "q4_k_m");
  if (argc == 4) {  // for a profiler
    const int n = std::atoi(argv[3]);
    std::printf("%d tokens: %.0f us\n", n, bench.time(0, n, 1, 5) * 1e6);
    return 0;
  }
  bench.count_launches();
  const double one = bench.time(100, 1, 1, 100), bandwidth = bench.gigabytes() / one;
  const double copying = copy_bandwidth() * 1e-9;
  std::printf("%s %s: %.0f tok/s (%.0f us), %.0f GB/s of weights, %.0f %% of the %.0f of copying\n",
              argv[1], argv[2], 1 / one, one * 1e6, bandwidth, 100 * bandwidth / copying, copying);
  std::printf("  without waiting for the host, nor argmax: %.0f us\n",
              bench.time_ahead(100, 100) * 1e6);
  for (int context : {1000, 4000})
    std::printf("  at position %d: %.0f tok/s\n", context, 1 / bench.time(context, 1, 1, 50));
  for (int n : {2, 4, 8})
    std::printf("  %d tokens: %.2fx the time of one\n", n, bench.time(100, n, n, 50) / one);
  for (int n : {16, 32, 64, 128, 256}) {
    const double seconds = bench.time(0, n, 1, 20);
    std::printf("  prefill %d: %.0f tok/s (%.0f us)\n", n, n / seconds, seconds * 1e6);
  }
  std::printf("  prefill 512: %.0f tok/s\n",
              512 / (bench.time(0, 256, 1, 10) + bench.time(256, 256, 1, 10)));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
