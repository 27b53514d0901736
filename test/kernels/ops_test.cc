// Compares each op of the CPU backend, in every variant, with plain loops in double precision.
#include "ops.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cpu_variants.h"
#include "ops_fixture.h"
#include "test.h"

using namespace hearth::kernels;
using test::log_probability, test::pack, test::random_floats, test::random_matrix, test::TestBatch,
    test::TestMatrix, test::to_buffer;

namespace {

/// A value, and the greatest allowed difference of the kernels' results from it.
struct Bounded {
  double value = 0;
  double error = 0;
};

/// The product of a row of w and `in`. Float weights multiply float inputs; quantized weights
/// multiply int8 inputs, each of which is off by at most half a step. A step is the group's
/// greatest absolute value / 127.
Bounded product(const TestMatrix& w, int row, const std::vector<double>& in) {
  Bounded result;
  for (int group = 0; group < w.n_cols; group += 32) {
    double greatest = 0;
    for (int k = group; k < group + 32; k++) {
      greatest = std::max(greatest, std::fabs(in[static_cast<size_t>(k)]));
    }
    for (int k = group; k < group + 32; k++) {
      const double weight = w.weights[static_cast<size_t>(row * w.n_cols + k)];
      const double x = in[static_cast<size_t>(k)];
      result.value += weight * x;
      result.error += std::fabs(weight * x) * (w.n_cols + 16) * 0x1p-24;
      if (w.type != BlockType::kF32) result.error += std::fabs(weight) * greatest / 254 * 1.001;
    }
  }
  return result;
}

template <typename Check>
void for_variants_and_types(const Check& check) {
  for (const std::string& variant : test::tested_variants()) {
    for (BlockType type : {BlockType::kF32, BlockType::kQ8_0}) {
      for (int n : {1, 3, 12, 30}) check(*make_cpu_ops({variant, 2}), type, n);
    }
  }
}

}  // namespace

TEST("embed() returns the rows of the table") {
  for_variants_and_types([](Ops& ops, BlockType type, int n) {
    const TestMatrix table = random_matrix(type, 100, 96, 20);
    const std::unique_ptr<Matrix> packed = pack(ops, {&table});
    const std::unique_ptr<Buffer> x = ops.buffer(static_cast<size_t>(n) * 96);
    const TestBatch batch(0, n, 1);
    ops.begin(batch.batch());
    ops.embed(*packed, x->data);
    for (int token = 0; token < n; token++) {
      const uint32_t id = batch.tokens[static_cast<size_t>(token)];
      CHECK(std::memcmp(x->data + token * 96, table.weights.data() + id * 96, 96 * sizeof(float)) ==
            0);
    }
  });
}

TEST("matmul_add adds the product to the residual stream") {
  for_variants_and_types([](Ops& ops, BlockType type, int n) {
    const int n_rows = 83, n_cols = 224;
    const TestMatrix w = random_matrix(type, n_rows, n_cols, 21);
    const std::unique_ptr<Matrix> packed = pack(ops, {&w});
    const std::vector<float> in = random_floats(static_cast<size_t>(n * n_cols), 22);
    const std::vector<float> before = random_floats(static_cast<size_t>(n * n_rows), 23);
    const std::unique_ptr<Buffer> in_buffer = to_buffer(ops, in), x = to_buffer(ops, before);
    const TestBatch batch(0, n, 1);
    ops.begin(batch.batch());
    ops.matmul_add(*packed, in_buffer->data, x->data);
    for (int token = 0; token < n; token++) {
      const std::vector<double> row(in.begin() + token * n_cols, in.begin() + (token + 1) * n_cols);
      for (int i = 0; i < n_rows; i++) {
        const Bounded expected = product(w, i, row);
        const size_t at = static_cast<size_t>(token * n_rows + i);
        CHECK_NEAR(x->data[at], before[at] + expected.value,
                   expected.error + 0x1p-23 * (1 + std::fabs(before[at])));
      }
    }
  });
}

