// Compares attention in every variant with softmax(q k^T / sqrt(d)) v, computed directly in double
// precision.
#include "cpu/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "cpu_variants.h"
#include "test.h"

using hearth::kernels::AttentionShape;
using hearth::kernels::Batch;
using hearth::kernels::kKvGroup;
using hearth::kernels::KvType;
using hearth::kernels::cpu::Attention;
using hearth::kernels::cpu::RowKernels;

namespace {

/// One sequence with known q, k and v in scattered pages, whose unused bytes are all NaN.
class Sequence {
 public:
  Sequence(const AttentionShape& shape, int length) : shape_(shape), length_(length) {
    std::mt19937 random(static_cast<unsigned>(length * 31 + shape.head_dim + shape.n_heads));
    std::normal_distribution<float> normal(0, 1);
    const size_t n_q = static_cast<size_t>(length * shape.n_heads * shape.head_dim);
    const size_t n_kv = static_cast<size_t>(length * shape.n_kv_heads * shape.head_dim);
    for (size_t i = 0; i < n_q; i++) q_.push_back(normal(random));
    for (std::vector<float>* kv : {&k_, &v_}) {
      for (size_t i = 0; i < n_kv; i++) kv->push_back(storable(normal(random), i));
    }
    for (int page = 0; page < n_pages(); page++) table_.push_back(page);
    std::shuffle(table_.begin(), table_.end(), random);
    for (int i = 0; i < length; i++) positions_.push_back(i);
    sequences_.resize(static_cast<size_t>(length));
    tokens_.resize(static_cast<size_t>(length));
  }

  /// Computes out [length][n_heads * head_dim] in batches of batch_size tokens.
  std::vector<float> run(const RowKernels& kernels, KvType kv_type, int batch_size,
                         int n_threads) const {
    AttentionShape shape = shape_;
    shape.kv_type = kv_type;
    Attention attention(kernels, shape, n_pages(), n_threads);
    for (int page = 0; page < n_pages(); page++) {
      std::memset(attention.pool().page(page), 0xff, attention.pool().page_bytes());
    }
    const size_t row = static_cast<size_t>(shape_.n_heads * shape_.head_dim);
    std::vector<float> out(q_.size(), NAN);
    for (int first = 0; first < length_; first += batch_size) {
      const size_t at = static_cast<size_t>(first);
      const size_t n = static_cast<size_t>(std::min(batch_size, length_ - first));
      const std::span<const int32_t> tables[] = {table_};
      attention.begin({std::span(tokens_).subspan(at, n), std::span(positions_).subspan(at, n),
                       std::span(sequences_).subspan(at, n), tables});
      for (int layer = 0; layer < shape_.n_layers; layer++) {
        for (size_t i = 0; i < n; i++) append(attention, layer, static_cast<int>(i), first);
      }
      // Computes only the last layer. The other layers have the same values and must not interfere.
      const Attention::Step step{shape_.n_layers - 1, q_.data() + at * row, out.data() + at * row};
      for (int i = 0; i < attention.n_chunks(); i++) attention.chunk(step, i, i % n_threads);
      if (!attention.is_split()) continue;
      for (int i = 0; i < attention.n_merges(); i++) attention.merge(step, i);
    }
    return out;
  }

  struct Exact {
    int position;
    std::vector<double> out, tolerance;  // [n_heads * head_dim]
  };

  /// Computes the exact result at a position, with tolerances: once for all variants and KV types,
  /// because it takes longer than the tested code.
  Exact exact(int position) const {
    const int dim = shape_.head_dim, group = shape_.n_heads / shape_.n_kv_heads;
    const int first = shape_.first_visible(shape_.n_layers - 1, position);
    Exact exact{position, {}, {}};
    for (int head = 0; head < shape_.n_heads; head++) {
      const float* q = q_.data() + (position * shape_.n_heads + head) * dim;
      std::vector<double> weights;
      double most = -INFINITY, max_products = 0, sum = 0, max_v = 0;
      for (int p = first; p <= position; p++) {
        const float* k = row(k_, p, head / group);
        double score = 0, products = 0;
        for (int d = 0; d < dim; d++) {
          score += double{q[d]} * k[d];
          products += std::fabs(double{q[d]} * k[d]);
        }
        weights.push_back(score / std::sqrt(dim));
        most = std::max(most, weights.back());
        max_products = std::max(max_products, products / std::sqrt(dim));
      }
      for (double& weight : weights) sum += weight = std::exp(weight - most);
      for (int d = 0; d < dim; d++) {
        double expected = 0;
        for (int p = first; p <= position; p++) {
          const double v = row(v_, p, head / group)[d];
          expected += weights[static_cast<size_t>(p - first)] / sum * v;
          max_v = std::max(max_v, std::fabs(v));
        }
        exact.out.push_back(expected);
        // The error of a score is at most dim roundings of its products, and so is the error of its
        // weight's logarithm. The weighted sum and the sum of weights add one rounding per
        // position.
        exact.tolerance.push_back(0x1p-24 * max_v * (2 * dim * max_products + 2 * position + 32));
      }
    }
    return exact;
  }

  std::vector<Exact> exact(const std::vector<int>& positions) const {
    std::vector<Exact> all;
    for (int position : positions) all.push_back(exact(position));
    return all;
  }

