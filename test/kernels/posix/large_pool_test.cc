// These tests do not run on Windows, which commits all memory that a process allocates, and refuses
// to allocate more than it has.
#include <cstring>
#include <memory>
#include <vector>

#include "cpu/attention.h"
#include "kernels/cpu_variants.h"
#include "kernels/ops_fixture.h"
#include "test.h"

using namespace hearth::kernels;

TEST("a KV pool larger than the machine's memory costs nothing until it is written") {
  const std::unique_ptr<Ops> ops = make_cpu_ops({});
  ops->make_kv_pool({64, 64, 8, 128, 32768, 10000.0f}, 32768);  // 256 GiB
  std::vector<std::byte> page(ops->kv_page_bytes());
  CHECK_EQUAL(page.size(), size_t{8} << 20);
  ops->write_page(32767, page);
  ops->read_page(page, 0);
}

// No model has so many heads and positions, but a file could claim them.
TEST("attention can have more partial results than an int can count") {
  if (test::is_emulated()) throw test::NotRun("an emulator keeps a record of all pages");
  constexpr int kHeads = 2048, kDim = 16, kPositions = 1 << 24, kFirst = 256, kTokens = 9;
  const AttentionShape shape{1, kHeads, 1, kDim, kPositions, 10000.0f};
  cpu::Attention attention(*test::usable_row_kernels().front(), shape, kFirst / kPageTokens + 1, 2);
  const test::TestBatch batch(kFirst, kTokens, kFirst / kPageTokens + 1);
  attention.begin(batch.batch());
  CHECK(attention.is_split());
  // All keys are zero, so all positions have equal weights. Earlier positions' values are zero,
  // too.
  const std::vector<float> key(kDim), value(kDim, 1.0f);
  for (int token = 0; token < kTokens; token++)
    attention.append(0, token, 0, key.data(), value.data());
  std::vector<float> q(size_t{kTokens} * kHeads * kDim, 1.0f), out(q.size());
  const cpu::Attention::Step step{0, q.data(), out.data()};
  for (int i = 0; i < attention.n_chunks(); i++) attention.chunk(step, i, i % 2);
  for (int i = 0; i < attention.n_merges(); i++) attention.merge(step, i);
  for (size_t i = 0; i < out.size(); i++) {
    const float n_seen = static_cast<float>(i / (size_t{kHeads} * kDim) + 1);
    CHECK_NEAR(out[i], n_seen / (kFirst + n_seen), 1e-6);
  }
}

TEST("a product's rows are divided among threads, however many rows there are") {
  if (test::is_slow()) throw test::NotRun("it would take long");
  constexpr int kParts = 400, kRows = 16000, kColumns = 32, kTokens = 13;
  const test::TestMatrix part = test::random_matrix(BlockType::kQ4_0, kRows, kColumns, 1);
  const std::vector<MatrixSource> parts(kParts, part.source());
  const std::unique_ptr<Ops> ops = make_cpu_ops({"", 2});
  const std::unique_ptr<Matrix> packed = ops->pack(parts);
  const auto in = test::to_buffer(*ops, test::random_floats(size_t{kTokens} * kColumns, 2));
  const std::unique_ptr<Buffer> x = ops->buffer(size_t{kTokens} * kParts * kRows);
  const test::TestBatch batch(0, kTokens, 1);
  ops->begin(batch.batch());
  ops->matmul_add(*packed, in->data, x->data);
  for (int i = 0; i < kTokens * kParts; i++) {
    const float* of_first_part = x->data + size_t{kRows} * (i / kParts * kParts);
    CHECK(std::memcmp(x->data + size_t{kRows} * i, of_first_part, sizeof(float) * kRows) == 0);
  }
}
