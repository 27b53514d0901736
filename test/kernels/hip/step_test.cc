// The beginning and the end of a step on the GPU: uploading the batch, submitting launches, and
// finding the best token.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "hip_fixture.h"

using namespace hearth::kernels;
using namespace test::gpu;
using test::log_probability, test::random_floats, test::TestBatch, test::to_buffer;

namespace {

std::vector<Argmax> best_of(Ops& ops, const std::vector<float>& logits, int n_vocab) {
  const int n_rows = static_cast<int>(logits.size()) / n_vocab;
  const auto buffer = to_buffer(ops, logits);
  std::vector<Argmax> best(n_rows);
  const TestBatch step(0, n_rows, 8);
  ops.begin(step.batch());
  ops.argmax(buffer->data, n_rows, n_vocab, best);
  return best;
}

/// Attention's output for a token of a second sequence, whose page ids come last in the batch. The
/// embedding uploads the batch; without an embedding, a separate launch does.
std::vector<float> second_sequence(const TestMatrix& table, bool with_embedding) {
  const AttentionShape shape{1, 2, 1, 32, 64, 10000};
  const TestMatrix qkv(BlockType::kQ8_0, 4 * 32, table.n_cols, 31);
  const auto ops = gpu_ops();
  ops->make_kv_pool(shape, 2);
  const auto matrix = ops->pack(std::vector{qkv.source()});
  const auto embeddings = ops->pack(std::vector{table.source()});
  const auto norm = to_buffer(*ops, random_floats(table.n_cols, 2, 1));
  const auto q = ops->buffer(64), out = ops->buffer(64);
  const std::vector<int32_t> others(3 * hip::kMailThreads), own{1, 0};
  const std::span<const int32_t> tables[] = {others, own};
  for (int position = 30; position < 34; position++) {
    const std::vector<uint32_t> tokens{position % 7u};
    const std::vector<int32_t> positions{position}, sequences{1};
    const auto first = table.weights.begin() + tokens[0] * table.n_cols;
    const auto x = to_buffer(*ops, std::vector<float>(first, first + table.n_cols));
    ops->begin({tokens, positions, sequences, tables});
    if (with_embedding) ops->embed(*embeddings, x->data);
    ops->norm_qkv(0, norm->data, 1e-6f, *matrix, nullptr, x->data, q->data);
    ops->attention(0, q->data, out->data, matrix.get());
    ops->read({}, out->data);
  }
  return from_buffer(*ops, *out);
}

}  // namespace

TEST("GPU argmax finds the greatest logit (the lowest id among equals), its probability, and NaN") {
  const auto ops = gpu_ops();
  const int n = 5000;
  std::vector<float> logits = random_floats(4 * n, 6);
  logits[3210] = logits[17] = 50, logits[4000] = 49;
  logits[n + 4999] = 9, logits[n] = 8.5f;
  logits[2 * n + 4999] = NAN;
  logits[3 * n + 1] = INFINITY;
  for (int repeat = 0; repeat < 3; repeat++) {  // the last repeat runs as a graph
    const auto got = best_of(*ops, logits, n);
    CHECK_EQUAL(got[0].id, 17u);
    CHECK_NEAR(got[0].log_probability, log_probability(logits.data(), n, 17), 1e-6);
    CHECK_EQUAL(got[1].id, 4999u);
    CHECK_EQUAL(got[1].logit, 9.0f);
    CHECK(got[0].finite && got[1].finite && !got[2].finite && !got[3].finite);
    logits[17] = 48, logits[4321] = 50;
    CHECK_EQUAL(best_of(*ops, logits, n)[0].id, 3210u);
    logits[17] = 50;
  }
}

TEST("GPU argmax equals the CPU's for any number of rows and parts") {
  const auto gpu = gpu_ops();
  const auto cpu = cpu_ops();
  for (const int n_vocab : {1, 31, 513, 2561, 30000}) {
    for (const int n_rows : {1, 2, 7, 33, 256}) {
      if (n_vocab == 30000 && n_rows > 33) continue;
      auto logits = random_floats(n_rows * size_t(n_vocab), n_vocab + n_rows);
      // Ties everywhere, even between greatest values and between whole parts.
      for (float& value : logits) value = std::round(4 * value) / 4;
      const auto got = best_of(*gpu, logits, n_vocab), expected = best_of(*cpu, logits, n_vocab);
      for (int i = 0; i < n_rows; i++) {
        CHECK_EQUAL(got[i].id, expected[i].id);
        CHECK_EQUAL(got[i].logit, expected[i].logit);
        CHECK_NEAR(got[i].log_probability, expected[i].log_probability, 2e-6);
        CHECK(got[i].finite);
      }
    }
  }
}

TEST("on a GPU, a row's argmax has the same bits alone and among others") {
  const auto gpu = gpu_ops();
  const int n_vocab = 7000, n_rows = 37;
  const auto logits = random_floats(size_t{n_rows} * n_vocab, 8);
  const auto together = best_of(*gpu, logits, n_vocab);
  for (int i = 0; i < n_rows; i += 6) {
    const auto row = logits.begin() + i * n_vocab;
    const Argmax alone = best_of(*gpu, {row, row + n_vocab}, n_vocab)[0];
    CHECK_EQUAL(alone.id, together[i].id);
    CHECK_EQUAL(alone.log_probability, together[i].log_probability);
    CHECK_NEAR(alone.log_probability, log_probability(&*row, n_vocab, alone.id), 2e-6);
  }
}