 private:
  /// Returns a value near x that can be stored without loss: f16 represents it exactly, and so does
  /// int8, since each group gets a maximum that makes its scale 1/64.
  float storable(float x, size_t i) const {
    if (i % static_cast<size_t>(shape_.head_dim) % kKvGroup == 3) return 127.0f / 64;
    return std::round(std::clamp(x * 64, -127.0f, 127.0f)) / 64;
  }
  int n_pages() const { return (length_ + 31) / 32 + 2; }
  const float* row(const std::vector<float>& kv, int position, int kv_head) const {
    return kv.data() + (position * shape_.n_kv_heads + kv_head) * shape_.head_dim;
  }
  void append(const Attention& attention, int layer, int token, int first) const {
    for (int head = 0; head < shape_.n_kv_heads; head++) {
      attention.append(layer, token, head, row(k_, first + token, head),
                       row(v_, first + token, head));
    }
  }

  AttentionShape shape_;
  int length_;
  std::vector<float> q_, k_, v_;
  std::vector<int32_t> table_, positions_, sequences_;
  std::vector<uint32_t> tokens_;
};

AttentionShape shape_of(int n_heads, int n_kv_heads, int head_dim) {
  return {2, n_heads, n_kv_heads, head_dim, 4096, 10000.0f, KvType::kF16};
}

std::vector<const RowKernels*> variants_not_tested_elsewhere() {
  std::vector<const RowKernels*> variants = test::usable_row_kernels();
  std::erase_if(variants, [](const auto* each) { return test::is_tested_elsewhere(each->name); });
  return variants;
}

/// Calls body(row kernels, KV type) for each combination.
template <typename Body>
void for_variants_and_kv_types(const std::vector<const RowKernels*>& variants, const Body& body) {
  for (const RowKernels* kernels : variants) {
    for (KvType kv_type : {KvType::kF16, KvType::kInt8}) body(*kernels, kv_type);
  }
}

/// Checks the results of these variants and every KV type at these positions, computed in batches
/// of batch_size tokens.
void check(const Sequence& sequence, const std::vector<int>& positions, int batch_size,
           int n_threads,
           const std::vector<const RowKernels*>& variants = variants_not_tested_elsewhere()) {
  const std::vector<Sequence::Exact> expected = sequence.exact(positions);
  for_variants_and_kv_types(variants, [&](const RowKernels& kernels, KvType kv_type) {
    const std::vector<float> out = sequence.run(kernels, kv_type, batch_size, n_threads);
    for (const Sequence::Exact& exact : expected) {
      const size_t row = exact.out.size(), first = static_cast<size_t>(exact.position) * row;
      for (size_t i = 0; i < row; i++) CHECK_NEAR(out[first + i], exact.out[i], exact.tolerance[i]);
    }
  });
}

std::vector<int> each(int step, int length) {
  std::vector<int> positions;
  for (int position = 0; position < length; position += step) positions.push_back(position);
  return positions;
}

/// Divides the sizes between the KV types: each type gets every second size.
std::vector<int> each_once(const std::vector<int>& sizes, KvType kv_type) {
  std::vector<int> some;
  for (size_t i = kv_type == KvType::kF16 ? 0 : 1; i < sizes.size(); i += 2)
    some.push_back(sizes[i]);
  return some;
}

}  // namespace

TEST("attention equals the softmax for every number of query heads per KV head") {
  // Where tests are slow, three pages are enough; the test across splits uses more.
  const int length = test::is_slow() ? 70 : 200;
  for (int head_dim : {64, 128}) {
    for (int group = 1; group <= 8; group++) {
      if (test::is_slow() && (group % 2 == 0) == (head_dim == 64)) continue;
      const Sequence sequence(shape_of(2 * group, 2, head_dim), length);
      check(sequence, each(group == 7 ? 1 : 13, length), 256, 2);
    }
  }
}

TEST("attention equals the softmax for unusual head dimensions and many heads") {
  for (int head_dim : {16, 48, 80, 256})
    check(Sequence(shape_of(3, 1, head_dim), 70), each(1, 70), 33, 1);
  check(Sequence(shape_of(80, 1, 16), 40), each(1, 40), 40, 1);
}

TEST("attention equals the softmax across splits") {
  const int length = test::is_slow() ? 530 : 800, n_heads = test::is_slow() ? 2 : 6;
  const std::vector<int> positions{254, 255, 256, 257, 511, 512, length - 10, length - 1};
  check(Sequence(shape_of(n_heads, 1, 64), length), positions, 256, 1, test::usable_row_kernels());
}

TEST("attention equals the softmax over a sliding window, within splits and across them") {
  const int length = 530;
  for (const int window : {1, 40, 300}) {
    AttentionShape shape = shape_of(3, 1, 32);
    shape.is_sliding = {0, 1};
    shape.window = window;
    check(Sequence(shape, length), {0, 39, 255, 256, 290, 295, 511, length - 1},
          window == 40 ? 1 : 100, 2);
  }
}

TEST("a token's attention has the same bits in any batch, with any number of threads") {
  for_variants_and_kv_types(variants_not_tested_elsewhere(), [](const RowKernels& kernels,
                                                                KvType kv_type) {
    const Sequence sequence(shape_of(test::is_slow() ? 3 : 7, 1, 64), 290);
    const std::vector<float> alone = sequence.run(kernels, kv_type, test::is_slow() ? 64 : 1, 1);
    std::vector<int> batch_sizes{1, 2, 7, 12, 13, 64, 256};
    if (test::is_slow()) batch_sizes = each_once(batch_sizes, kv_type);
    if (test::kIsSanitized) batch_sizes = {13};
    const auto thread_counts = test::is_slow() ? std::vector<int>{4} : std::vector<int>{1, 4};
    for (int batch_size : batch_sizes) {
      for (int n_threads : thread_counts) {
        const std::vector<float> out = sequence.run(kernels, kv_type, batch_size, n_threads);
        CHECK(std::memcmp(out.data(), alone.data(), out.size() * sizeof(float)) == 0);
      }
    }
  });
}
