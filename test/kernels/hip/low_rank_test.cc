// Adapters in the products of a step on the GPU, compared with the CPU.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "../test_adapter.h"
#include "cpu/q8_0_block.h"
#include "hip_fixture.h"

using namespace hearth::kernels;
using namespace test::gpu;
using test::random_floats, test::TestAdapter, test::TestBatch, test::to_buffer;

namespace {

constexpr int kCols = 512;

constexpr int kRows = 112;

/// x + 0.5 (w in), plus the adapter's part, if there is one.
std::vector<float> added(Ops& ops, const std::vector<MatrixSource>& w, const TestAdapter* adapter,
                         int n, bool packs_another = false) {
  ops.residual_scale = 0.5f;
  const auto matrix = ops.pack(w);
  const auto low_rank = adapter ? adapter->pack(ops) : nullptr;
  const auto another =
      packs_another ? TestAdapter({{0, 16, 8}}, matrix->n_cols).pack(ops) : nullptr;
  const auto in = to_buffer(ops, random_floats(n * size_t(matrix->n_cols), 1));
  const auto x = to_buffer(ops, random_floats(n * size_t(matrix->n_rows), 5));
  const TestBatch step(0, n, 3);
  ops.begin(step.batch());
  ops.matmul_add({*matrix, low_rank.get()}, in->data, x->data);
  return from_buffer(ops, *x);
}

std::vector<float> added(Ops& ops, const TestMatrix& w, const TestAdapter* adapter, int n,
                         bool packs_another = false) {
  return added(ops, std::vector{w.source()}, adapter, n, packs_another);
}

/// The output of SwiGLU, and the output of the next product, both with an adapter.
struct FeedForward {
  TestMatrix gate, up, down;
  TestAdapter inner{{{0, 64, 16}, {64, 64, 40}}, kCols}, outer{{{0, 48, 3}}, 64};

  explicit FeedForward(BlockType type)
      : gate(type, 64, kCols, 21), up(type, 64, kCols, 22), down(BlockType::kQ8_0, 48, 64, 23) {}
  std::vector<float> run(Ops& ops, int n, bool with_adapter = true) const {
    const auto gate_up = ops.pack(std::vector{gate.source(), up.source()});
    const auto last = ops.pack(std::vector{down.source()});
    const auto first_added = with_adapter ? inner.pack(ops) : nullptr;
    const auto last_added = with_adapter ? outer.pack(ops) : nullptr;
    const auto in = to_buffer(ops, random_floats(n * size_t{kCols}, 1));
    const auto norm = to_buffer(ops, random_floats(kCols, 2, 1));
    const auto h = ops.buffer(n * size_t{64}), x = ops.buffer(n * size_t{48});
    const TestBatch step(0, n, 3);
    ops.begin(step.batch());
    const ProductInput input = ops.norm_gate_up(norm->data, 1e-6f, {*gate_up, first_added.get()},
                                                in->data, h->data, last.get());
    ops.matmul_add({*last, last_added.get()}, input, x->data);
    std::vector<float> all = from_buffer(ops, *h);
    const auto sums = from_buffer(ops, *x);
    all.insert(all.end(), sums.begin(), sums.end());
    return all;
  }
};

/// q and attention's output, batch after batch; keys and values of earlier batches were computed
/// with the adapter, too.
std::vector<float> attended(Ops& ops, const AttentionShape& shape, const TestMatrix& qkv,
                            const TestAdapter* adapter) {
  const int n_q = shape.n_heads * shape.head_dim;
  ops.make_kv_pool(shape, 2);
  const auto matrix = ops.pack(std::vector{qkv.source()});
  const auto low_rank = adapter ? adapter->pack(ops) : nullptr;
  const auto norm = to_buffer(ops, random_floats(kCols, 2, 1));
  const auto bias = to_buffer(ops, random_floats(qkv.n_rows, 9));
  std::vector<float> all;
  int first = 0;
  for (const int n : {40, 3, 1}) {
    const auto x = to_buffer(ops, random_floats(n * size_t{kCols}, first));
    const auto q = ops.buffer(n * size_t(n_q)), out = ops.buffer(n * size_t(n_q));
    const TestBatch step(first, n, 2);
    ops.begin(step.batch());
    ops.norm_qkv(0, norm->data, 1e-6f, {*matrix, low_rank.get()}, bias->data, x->data, q->data);
    ops.attention(0, q->data, out->data, nullptr);
    for (const Buffer* from : {q.get(), out.get()}) {
      const auto values = from_buffer(ops, *from);
      all.insert(all.end(), values.begin(), values.end());
    }
    first += n;
  }
  return all;
}

void check_against_cpu(const std::vector<float>& got, const std::vector<float>& expected,
                       const std::vector<float>& plain, const std::string& what) {
  check_all_near(got, expected, greatest_of(expected) * 0.005, what);
  double difference = 0, energy = 0;
  for (size_t i = 0; i < plain.size(); i++) {
    difference += std::pow(double{plain[i]} - expected[i], 2);
    energy += std::pow(double{expected[i]}, 2);
  }
  CHECK(difference > 0.01 * energy);
}

}  // namespace