TEST("the parts of one matrix can need different forms of the input") {
  const int n_rows = 32, n_cols = 256, n = 14;
  const TestMatrix parts[] = {random_matrix(BlockType::kQ4_K, n_rows, n_cols, 50),
                              random_matrix(BlockType::kF32, n_rows, n_cols, 51),
                              random_matrix(BlockType::kQ8_0, n_rows, n_cols, 52)};
  for (const std::string& variant : test::tested_variants()) {
    const std::unique_ptr<Ops> ops = make_cpu_ops({variant, 2});
    const std::unique_ptr<Buffer> in = to_buffer(*ops, random_floats(size_t{n} * n_cols, 53));
    const TestBatch batch(0, n, 1);
    ops->begin(batch.batch());
    const auto product = [&](std::initializer_list<const TestMatrix*> matrices) {
      const std::unique_ptr<Matrix> packed = pack(*ops, matrices);
      const size_t n_values = size_t{n} * static_cast<size_t>(packed->n_rows);
      const std::unique_ptr<Buffer> x = to_buffer(*ops, std::vector<float>(n_values));
      ops->matmul_add(*packed, in->data, x->data);
      return std::vector<float>(x->data, x->data + n_values);
    };
    const std::vector<float> together = product({&parts[0], &parts[1], &parts[2]});
    for (int part = 0; part < 3; part++) {
      const std::vector<float> alone = product({&parts[part]});
      for (int token = 0; token < n; token++) {
        CHECK(std::memcmp(&together[static_cast<size_t>((3 * token + part) * n_rows)],
                          &alone[static_cast<size_t>(token * n_rows)],
                          n_rows * sizeof(float)) == 0);
      }
    }
  }
}

TEST("norm_gate_up multiplies silu of the gate with up") {
  for_variants_and_types([](Ops& ops, BlockType type, int n) {
    const int n_ff = 72, n_cols = 64;  // 72 is not a multiple of 16, the rows of a tile
    const TestMatrix gate = random_matrix(type, n_ff, n_cols, 24);
    const TestMatrix up = random_matrix(BlockType::kF32, n_ff, n_cols, 25);
    const std::unique_ptr<Matrix> packed = pack(ops, {&gate, &up});
    const std::vector<float> in = random_floats(static_cast<size_t>(n * n_cols), 26);
    const std::vector<float> norm = random_floats(static_cast<size_t>(n_cols), 27, 1);
    const std::unique_ptr<Buffer> x = to_buffer(ops, in), norm_buffer = to_buffer(ops, norm);
    const std::unique_ptr<Buffer> h = ops.buffer(static_cast<size_t>(n * n_ff));
    const TestBatch batch(0, n, 1);
    ops.begin(batch.batch());
    ops.norm_gate_up(norm_buffer->data, 1e-6f, *packed, x->data, h->data, nullptr);
    for (int token = 0; token < n; token++) {
      const std::vector<double> row = test::normed(in.data() + token * n_cols, norm);
      for (int i = 0; i < n_ff; i++) {
        const Bounded g = product(gate, i, row), u = product(up, i, row);
        const double silu = g.value / (1 + std::exp(-g.value));
        // |silu'| <= 1.1
        const double error = 1.1 * g.error * (std::fabs(u.value) + u.error) +
                             std::fabs(silu) * u.error + 1e-6 * (1 + std::fabs(silu * u.value));
        CHECK_NEAR(h->data[token * n_ff + i], silu * u.value, error);
      }
    }
  });
}