TEST("a loaded model's head needs no new memory, which the GPU might no longer have") {
  static std::atomic<bool> is_full;
  is_full = false;
  hip::GpuApi api = test::gpu_api();
  api.allocate = [](void** data, size_t n_bytes) {
    return is_full ? hip::kOutOfMemory : test::gpu_api().allocate(data, n_bytes);
  };
  api.allocate_host = [](void** data, size_t n_bytes, unsigned flags) {
    return is_full ? hip::kOutOfMemory : test::gpu_api().allocate_host(data, n_bytes, flags);
  };
  hip::HipOps ops(api, test::gpu_choice());
  const TestMatrix head(BlockType::kQ8_0, 100, 64, 3);
  const auto matrix = ops.pack(std::vector{head.source()});
  const auto x = to_buffer(ops, random_floats(64, 4)), norm = to_buffer(ops, random_floats(64, 5));
  const auto logits = ops.buffer(100);
  const std::vector<uint32_t> candidates{3, 70};
  const int32_t row = 0;
  const TestBatch batch(0, 1, 1);
  is_full = true;
  ops.begin(batch.batch());
  ops.norm_head_candidates(norm->data, 1e-6f, *matrix, x->data, row, candidates, logits->data);
  ops.norm_head(norm->data, 1e-6f, *matrix, x->data, {&row, 1}, logits->data);
  Argmax best;
  ops.argmax(logits->data, 1, 100, {&best, 1});
  CHECK(best.finite);
  is_full = false;
}

TEST("the whole batch reaches the GPU, whichever kernel uploads it") {
  const TestMatrix table(BlockType::kF32, 7, 64, 5);
  CHECK(second_sequence(table, true) == second_sequence(table, false));
}

TEST("a repeated GPU step is one graph launch, and uses the new batch") {
  const auto ops = hip_ops();
  const TestMatrix table(BlockType::kQ8_0, 40, 64, 7);
  const auto matrix = ops->pack(std::vector{table.source()});
  const auto x = ops->buffer(64);
  for (int position = 0; position < 5; position++) {
    const TestBatch batch(position, 1, 1);
    ops->begin(batch.batch());
    ops->embed(*matrix, x->data);
    const auto got = from_buffer(*ops, *x);
    CHECK(std::equal(got.begin(), got.end(), &table.weights[batch.tokens[0] * size_t{64}]));
  }
  CHECK_EQUAL(ops->queue().n_graph_launches(), uint64_t{4});
  CHECK_EQUAL(ops->queue().n_plain_launches(), uint64_t{1});
}

TEST("a GPU step uploads its batch and returns its best token without copies on the stream") {
  static int n_copies;
  n_copies = 0;
  hip::GpuApi api = test::gpu_api();
  api.copy = [](void* to, const void* from, size_t n_bytes, int kind, void* stream) {
    n_copies++;
    return test::gpu_api().copy(to, from, n_bytes, kind, stream);
  };
  hip::HipOps ops(api, test::gpu_choice());
  const TestMatrix table(BlockType::kQ8_0, 40, 64, 7);
  const auto matrix = ops.pack(std::vector{table.source()});
  const auto x = ops.buffer(256 * 64);
  const int n_before = n_copies;
  for (const int n : {1, 8, 256, 3, 1}) {
    const TestBatch step(0, n, 8);
    ops.begin(step.batch());
    ops.embed(*matrix, x->data);
    std::vector<Argmax> best(n);
    ops.argmax(x->data, n, 64, best);
    for (int i = 0; i < n; i++) {
      const float* wanted = &table.weights[step.tokens[i] * size_t{64}];
      CHECK_EQUAL(best[i].id,
                  static_cast<uint32_t>(std::max_element(wanted, wanted + 64) - wanted));
    }
  }
  CHECK_EQUAL(n_copies, n_before);
}

TEST("a long GPU step is launched as two graphs, the first before the step is complete") {
  const auto ops = hip_ops();
  const TestMatrix table(BlockType::kQ8_0, 40, 64, 7);
  const auto matrix = ops->pack(std::vector{table.source()});
  std::vector<std::unique_ptr<Buffer>> copies;
  for (int i = 0; i < 20; i++) copies.push_back(ops->buffer(64));
  for (int position = 0; position < 3; position++) {
    const TestBatch batch(position, 1, 1);
    ops->begin(batch.batch());
    for (const auto& x : copies) ops->embed(*matrix, x->data);
    const uint64_t n_early = ops->queue().n_graph_launches();
    CHECK_EQUAL(n_early, uint64_t(position > 0 ? 2 * position - 1 : 0));
    for (const auto& x : copies) {
      const auto got = from_buffer(*ops, *x);
      CHECK(std::equal(got.begin(), got.end(), &table.weights[batch.tokens[0] * size_t{64}]));
    }
  }
  CHECK_EQUAL(ops->queue().n_graph_launches(), uint64_t{4});
  CHECK_EQUAL(ops->queue().n_plain_launches(), uint64_t{20});
}

TEST("a GPU step cancelled before its first kernel does not disturb the next step's batch") {
  const auto ops = gpu_ops();
  const TestMatrix table(BlockType::kQ8_0, 40, 64, 7);
  const auto matrix = ops->pack(std::vector{table.source()});
  const auto x = ops->buffer(64);
  std::atomic<bool> cancelled = false;
  ops->cancel = &cancelled;
  for (int position = 0; position < 4; position++) {
    cancelled = position % 2 == 0;
    const TestBatch batch(position, 1, 1);
    ops->begin(batch.batch());
    ops->embed(*matrix, x->data);
    if (cancelled) continue;
    const auto got = from_buffer(*ops, *x);
    CHECK(std::equal(got.begin(), got.end(), &table.weights[batch.tokens[0] * size_t{64}]));
  }
}