TEST("an adapter changes a GPU product as it does the CPU's, for any type, rank and batch") {
  for (const BlockType type : {BlockType::kQ8_0, BlockType::kQ4_K, BlockType::kF16}) {
    const TestMatrix w(type, kRows, kCols, 3);
    for (const int rank : {1, 16, 40, 256}) {
      const TestAdapter adapter({{0, kRows, rank}}, kCols);
      for (const int n : {1, 3, 9, 40}) {
        if (test::kIsSanitized && n > 3 && rank != 16) continue;
        const auto ops = gpu_ops(), cpu = cpu_ops();
        check_against_cpu(added(*ops, w, &adapter, n), added(*cpu, w, &adapter, n),
                          added(*cpu, w, nullptr, n),
                          title(type, kRows, kCols, n) + ", rank " + std::to_string(rank));
      }
    }
  }
}

// The CPU lowers with floats. An input rounded to eight bits would give an error of 1e-5.
TEST("a GPU keeps fifteen bits of the input of an adapter") {
  for (const BlockType type : {BlockType::kQ8_0, BlockType::kQ4_K, BlockType::kF16}) {
    const TestMatrix w(type, kRows, kCols, 3);
    const TestAdapter adapter({{0, kRows, 16}}, kCols, 100);
    for (const int n : {1, 8, 40}) {
      const auto ops = gpu_ops(), cpu = cpu_ops();
      const auto got = added(*ops, w, &adapter, n), expected = added(*cpu, w, &adapter, n);
      const auto without = added(*cpu, w, nullptr, n);
      double error = 0, energy = 0;
      for (size_t i = 0; i < got.size(); i++) {
        error += std::pow(double{got[i]} - expected[i], 2);
        energy += std::pow(double{expected[i]} - without[i], 2);
      }
      CHECK(error < 1e-9 * energy);
    }
  }
}

TEST("a GPU does not round the values of an 8-bit adapter any further") {
  for (const BlockType type : {BlockType::kQ8_0, BlockType::kQ4_K}) {
    const TestMatrix w(type, kRows, kCols, 3);
    for (const int rank : {16, 40}) {
      const TestAdapter exact({{0, kRows, rank}}, kCols), rounded({{0, kRows, rank, true}}, kCols);
      for (const int n : {1, 3, 40}) {
        const auto ops = gpu_ops(), cpu = cpu_ops();
        check_against_cpu(added(*ops, w, &rounded, n), added(*cpu, w, &exact, n),
                          added(*cpu, w, nullptr, n),
                          title(type, kRows, kCols, n) + ", rank " + std::to_string(rank));
      }
    }
  }
}

TEST("on a GPU, an adapter's part is added before SwiGLU") {
  for (const BlockType type : {BlockType::kQ8_0, BlockType::kQ4_K, BlockType::kF16}) {
    const FeedForward layer(type);
    for (const int n : {1, 3, 9, 40})
      check_against_cpu(layer.run(*gpu_ops(), n), layer.run(*cpu_ops(), n),
                        layer.run(*cpu_ops(), n, false), title(type, 64, kCols, n));
  }
}