TEST("norm_qkv returns rotated queries and appends keys and values to the pages") {
  for_variants_and_types([](Ops& ops, BlockType type, int n) {
    const int dim = 32, n_heads = 3, n_cols = 64, first = 40, half = dim / 2;
    const TestMatrix q = random_matrix(type, n_heads * dim, n_cols, 30);
    const TestMatrix k = random_matrix(BlockType::kF32, dim, n_cols, 31);
    const TestMatrix v = random_matrix(type, dim, n_cols, 32);
    const std::unique_ptr<Matrix> packed = pack(ops, {&q, &k, &v});
    const std::vector<float> in = random_floats(static_cast<size_t>(n * n_cols), 33);
    const std::vector<float> norm = random_floats(static_cast<size_t>(n_cols), 34, 1);
    const std::vector<float> bias = random_floats(static_cast<size_t>((n_heads + 2) * dim), 35);
    const std::unique_ptr<Buffer> x = to_buffer(ops, in), norm_buffer = to_buffer(ops, norm),
                                  bias_buffer = to_buffer(ops, bias);
    const std::unique_ptr<Buffer> out = ops.buffer(static_cast<size_t>(n * n_heads * dim));
    ops.make_kv_pool({2, n_heads, 1, dim, 96, 10000.0f}, 3);
    const TestBatch batch(first, n, 3);
    ops.begin(batch.batch());
    ops.norm_qkv(1, norm_buffer->data, 1e-6f, *packed, bias_buffer->data, x->data, out->data);

    std::vector<uint16_t> page(ops.kv_page_bytes() / 2);
    for (int token = 0; token < n; token++) {
      const std::vector<double> row = test::normed(in.data() + token * n_cols, norm);
      const int position = first + token;
      ops.read_page(std::as_writable_bytes(std::span(page)),
                    batch.pages[static_cast<size_t>(position / 32)]);
      const uint16_t* keys = page.data() + 2 * 32 * dim;  // layer 1
      const uint16_t* values = keys + 32 * dim;
      const auto turned = [&](const TestMatrix& w, int w_row, int bias_row, int i) {
        const int a_i = i % half;
        Bounded a = product(w, w_row + a_i, row), b = product(w, w_row + half + a_i, row);
        a.value += bias[static_cast<size_t>(bias_row + a_i)];
        b.value += bias[static_cast<size_t>(bias_row + half + a_i)];
        const double angle = position * std::pow(10000.0, -2.0 * a_i / dim);
        const double value = i < half ? a.value * std::cos(angle) - b.value * std::sin(angle)
                                      : b.value * std::cos(angle) + a.value * std::sin(angle);
        return Bounded{value, a.error + b.error + 1e-6};
      };
      for (int i = 0; i < n_heads * dim; i++) {
        const int head_row = i / dim * dim;
        const Bounded expected = turned(q, head_row, head_row, i % dim);
        CHECK_NEAR(out->data[token * n_heads * dim + i], expected.value, expected.error);
      }
      const int slot = position % 32;
      for (int d = 0; d < dim; d++) {
        const Bounded key = turned(k, 0, n_heads * dim, d);
        CHECK_NEAR(test::half_value(keys[d * 32 + slot]), key.value,
                   key.error + std::fabs(key.value) * 0x1p-10);
        const Bounded value = product(v, d, row);
        const double biased = value.value + bias[static_cast<size_t>((n_heads + 1) * dim + d)];
        CHECK_NEAR(test::half_value(values[slot * dim + d]), biased,
                   value.error + std::fabs(biased) * 0x1p-10);
      }
    }
  });
}

TEST("norm_head returns the logits of the requested tokens, with the same bits for candidates") {
  for_variants_and_types([](Ops& ops, BlockType type, int n) {
    const int n_vocab = 219, n_cols = 96;
    const TestMatrix head = random_matrix(type, n_vocab, n_cols, 40);
    const std::unique_ptr<Matrix> packed = pack(ops, {&head});
    const std::vector<float> in = random_floats(static_cast<size_t>(n * n_cols), 41);
    const std::vector<float> norm = random_floats(static_cast<size_t>(n_cols), 42, 1);
    const std::unique_ptr<Buffer> x = to_buffer(ops, in), norm_buffer = to_buffer(ops, norm);
    const std::unique_ptr<Buffer> logits = ops.buffer(static_cast<size_t>(2 * n_vocab));
    const TestBatch batch(0, n, 1);
    const std::vector<int32_t> rows = {n - 1, n / 2};
    ops.begin(batch.batch());
    ops.norm_head(norm_buffer->data, 1e-6f, *packed, x->data, rows, logits->data);
    for (int i = 0; i < 2 * n_vocab; i++) {
      const int row = rows[static_cast<size_t>(i / n_vocab)];
      const Bounded expected =
          product(head, i % n_vocab, test::normed(in.data() + row * n_cols, norm));
      CHECK_NEAR(logits->data[i], expected.value, expected.error + 1e-6);
    }
    std::vector<uint32_t> candidates;
    for (uint32_t id = 0; id < static_cast<uint32_t>(n_vocab); id += 1 + id / 3) {
      candidates.push_back(id);
    }
    candidates.push_back(static_cast<uint32_t>(n_vocab - 1));
    const std::unique_ptr<Buffer> some = ops.buffer(candidates.size());
    ops.norm_head_candidates(norm_buffer->data, 1e-6f, *packed, x->data, rows[1], candidates,
                             some->data);
    for (size_t i = 0; i < candidates.size(); i++) {
      CHECK_EQUAL(some->data[i], logits->data[static_cast<uint32_t>(n_vocab) + candidates[i]]);
    }
  });
}

