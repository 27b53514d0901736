// Keys and values in pages, with the CPU backend's ops: the precision of int8 keys, copies of
// pages, and memory that is used only once it is written.
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "cpu_variants.h"
#include "kv_page.h"
#include "ops.h"
#include "ops_fixture.h"
#include "test.h"

using namespace hearth::kernels;
using test::pack, test::random_floats, test::random_matrix, test::TestBatch, test::TestMatrix,
    test::to_buffer;

namespace {

/// The squared error of attention with an int8 cache, relative to the squared results with f16. A
/// few dimensions of every key are `outlier` times as large as the others and, as in qwen2, these
/// dimensions of the queries are correspondingly small.
double int8_error(const std::string& variant, float outlier) {
  constexpr int kDim = 64, kHeads = 4, kColumns = 96, kTokens = 80;
  TestMatrix q = random_matrix(BlockType::kF32, kHeads * kDim, kColumns, 70);
  const TestMatrix k = random_matrix(BlockType::kF32, kDim, kColumns, 71);
  const TestMatrix v = random_matrix(BlockType::kF32, kDim, kColumns, 72);
  std::vector<float> bias = random_floats((kHeads + 2) * kDim, 73);
  for (int d : {5, 20, 5 + kDim / 2, 20 + kDim / 2}) {
    bias[static_cast<size_t>(kHeads * kDim + d)] *= outlier;
    for (int row = d; row < kHeads * kDim; row += kDim) {
      bias[static_cast<size_t>(row)] /= outlier;
      for (int i = 0; i < kColumns; i++) {
        q.weights[static_cast<size_t>(row * kColumns + i)] /= outlier;
      }
    }
  }
  std::memcpy(q.bytes.data(), q.weights.data(), q.bytes.size());
  std::vector<float> outs[2];
  for (KvType kv_type : {KvType::kF16, KvType::kInt8}) {
    const std::unique_ptr<Ops> ops = make_cpu_ops({variant, 2});
    const std::unique_ptr<Matrix> packed = pack(*ops, {&q, &k, &v});
    const std::unique_ptr<Buffer> x = to_buffer(*ops, random_floats(kTokens * kColumns, 74)),
                                  bias_buffer = to_buffer(*ops, bias),
                                  norm = to_buffer(*ops, std::vector<float>(kColumns, 1.0f));
    std::vector<float>& result = outs[kv_type == KvType::kInt8];
    result.resize(kTokens * kHeads * kDim);
    const std::unique_ptr<Buffer> queries = ops->buffer(result.size());
    const std::unique_ptr<Buffer> out = ops->buffer(result.size());
    ops->make_kv_pool({1, kHeads, 1, kDim, 96, 10000.0f, kv_type}, 3);
    const TestBatch batch(0, kTokens, 3);
    ops->begin(batch.batch());
    ops->norm_qkv(0, norm->data, 1e-6f, *packed, bias_buffer->data, x->data, queries->data);
    ops->attention(0, queries->data, out->data, nullptr);
    ops->read(result, out->data);
  }
  double error = 0, energy = 0;
  for (size_t i = 0; i < outs[0].size(); i++) {
    error += std::pow(outs[0][i] - outs[1][i], 2);
    energy += std::pow(outs[0][i], 2);
  }
  return error / energy;
}

}  // namespace

TEST("int8 keys stay as precise if a few dimensions are far larger than the rest") {
  for (const std::string& variant : test::tested_variants()) {
    const double even = int8_error(variant, 1), uneven = int8_error(variant, 200);
    CHECK(even < 1e-3);
    CHECK(uneven < 2 * even);
  }
}

TEST("pages copied directly or through host memory hold the same positions") {
  for (KvType kv_type : {KvType::kF16, KvType::kInt8}) {
    const std::unique_ptr<Ops> ops = make_cpu_ops({});
    const AttentionShape shape{3, 4, 2, 32, 128, 10000.0f, kv_type};
    ops->make_kv_pool(shape, 4);
    std::vector<std::byte> page(ops->kv_page_bytes());
    CHECK_EQUAL(page.size(), shape.page_bytes());
    for (size_t i = 0; i < page.size(); i++) page[i] = static_cast<std::byte>(i * 7 + i / 256);
    ops->write_page(1, page);
    std::vector<std::byte> back(page.size());
    ops->read_page(back, 1);
    CHECK(back == page);
    ops->copy_page(3, 1, 20);
    ops->read_page(back, 3);
    // For each head, everything is compared except V of the last 12 positions, which is at the end.
    const size_t head_bytes = page_head_bytes(kv_type, 32);
    const size_t n_left_out = 12 * 32 * (kv_type == KvType::kF16 ? 2 : 1);
    CHECK_EQUAL(page.size(), 3 * 2 * head_bytes);
    for (size_t i = 0; i < page.size(); i++) {
      const bool is_copied = i % head_bytes < head_bytes - n_left_out;
      CHECK(back[i] == (is_copied ? page[i] : std::byte{0}));
    }
  }
}