TEST("on a GPU, an adapter's part is added before bias, head norms and RoPE") {
  const TestMatrix qkv(BlockType::kQ8_0, 4 * 64, kCols, 31);
  const TestAdapter adapter({{0, 128, 16}, {192, 64, 12}}, kCols);  // q and v
  for (const bool has_norms : {false, true}) {
    AttentionShape shape{1, 2, 1, 64, 64, 10000};
    if (has_norms) {
      shape.q_norms = shape.k_norms = random_floats(64, 3, 1);
      shape.norm_eps = 1e-6f;
    }
    const auto ops = gpu_ops(), cpu = cpu_ops(), plain = cpu_ops();
    check_against_cpu(attended(*ops, shape, qkv, &adapter), attended(*cpu, shape, qkv, &adapter),
                      attended(*plain, shape, qkv, nullptr),
                      has_norms ? "with norms of heads" : "without norms of heads");
  }
}

TEST("on a GPU, a token with an adapter has the same bits in any batch") {
  const TestMatrix w(BlockType::kQ8_0, kRows, 1280, 3);
  const TestAdapter adapter({{0, kRows, 16}}, 1280);
  const FeedForward layer(BlockType::kQ4_K);
  const auto most = added(*gpu_ops(), w, &adapter, 70), max_h = layer.run(*gpu_ops(), 70);
  for (const int n : {1, 7, 20}) {
    const auto few = added(*gpu_ops(), w, &adapter, n), few_h = layer.run(*gpu_ops(), n);
    // Random floats from one seed begin with the same numbers, whatever their count.
    CHECK(std::equal(few.begin(), few.end(), most.begin()));
    CHECK(std::equal(few_h.begin(), few_h.begin() + n * 64, max_h.begin()));
    CHECK(std::equal(few_h.begin() + n * 64, few_h.end(), max_h.begin() + 70 * 64));
  }
}

TEST("on a GPU, a token has the same bits in any batch, however its launches divide an adapter") {
  struct Case {
    BlockType type;
    int n_cols, rank;
    bool is_quantized;
  };
  const Case cases[] = {
      {BlockType::kQ8_0, 5376, 16, true},   // rows so long that several thread blocks share a rank
      {BlockType::kQ4_K, 5376, 8, false},   // the same; tokens have one scale per super-block
      {BlockType::kQ4_K, 512, 256, false},  // so many ranks that a separate launch lowers tokens
      {BlockType::kQ8_0, 64, 12, true},     // one unit
      {BlockType::kF16, 512, 16, true},     // no quantized product that could lower tokens
  };
  for (const Case& c : cases) {
    const TestMatrix w(c.type, kRows, c.n_cols, 3);
    const TestAdapter adapter({{16, 32, c.rank, c.is_quantized}, {64, 16, 5, c.is_quantized}},
                              c.n_cols);
    const auto most = added(*gpu_ops(), w, &adapter, 20);
    for (const int n : {1, 2, 8}) {
      const auto few = added(*gpu_ops(), w, &adapter, n);
      CHECK(std::equal(few.begin(), few.end(), most.begin()));
    }
  }
}

TEST("an adapter adds to a GPU matrix of several formats") {
  const TestMatrix first(BlockType::kQ4_K, 64, kCols, 3), second(BlockType::kQ8_0, 16, kCols, 4);
  const TestAdapter adapter({{0, kRows, 12}}, kCols);
  for (const BlockType type : {BlockType::kQ4_K, BlockType::kF16}) {
    const TestMatrix third(type, 32, kCols, 5);
    const std::vector<MatrixSource> w = {first.source(), second.source(), third.source()};
    const auto most = added(*gpu_ops(), w, &adapter, 20);
    const auto cpu = cpu_ops();
    check_against_cpu(most, added(*cpu, w, &adapter, 20), added(*cpu, w, nullptr, 20), "20 tokens");
    for (const int n : {1, 8}) {
      const auto few = added(*gpu_ops(), w, &adapter, n);
      CHECK(std::equal(few.begin(), few.end(), most.begin()));
    }
  }
}

