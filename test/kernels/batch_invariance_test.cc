// Runs a small transformer made of the CPU ops, with an adapter, in every variant. The number of
// threads and the batch size must not change a bit of its result, and its steps must not allocate.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "cpu_variants.h"
#include "ops.h"
#include "ops_fixture.h"
#include "test.h"
#include "test_adapter.h"

using namespace hearth::kernels;
using test::pack, test::random_floats, test::random_matrix, test::TestAdapter, test::TestBatch,
    test::TestMatrix, test::to_buffer;

// --- counts every allocation in this program ---

static std::atomic<int> n_allocations{0};

// Not inlined, because GCC would warn that malloc and delete do not match.
[[gnu::noinline]] void* operator new(size_t n) {
  n_allocations++;
  if (void* memory = std::malloc(n)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace {

constexpr int kLayers = 2, kHeads = 6, kKvHeads = 2, kHeadDim = 32, kLayerWidth = 256, kFf = 224;
constexpr int kVocab = 110;
// More than one split of attention, except in an emulator, where only attention_test.cc has
// several.
const int kContext = test::is_emulated() ? 96 : 288;
const int kPages = kContext / kPageTokens;

class Model {
 public:
  Model(const CpuOptions& options, KvType kv_type) : ops(make_cpu_ops(options)) {
    const int n_q = kHeads * kHeadDim, n_kv = kKvHeads * kHeadDim;
    const auto q8 = BlockType::kQ8_0;
    const auto q4 = BlockType::kQ4_K;  // needs its input in a different form
    const auto f32 = BlockType::kF32;
    const TestMatrix q = random_matrix(q4, n_q, kLayerWidth, 1),
                     k = random_matrix(f32, n_kv, kLayerWidth, 2),
                     v = random_matrix(q8, n_kv, kLayerWidth, 3),
                     o = random_matrix(q8, kLayerWidth, n_q, 4),
                     gate = random_matrix(q8, kFf, kLayerWidth, 5),
                     up = random_matrix(f32, kFf, kLayerWidth, 6),
                     down = random_matrix(q8, kLayerWidth, kFf, 7),
                     head = random_matrix(q8, kVocab, kLayerWidth, 8);
    qkv_ = pack(*ops, {&q, &k, &v});
    out_ = pack(*ops, {&o});
    gate_up_ = pack(*ops, {&gate, &up});
    head_ = pack(*ops, {&head});
    down_ = pack(*ops, {&down});
    // v has no adapter.
    qkv_added_ = TestAdapter({{0, n_q, 16, true}, {n_q, n_kv, 5}}, kLayerWidth).pack(*ops);
    out_added_ = TestAdapter({{0, kLayerWidth, 40, true}}, n_q).pack(*ops);
    gate_up_added_ = TestAdapter({{0, kFf, 32, true}, {kFf, kFf, 3}}, kLayerWidth).pack(*ops);
    down_added_ = TestAdapter({{0, kLayerWidth, 100, true}}, kFf).pack(*ops);
    norm_ = to_buffer(*ops, random_floats(kLayerWidth, 10, 1));
    bias_ = to_buffer(*ops, random_floats(static_cast<size_t>(n_q + 2 * n_kv), 11));
    x_ = ops->buffer(size_t{kMaxBatch} * kLayerWidth);
    q_ = ops->buffer(size_t{kMaxBatch} * n_q);
    attention_ = ops->buffer(size_t{kMaxBatch} * n_q);
    h_ = ops->buffer(size_t{kMaxBatch} * kFf);
    logits_ = ops->buffer(size_t{kMaxBatch} * kVocab);
    ops->make_kv_pool({kLayers, kHeads, kKvHeads, kHeadDim, kContext, 10000.0f, kv_type}, kPages);
  }

  /// Runs one batch; logits() then has the logits of all its tokens.
  void step(const Batch& batch, std::span<const int32_t> rows, std::span<Argmax> best) {
    ops->begin(batch);
    ops->embed(*head_, x_->data);
    for (int layer = 0; layer < kLayers; layer++) {
      ops->norm_qkv(layer, norm_->data, 1e-6f, {*qkv_, qkv_added_.get()}, bias_->data, x_->data,
                    q_->data);
      ops->matmul_add({*out_, out_added_.get()},
                      ops->attention(layer, q_->data, attention_->data, out_.get()), x_->data);
      ops->matmul_add({*down_, down_added_.get()},
                      ops->norm_gate_up(norm_->data, 1e-6f, {*gate_up_, gate_up_added_.get()},
                                        x_->data, h_->data, down_.get()),
                      x_->data);
    }
    ops->norm_head(norm_->data, 1e-6f, *head_, x_->data, rows, logits_->data);
    ops->argmax(logits_->data, batch.size(), kVocab, best);
  }

  /// Evaluates a prompt in batches of batch_size. Returns the logits of all tokens, the
  /// log-probabilities of the best ones, and then all pages.
  std::vector<float> run(int batch_size) {
    std::vector<float> results, log_probabilities;
    std::vector<int32_t> rows;
    for (int i = 0; i < batch_size; i++) rows.push_back(i);
    std::vector<Argmax> best(static_cast<size_t>(batch_size));
    for (int first = 0; first < kContext; first += batch_size) {
      const TestBatch part(first, std::min(batch_size, kContext - first), kPages);
      const size_t n = part.tokens.size(), at = results.size();
      step(part.batch(), std::span(rows).first(n), best);
      results.resize(at + n * kVocab);
      ops->read(std::span(results).subspan(at), logits_->data);
      for (size_t i = 0; i < n; i++) log_probabilities.push_back(best[i].log_probability);
    }
    results.insert(results.end(), log_probabilities.begin(), log_probabilities.end());
    std::vector<std::byte> page(ops->kv_page_bytes());
    for (int i = 0; i < kPages; i++) {
      ops->read_page(page, i);
      const size_t at = results.size();
      results.resize(at + page.size() / sizeof(float));
      std::memcpy(results.data() + at, page.data(), page.size());
    }
    return results;
  }

  std::unique_ptr<Ops> ops;

 private:
  std::unique_ptr<Matrix> qkv_, out_, gate_up_, down_, head_;
  std::unique_ptr<LowRank> qkv_added_, out_added_, gate_up_added_, down_added_;
  std::unique_ptr<Buffer> norm_, bias_, x_, q_, attention_, h_, logits_;
};

constexpr KvType kKvTypes[] = {KvType::kF16, KvType::kInt8};

struct Arrangement {
  int n_threads;
  std::vector<int> batch_sizes;
};

/// The combinations to test. The best kernels run every batch size with every number of threads;
/// other kernels run every size once. Where tests are slow, each KV type runs half of the sizes.
std::vector<Arrangement> arrangements(KvType kv_type, const std::string& variant, bool is_best) {
  if (test::kIsSanitized) return {{3, {13, 256}}};
  if (test::is_tested_elsewhere(variant)) return {{2, {13}}};
  if (test::is_slow() && kv_type == KvType::kF16) return {{1, {1, 13}}, {3, {7, 256}}};
  if (test::is_slow()) return {{2, {2, 64}}, {4, {12}}};
  const std::vector<int> all{1, 2, 7, 12, 13, 64, 256};
  if (is_best) return {{1, all}, {2, all}, {3, all}, {4, all}};
  return {{1, {1, 13}}, {2, {2, 64}}, {3, {7, 256}}, {4, {12}}};
}

}  // namespace

TEST("a token's result has the same bits in any batch, thread count and variant") {
  for (KvType kv_type : kKvTypes) {
    const std::string best = test::tested_variants().front();
    const std::vector<float> expected = Model({best, 1}, kv_type).run(test::is_slow() ? 64 : 1);
    for (const std::string& variant : test::tested_variants()) {
      for (const auto& [n_threads, batch_sizes] : arrangements(kv_type, variant, variant == best)) {
        Model model({variant, n_threads}, kv_type);
        for (int batch_size : batch_sizes) {
          const std::vector<float> results = model.run(batch_size);
          CHECK_EQUAL(results.size(), expected.size());
          CHECK(std::memcmp(results.data(), expected.data(), results.size() * sizeof(float)) == 0);
        }
      }
    }
  }
}

TEST("steps allocate nothing") {
  for (const std::string& variant : test::tested_variants()) {
    if (test::is_tested_elsewhere(variant)) continue;
    for (KvType kv_type : kKvTypes) {
      Model model({variant, 2}, kv_type);
      std::vector<int32_t> rows;
      std::vector<Argmax> best(256);
      for (int i = 0; i < 256; i++) rows.push_back(i);
      for (int n : {std::min(kMaxBatch, kContext), 1, 5, 13}) {
        const TestBatch batch(kContext - n, n, kPages);
        const int before = n_allocations;
        model.step(batch.batch(), std::span(rows).first(static_cast<size_t>(n)), best);
        CHECK_EQUAL(n_allocations.load(), before);
      }
    }
  }
}
