// Where a decode step's time goes: `decode_bench MODEL.gguf [threads [variant [steps [depth]]]]`.
// Steps of one token take turns with plain reads of the same weights by as many threads, since the
// bandwidth of a shared machine moves from one second to the next. Per op: medians over the steps,
// and the share of that bandwidth.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cpu/packed_matrix.h"
#include "forward.h"
#include "gguf.h"

namespace {

using hearth::now_ns;
using hearth::OpTime;
using hearth::kernels::Matrix;
using hearth::kernels::cpu::PackedMatrix;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// All that a step streams, in its order.
std::vector<const Matrix*> weights(const hearth::Model& model) {
  std::vector<const Matrix*> all;
  for (const hearth::Layer& layer : model.layers) {
    for (const auto* matrix : {&layer.qkv, &layer.attn_out, &layer.gate_up, &layer.ffn_down}) {
      all.push_back(matrix->get());
    }
  }
  all.push_back(&model.head());
  return all;
}

/// Eight sums, which the compiler can neither leave out nor chain. The prefetch distance is the
/// best one here: no reader of the machine's was found to be faster.
uint64_t read_words(const uint64_t* words, size_t n) {
  uint64_t sums[8] = {};
  for (size_t i = 0; i + 8 <= n; i += 8) {
    __builtin_prefetch(words + i + 256);
    for (size_t k = 0; k < 8; k++) sums[k] += words[i + k];
  }
  return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
}

/// Microseconds in which each thread reads its share of every matrix, waiting for no other.
double read_us(const std::vector<const Matrix*>& matrices, int n_threads) {
  std::barrier start(n_threads + 1);
  std::atomic<uint64_t> sum{0};
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < n_threads; thread++) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      for (const Matrix* matrix : matrices) {
        const size_t n_words = matrix->n_bytes / 8 / static_cast<size_t>(n_threads);
        const std::byte* data = static_cast<const PackedMatrix*>(matrix)->data();
        sum += read_words(reinterpret_cast<const uint64_t*>(data) + thread * n_words, n_words);
      }
    });
  }
  start.arrive_and_wait();
  const int64_t begin = now_ns();
  threads.clear();  // joins
  return static_cast<double>(now_ns() - begin) / 1e3;
}

class Bench {
 public:
  Bench(const std::string& path, hearth::kernels::CpuOptions options, int depth)
      : ops_(make_cpu_ops(options)), file_(hearth::GgufFile::open(path)), depth_(depth) {
    const hearth::ModelConfig config = check_model(file_);
    model_ = load_model(file_, config, *ops_, [](double) { return true; });
    const int n_pages = depth / hearth::kernels::kPageTokens + 1;
    ops_->make_kv_pool({config.n_layers, config.n_heads, config.n_kv_heads, config.head_dim,
                        n_pages * hearth::kernels::kPageTokens, config.rope_base},
                       n_pages);
    for (int page = 0; page < n_pages; page++) pages_.push_back(page);
    forward_.emplace(*ops_, model_, heartbeat_, interrupt_);
  }

  void run(int n_threads, int n_steps) {
    std::printf("%s, %s\n", model_.config.name.c_str(), ops_->description().c_str());
    const std::vector<const Matrix*> matrices = weights(model_);
    for (int i = 0; i < 5; i++) step();
    std::vector<double> reads, steps;
    std::vector<std::vector<double>> op_us(forward_->op_times().size());
    for (int i = 0; i < n_steps; i++) {
      reads.push_back(read_us(matrices, n_threads));
      step();  // the first one after a pause wakes threads
      const std::vector<OpTime> before = forward_->op_times();
      const int64_t begin = now_ns();
      step();
      steps.push_back(static_cast<double>(now_ns() - begin) / 1e3);
      for (size_t op = 0; op < before.size(); op++) {
        op_us[op].push_back(static_cast<double>(forward_->op_times()[op].ns - before[op].ns) / 1e3);
      }
    }
    print(op_us, median(steps), median(reads));
  }

 private:
  void step() {
    const uint32_t token = random_() % static_cast<uint32_t>(model_.config.n_vocab);
    const int32_t position = depth_, sequence = 0, row = 0;
    const std::span<const int32_t> table = pages_;
    hearth::kernels::Argmax best;
    forward_->run({{&token, 1}, {&position, 1}, {&sequence, 1}, {&table, 1}}, true);
    forward_->argmax(forward_->head({&row, 1}), {&best, 1});
  }

  void print(const std::vector<std::vector<double>>& op_us, double step_us, double read_us) const {
    size_t n_bytes = 0;
    for (const Matrix* matrix : weights(model_)) n_bytes += matrix->n_bytes;
    const double bandwidth = static_cast<double>(n_bytes) / read_us;  // bytes/us
    std::printf("%-12s %6s %10s %10s %8s %14s\n", "op", "times", "kB each", "us each", "GB/s",
                "% of bandwidth");
    const std::vector<OpTime>& times = forward_->op_times();
    for (size_t op = 0; op < op_us.size(); op++) {
      const size_t bytes = bytes_of(times[op].op);
      print_row(times[op].op, calls_of(times[op].op), bytes, median(op_us[op]), bandwidth);
    }
    print_row("step", 1, n_bytes, step_us, bandwidth);
    print_row("plain read", 1, n_bytes, read_us, bandwidth);
  }

  static void print_row(const char* name, size_t calls, size_t bytes, double us, double bandwidth) {
    const double rate = static_cast<double>(bytes) / us, n = static_cast<double>(calls);
    std::printf("%-12s %6zu %10.1f %10.1f", name, calls, static_cast<double>(bytes) / n / 1e3,
                us / n);
    if (bytes > 0) std::printf(" %8.1f %14.0f", rate / 1e3, 100 * rate / bandwidth);
    std::printf("\n");
  }

  size_t calls_of(const std::string& op) const {
    const bool is_once = op == "begin" || op == "embed" || op == "head" || op == "argmax";
    return is_once ? 1 : model_.layers.size();
  }

  /// Of weights, in all layers.
  size_t bytes_of(const std::string& op) const {
    size_t bytes = op == "head" ? model_.head().n_bytes : 0;
    for (const hearth::Layer& layer : model_.layers) {
      if (op == "qkv") bytes += layer.qkv->n_bytes;
      if (op == "attn_output") bytes += layer.attn_out->n_bytes;
      if (op == "ffn_gate_up") bytes += layer.gate_up->n_bytes;
      if (op == "ffn_down") bytes += layer.ffn_down->n_bytes;
    }
    return bytes;
  }

  std::unique_ptr<hearth::kernels::Ops> ops_;
  hearth::GgufFile file_;
  hearth::Model model_;
  hearth::Heartbeat heartbeat_;
  std::atomic<bool> interrupt_{false};
  std::optional<hearth::Forward> forward_;
  std::vector<int32_t> pages_;
  const int depth_;
  std::minstd_rand random_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const auto number = [&](size_t i, int otherwise) {
    return args.size() > i ? std::atoi(args[i].c_str()) : otherwise;
  };
  try {
    const int n_threads = number(1, 2);
    Bench bench(args.at(0), {args.size() > 2 ? args[2] : "", n_threads}, number(4, 0));
    bench.run(n_threads, number(3, 100));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "decode_bench MODEL.gguf [threads [variant [steps [depth]]]]: %s\n",
                 error.what());
    return 1;
  }
}