TEST("with up to eight tokens, an adapter needs no additional GPU launch") {
  const TestMatrix w(BlockType::kQ4_K, kRows, kCols, 3);
  const TestAdapter adapter({{0, kRows, 32, true}}, kCols);
  for (const int n : {1, 8}) {
    const auto with = hip_ops(), without = hip_ops();
    added(*with, w, &adapter, n), added(*without, w, nullptr, n);
    CHECK_EQUAL(with->queue().n_launches(), without->queue().n_launches());
  }
}

TEST("GPU steps with an adapter repeat their launches as graphs and do not mix up their tokens") {
  const TestMatrix w(BlockType::kQ8_0, kRows, kCols, 3);
  const TestAdapter adapter({{0, kRows, 16}}, kCols);
  const auto ops = hip_ops();
  const auto matrix = ops->pack(std::vector{w.source()});
  const auto low_rank = adapter.pack(*ops);
  const auto in = ops->buffer(kCols), x = ops->buffer(kRows);
  for (unsigned seed = 1; seed <= 4; seed++) {
    ops->write(in->data, random_floats(kCols, seed));
    ops->write(x->data, std::vector<float>(kRows));
    const TestBatch step(0, 1, 3);
    ops->begin(step.batch());
    ops->matmul_add({*matrix, low_rank.get()}, in->data, x->data);
    const auto got = from_buffer(*ops, *x);
    const auto fresh = hip_ops();
    const auto again = fresh->pack(std::vector{w.source()});
    const auto packed = adapter.pack(*fresh);
    const auto one = to_buffer(*fresh, random_floats(kCols, seed)), sum = fresh->buffer(kRows);
    fresh->begin(step.batch());
    fresh->matmul_add({*again, packed.get()}, one->data, sum->data);
    CHECK(got == from_buffer(*fresh, *sum));
  }
  CHECK_EQUAL(ops->queue().n_graph_launches(), uint64_t{3});
}

TEST("a GPU product without an adapter has the same bits beside one") {
  const TestMatrix w(BlockType::kQ4_K, kRows, kCols, 3);
  for (const int n : {1, 3, 40})
    CHECK(added(*gpu_ops(), w, nullptr, n) == added(*gpu_ops(), w, nullptr, n, true));
}

TEST("an adapter's block of Q8_0 or Q4_0 is packed for a GPU with the same values") {
  const auto check = [](const std::array<float, cpu::kQ8_0Values>& values) {
    std::byte block[cpu::kQ8_0Bytes];
    const float scale = cpu::exact_scale_of(values.data());
    cpu::put_q8_0(values.data(), scale, block);
    for (size_t i = 0; i < values.size(); i++)
      CHECK_EQUAL(scale * static_cast<float>(static_cast<int8_t>(block[2 + i])), values[i]);
  };
  for (const int greatest : {127, 101, 8, 7, 1, 0}) {
    std::array<float, cpu::kQ8_0Values> values;
    for (size_t i = 0; i < values.size(); i++)
      values[i] = 0x1.23p-9f * static_cast<float>(static_cast<int>(i * 37 % 32) % (greatest + 1));
    values[5] = -0x1.23p-9f * static_cast<float>(greatest);
    check(values);
  }
}

TEST("an adapter's matrix with an impossible size is not packed for a GPU") {
  const auto ops = gpu_ops();
  const std::vector<float> values(8 * 64);
  const auto pack = [&](const LowRankSource& source) {
    ops->pack_low_rank(64, std::vector{source});
  };
  const LowRankSource sources[] = {
      {8, 16, 1, 1, std::span(values).first(64), std::span(values).first(16)},
      {0, 24, 1, 1, std::span(values).first(64), std::span(values).first(24)},
      {0, 16, 0, 1, {}, {}},
      {0, 16, 2, 1, std::span(values).first(64), std::span(values).first(32)},
      {0, 16, 2, 1, std::span(values).first(128), std::span(values).first(16)},
  };
  for (const LowRankSource& source : sources)
    CHECK_THROWS(pack(source), "a size that is impossible");
}