TEST("argmax reports the best token of each row, its probability, and whether the row is finite") {
  for (const std::string& variant : test::tested_variants()) {
    const std::unique_ptr<Ops> ops = make_cpu_ops({variant, 2});
    std::vector<float> logits(5 * 50, -1.0f);
    logits[7] = 4;
    logits[8] = 1;
    logits[40] = 0;
    logits[50 + 49] = logits[50 + 20] = 2;
    logits[100 + 3] = 4.5f;
    logits[100 + 44] = 4;
    logits[100 + 45] = 5;
    logits[150 + 1] = 3;
    logits[150 + 49] = 2.5f;
    logits[200 + 30] = NAN;
    const std::unique_ptr<Buffer> buffer = to_buffer(*ops, logits);
    Argmax best[5];
    ops->argmax(buffer->data, 5, 50, best);
    CHECK(best[0].finite && best[0].id == 7 && best[0].logit == 4);
    CHECK(best[1].finite && best[1].id == 20 && best[1].logit == 2);
    CHECK(best[2].finite && best[2].id == 45 && best[2].logit == 5);
    CHECK(best[3].finite && best[3].id == 1 && best[3].logit == 3);
    CHECK(!best[4].finite);
    for (int row = 0; row < 4; row++)
      CHECK_NEAR(best[row].log_probability, log_probability(&logits[row * 50], 50, best[row].id),
                 1e-6);
  }
}

TEST("cancelled ops return without doing anything") {
  for (const std::string& variant : test::tested_variants()) {
    const std::unique_ptr<Ops> ops = make_cpu_ops({variant, 2});
    const TestMatrix w = random_matrix(BlockType::kF32, 64, 64, 50);
    const std::unique_ptr<Matrix> packed = pack(*ops, {&w});
    const std::vector<float> ones(64, 1.0f);
    const std::unique_ptr<Buffer> x = to_buffer(*ops, ones), in = to_buffer(*ops, ones);
    const TestBatch batch(0, 1, 1);
    std::atomic<bool> cancelled{true};
    ops->cancel = &cancelled;
    ops->begin(batch.batch());
    ops->matmul_add(*packed, in->data, x->data);
    for (int i = 0; i < 64; i++) CHECK_EQUAL(x->data[i], 1.0f);
    cancelled = false;
    ops->matmul_add(*packed, in->data, x->data);
    CHECK(x->data[0] != 1.0f);
  }
}

TEST("matrices that cannot be packed are refused") {
  const std::unique_ptr<Ops> ops = make_cpu_ops({});
  const TestMatrix a = random_matrix(BlockType::kF32, 16, 64, 60);
  const TestMatrix b = random_matrix(BlockType::kF32, 16, 96, 61);
  TestMatrix narrow = random_matrix(BlockType::kQ8_0, 16, 64, 62);
  narrow.n_cols = 40;
  CHECK_THROWS(pack(*ops, {&a, &b}), "unequal width");
  CHECK_THROWS(pack(*ops, {&narrow}), "multiple of 32");
  CHECK_THROWS(pack(*ops, {}), "no parts");
}

/// HEARTH_EXPECTED_VARIANTS lists the variants that an emulated processor can run, with a space
/// before each name.
TEST("the CPU variants offered are those that the processor can run, best first") {
  const std::vector<std::string> usable = cpu_variants();
  std::string in_order, actual;
#define HEARTH_IF_USABLE(variant) \
  if (std::count(usable.begin(), usable.end(), #variant) > 0) in_order += " " #variant;
  HEARTH_CPU_VARIANTS(HEARTH_IF_USABLE)
#undef HEARTH_IF_USABLE
  for (const std::string& name : usable) actual += " " + name;
  CHECK_EQUAL(actual, in_order);
  const char* expected = std::getenv("HEARTH_EXPECTED_VARIANTS");
  if (expected != nullptr) CHECK_EQUAL(actual, std::string(expected));
}

TEST("an unknown CPU variant is refused with the names of those that run on this machine") {
  const std::string best = cpu_variants().front();
  CHECK_THROWS(make_cpu_ops({"sse9", 1}), best);
  CHECK_THROWS(make_cpu_ops({"sse9", 1}), "scalar");
  CHECK_EQUAL(cpu_variants().back(), std::string("scalar"));
  CHECK_EQUAL(make_cpu_ops({"scalar", 2})->description(), std::string("cpu scalar, 2 threads"));
  CHECK_EQUAL(make_cpu_ops({"", 1})->description(), "cpu " + best + ", 1 thread");
}
