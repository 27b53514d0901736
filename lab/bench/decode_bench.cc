// Shows where the time of a decode step goes: `decode_bench MODEL.gguf [threads [variant [steps
// [depth]]]]`. Steps of one token alternate with plain reads of the same weights by the same number
// of threads, because the bandwidth of a shared machine changes from second to second, and some of
// the weights might still be in the last-level cache. Prints each op's median time over the steps,
// and its speed as a fraction of the plain read's.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cpu/packed_matrix.h"
#include "gguf/gguf.h"
#include "model/forward.h"

namespace {

using hearth::now_ns;
using hearth::OpTime;
using hearth::kernels::Matrix;
using hearth::kernels::cpu::PackedMatrix;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Streamed {
  const char* op;
  const Matrix* matrix;
};

/// The matrices that a step reads, in order.
std::vector<Streamed> streamed_by(const hearth::Model& model) {
  std::vector<Streamed> all;
  for (const hearth::Layer& layer : model.layers) {
    all.insert(all.end(), {{"qkv", layer.qkv.get()},
                           {"attn_output", layer.attn_out.get()},
                           {"ffn_gate_up", layer.gate_up.get()},
                           {"ffn_down", layer.ffn_down.get()}});
  }
  all.push_back({"head", &model.head()});
  return all;
}

/// Reads the words by adding them up in eight independent sums, which the compiler cannot remove.
/// Prefetches 4 KB ahead, which is the best distance on Zen 5 (with 2 KB it reads 4 % less).
uint64_t read_words(const uint64_t* words, size_t n) {
  uint64_t sums[8] = {};
  for (size_t i = 0; i + 8 <= n; i += 8) {
    __builtin_prefetch(words + i + 512);
    for (size_t k = 0; k < 8; k++) sums[k] += words[i + k];
  }
  return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
}

/// For each op, the microseconds that the first of n_threads threads takes to read its part of the
/// op's matrices. All threads read at the same time without waiting for each other.
std::map<std::string, double> read_us(const std::vector<Streamed>& streamed, int n_threads) {
  std::barrier start(n_threads);
  std::atomic<uint64_t> sum{0};
  std::map<std::string, double> us;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < n_threads; thread++) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      for (const auto& [op, matrix] : streamed) {
        const size_t n_words = matrix->n_bytes / 8 / static_cast<size_t>(n_threads);
        const std::byte* data = static_cast<const PackedMatrix*>(matrix)->data();
        const int64_t begin = now_ns();
        sum += read_words(reinterpret_cast<const uint64_t*>(data) + thread * n_words, n_words);
        if (thread == 0) us[op] += static_cast<double>(now_ns() - begin) / 1e3;
      }
    });
  }
  threads.clear();  // joins them
  return us;
}

/// For each op, its microseconds in each step.
using Samples = std::map<std::string, std::vector<double>>;

struct Row {
  std::string op;
  int n_calls = 0;
  double n_bytes = 0, us = 0, read_us = 0;

  void print() const {
    const double n = std::max(1, n_calls);
    std::printf("%-12s %5.0f %9.1f %9.1f", op.c_str(), n, n_bytes / n / 1e3, us / n);
    if (n_bytes > 0) {
      std::printf(" %7.1f %11.1f %5.0f %%", n_bytes / us / 1e3, n_bytes / read_us / 1e3,
                  100 * read_us / us);
    }
    std::printf("\n");
  }
};

class Bench {
 public:
  Bench(const std::string& path, hearth::kernels::CpuOptions options, int depth)
      : ops_(make_cpu_ops(options)), file_(hearth::GgufFile::open(path)), depth_(depth) {
    const hearth::ModelConfig config = read_config(file_);
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
    const std::vector<Streamed> streamed = streamed_by(model_);
    Samples ops, reads;
    for (int i = 0; i < n_steps; i++) {
      for (const auto& [op, us] : read_us(streamed, n_threads)) reads[op].push_back(us);
      step();  // the first one after a pause wakes threads
      const std::vector<OpTime> before = forward_->op_times();
      step();
      for (size_t op = 0; op < before.size(); op++) {
        const OpTime& after = forward_->op_times()[op];
        ops[after.op].push_back(static_cast<double>(after.ns - before[op].ns) / 1e3);
      }
    }
    print(streamed, ops, reads);
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

  void print(const std::vector<Streamed>& streamed, Samples& ops, Samples& reads) const {
    std::printf("%-12s %5s %9s %9s %7s %11s %7s\n", "op", "times", "kB each", "us each", "GB/s",
                "plain read", "share");
    Row step{"step", 1};
    for (const OpTime& time : forward_->op_times()) {
      Row row{time.op, 0, 0, median(ops[time.op]), 0};
      for (const auto& [op, matrix] : streamed) {
        if (row.op != op) continue;
        row.n_calls++;
        row.n_bytes += static_cast<double>(matrix->n_bytes);
      }
      if (row.n_calls > 0) row.read_us = median(reads[time.op]);
      if (row.op == "attention") row.n_calls = static_cast<int>(model_.layers.size());
      row.print();
      step.n_bytes += row.n_bytes;
      step.us += row.us;
      step.read_us += row.read_us;
    }
    step.print();
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
