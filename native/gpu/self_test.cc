#include "self_test.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hip/ops_hip.h"

namespace hearth::gpu {
namespace {

using kernels::BlockType;
using kernels::Ops;

constexpr int kHeadSizes[] = {32, 64, 128, 256};
constexpr int kNormedHeadSize = 128;  // one size suffices: all sizes use the same kernel
// Numbers of tokens for which there are different kernels: decode, drafts of up to 8, prompts of up
// to 32 and longer ones.
constexpr int kBatches[] = {1, 3, 12, 40};
constexpr int kMaxTokens = 40;
// Long rows are divided into several slices, among the warps of a thread block.
constexpr int kCols = 256, kLongCols = 512, kRows = 48, kHidden = kCols;
constexpr int kPages = 10;
constexpr float kEps = 1e-6f;
// The GPU adds float sums in another order, which changes results by far less than a thousandth of
// the greatest value. After a norm, a few int8 values may also round to the neighbouring code.
constexpr float kSumTolerance = 1e-3f, kStepTolerance = 1e-2f;

std::vector<float> wave(size_t n, float step = 1, size_t first = 0) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; i++) values[i] = std::sin(step * static_cast<float>(first + i));
  return values;
}

/// Tokens of a prompt.
struct Range {
  int first, n;
};

/// Rows of bytes below 0x40: read as f16 or float, they are small positive numbers in any format.
class Rows {
 public:
  Rows(BlockType type, int n_rows, unsigned seed, int n_cols = kCols)
      : type_(type),
        n_rows_(n_rows),
        n_cols_(n_cols),
        bytes_(n_rows * kernels::row_bytes(type, n_cols)) {
    std::mt19937 random(seed);
    for (std::byte& byte : bytes_) byte = static_cast<std::byte>(random() & 0x3f);
  }
  kernels::MatrixSource source() const { return {type_, bytes_.data(), n_rows_, n_cols_}; }

 private:
  BlockType type_;
  int n_rows_, n_cols_;
  std::vector<std::byte> bytes_;
};

/// One backend with the buffers that the test steps share.
class Bench {
 public:
  explicit Bench(std::unique_ptr<Ops> made) : ops(std::move(made)) {
    norm = buffer(wave(kCols, 0.3f));
  }
  std::unique_ptr<kernels::Buffer> buffer(const std::vector<float>& values) {
    auto made = ops->buffer(values.size());
    ops->write(made->data, values);
    return made;
  }
  std::unique_ptr<kernels::Matrix> pack(const std::vector<kernels::MatrixSource>& parts) {
    return ops->pack(parts);
  }
  /// Begins a batch of n tokens of one sequence, at positions first, first + 1, ...
  void begin(int first, int n) {
    tokens_.resize(n), positions_.resize(n), sequences_.assign(n, 0);
    std::iota(positions_.begin(), positions_.end(), first);
    for (int i = 0; i < n; i++) tokens_[i] = (first + i) * 7 % kRows;
    ops->begin({tokens_, positions_, sequences_, {&kTable, 1}});
  }
  std::vector<float> read(const kernels::Buffer& from) {
    std::vector<float> values(from.n_floats);
    ops->read(values, from.data);
    return values;
  }

  std::unique_ptr<Ops> ops;
  std::unique_ptr<kernels::Buffer> norm;

 private:
  std::vector<uint32_t> tokens_;
  std::vector<int32_t> positions_, sequences_;
  static constexpr int32_t kPageOrder[] = {2, 0, 1, 5, 4, 3, 9, 8, 7, 6};
  static constexpr std::span<const int32_t> kTable = kPageOrder;
};

using Step = std::function<std::vector<float>(Bench&)>;

/// Compares the results of a GPU, used in one or several ways, with the CPU's.
class Comparison {
 public:
  Comparison(std::span<const MakeOps> ways, const Judge& judge)
      : cpu_(kernels::make_cpu_ops({"scalar", 1})), judge_(judge) {
    for (const MakeOps& make : ways) gpus_.emplace_back(make());
  }

  void expect_near(const std::string& what, float tolerance, const Step& step) {
    const std::vector<float> expected = step(cpu_);
    float greatest = 0;
    for (const float value : expected) greatest = std::max(greatest, std::fabs(value));
    for (Bench& gpu : gpus_) {
      const std::vector<float> got = step(gpu);
      bool is_right = true;
      for (size_t i = 0; i < got.size(); i++)
        is_right &= std::fabs(got[i] - expected[i]) <= tolerance * greatest;
      judge_(what, is_right);
    }
  }
  /// Two ways of batching must give the same bits on the GPU.
  void expect_same_bits(const std::string& what, const Step& one_way, const Step& other_way) {
    for (Bench& gpu : gpus_) {
      const std::vector<float> some = one_way(gpu), others = other_way(gpu);
      judge_("the bits of " + what + ", alone and in batches",
             some.size() == others.size() &&
                 std::memcmp(some.data(), others.data(), some.size() * sizeof(float)) == 0);
    }
  }

 private:
  std::vector<Bench> gpus_;
  Bench cpu_;
  const Judge& judge_;
};

constexpr Range kAll{0, kMaxTokens};
/// Divides kMaxTokens tokens into single tokens and batches that use different kernels.
const std::vector<Range> kPieces{{0, 1}, {1, 1}, {2, 3}, {5, 12}, {17, 23}};

/// A step that runs a prompt in pieces.
Step in_pieces(const std::function<Step(Range)>& make) {
  return [make](Bench& b) {
    std::vector<float> all;
    for (const Range& piece : kPieces) {
      const std::vector<float> values = make(piece)(b);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  };
}

Step embedding(const Rows& table, int n) {
  return [&table, n](Bench& b) {
    const auto matrix = b.pack({table.source()});
    const auto x = b.ops->buffer(n * size_t{kCols});
    b.begin(0, n);
    b.ops->embed(*matrix, x->data);
    return b.read(*x);
  };
}

/// A product with long rows.
Step product(const Rows& w, Range tokens) {
  return [&w, tokens](Bench& b) {
    const auto [first, n] = tokens;
    const auto matrix = b.pack({w.source()});
    const auto in = b.buffer(wave(n * size_t{kLongCols}, 1, first * size_t{kLongCols}));
    const auto x = b.buffer(wave(n * size_t{kRows}, 1, first * size_t{kRows}));
    b.begin(0, n);
    b.ops->matmul_add(*matrix, in->data, x->data);
    return b.read(*x);
  };
}

/// An adapter of a matrix. All its parts have the same number of rows.
std::unique_ptr<kernels::LowRank> adapter(Bench& b, int n_cols, int n_parts, int part_rows) {
  constexpr int kRank = 12;
  const std::vector<float> down = wave(kRank * size_t(n_cols), 0.7f), up = wave(kRank * part_rows);
  std::vector<kernels::LowRankSource> parts;
  for (int i = 0; i < n_parts; i++) parts.push_back({i * part_rows, part_rows, kRank, 2, down, up});
  return b.ops->pack_low_rank(n_cols, parts);
}

/// Gate, up and down: the down product uses the output of SwiGLU. All three have an adapter, or
/// none has.
Step feed_forward(const Rows& gate, const Rows& up, const Rows& down, Range tokens,
                  bool is_adapted = false) {
  return [&gate, &up, &down, tokens, is_adapted](Bench& b) {
    const auto [first, n] = tokens;
    const auto gate_up = b.pack({gate.source(), up.source()}), last = b.pack({down.source()});
    const auto in = b.buffer(wave(n * size_t{kCols}, 1, first * size_t{kCols}));
    const auto x = b.ops->buffer(n * size_t{kRows}), h = b.ops->buffer(n * size_t{kHidden});
    std::unique_ptr<kernels::LowRank> inner, outer;
    if (is_adapted) inner = adapter(b, kCols, 2, kHidden), outer = adapter(b, kHidden, 1, kRows);
    b.begin(0, n);
    const kernels::ProductInput input = b.ops->norm_gate_up(
        b.norm->data, kEps, {*gate_up, inner.get()}, in->data, h->data, last.get());
    b.ops->matmul_add({*last, outer.get()}, input, x->data);
    return b.read(*x);
  };
}

/// A mixture of three experts, of which each token uses two.
class MixedRows {
 public:
  explicit MixedRows(BlockType type) : router_(BlockType::kF32, kExperts, 8) {
    for (unsigned i = 0; i < kExperts; i++) {
      gate_up_.emplace_back(type, kHidden, 10 + i);
      gate_up_.emplace_back(type, kHidden, 20 + i);
      down_.emplace_back(type, kCols, 30 + i, kHidden);
    }
  }
  std::vector<float> run(Bench& b, int n) const {
    const auto sources = [](const std::vector<Rows>& rows) {
      std::vector<kernels::MatrixSource> all;
      for (const Rows& matrix : rows) all.push_back(matrix.source());
      return all;
    };
    const auto router = b.pack({router_.source()}), gate_up = b.pack(sources(gate_up_)),
               down = b.pack(sources(down_));
    const kernels::Experts experts{*router, *gate_up, *down, kExperts, kUsed};
    const auto x = b.buffer(wave(n * size_t{kCols}, 0.9f));
    const auto routes = b.ops->buffer(b.ops->n_route_floats(experts));
    const auto h = b.ops->buffer(n * size_t{kUsed * kHidden});
    b.begin(0, n);
    b.ops->norm_route(b.norm->data, kEps, experts, x->data, routes->data);
    b.ops->norm_gate_up_experts(b.norm->data, kEps, experts, routes->data, x->data, h->data);
    b.ops->add_experts(experts, routes->data, h->data, x->data);
    return b.read(*x);
  }

 private:
  static constexpr int kExperts = 3, kUsed = 2;
  Rows router_;
  std::vector<Rows> gate_up_, down_;
};

/// Logits of two rows, logits of some candidates, and the argmax.
Step head(const Rows& w) {
  return [&](Bench& b) {
    const auto matrix = b.pack({w.source()});
    const auto x = b.buffer(wave(3 * kCols));
    const auto logits = b.ops->buffer(2 * kRows), some = b.ops->buffer(3);
    const std::vector<int32_t> rows{0, 2};
    const std::vector<uint32_t> candidates{1, 20, 47};
    std::vector<kernels::Argmax> best(2);
    b.begin(0, 3);
    b.ops->norm_head(b.norm->data, kEps, *matrix, x->data, rows, logits->data);
    b.ops->norm_head_candidates(b.norm->data, kEps, *matrix, x->data, 1, candidates, some->data);
    b.ops->argmax(logits->data, 2, kRows, best);
    std::vector<float> all = b.read(*logits);
    for (const float value : b.read(*some)) all.push_back(value);
    for (const kernels::Argmax& row : best) all.push_back(row.finite ? row.logit : NAN);
    return all;
  };
}

/// Attention for some batches of one sequence; the keys and values of the positions between them
/// are zero. Batches of a single token, or all batches, begin with embed(), which also uploads the
/// batch.
Step attention(const Rows& table, const Rows& qkv, const kernels::AttentionShape& shape,
               bool has_next, const std::vector<Range>& batches, bool embeds_all = false) {
  return [&table, &qkv, shape, has_next, batches, embeds_all](Bench& b) {
    const int n_q = shape.n_heads * shape.head_dim;
    b.ops->make_kv_pool(shape, kPages);
    const auto embeddings = b.pack({table.source()}), matrix = b.pack({qkv.source()});
    const auto bias = b.buffer(wave(2 * n_q, 0.1f));
    const auto x = b.buffer(wave(kMaxTokens * size_t{kCols}, 0.7f));
    const auto q = b.ops->buffer(kMaxTokens * size_t(n_q)), out = b.ops->buffer(q->n_floats);
    std::vector<float> all;
    for (const auto& [first, n] : batches) {
      b.begin(first, n);
      if (n == 1 || embeds_all) b.ops->embed(*embeddings, x->data);
      b.ops->norm_qkv(0, b.norm->data, kEps, *matrix, bias->data, x->data, q->data);
      b.ops->attention(0, q->data, out->data, has_next ? matrix.get() : nullptr);
      const std::vector<float> values = b.read(*out);
      all.insert(all.end(), values.begin(), values.begin() + n * n_q);
    }
    return all;
  };
}

/// A prompt, more tokens at much later positions, then a single token. The later tokens attend to
/// two parts of 256 positions: each part has its own thread block, and the last block to finish
/// merges them.
const std::vector<Range> kFarApart{{0, kMaxTokens}, {270, 30}, {300, 1}};

void test_type(Comparison& both, BlockType type, bool is_dense) {
  const std::string name = kernels::block_traits(type).name;
  const Rows rows(type, kRows, 1), gate(type, kHidden, 2), up(type, kHidden, 3);
  const Rows long_rows(type, kRows, 4, kLongCols);
  const auto products = [&](Range tokens) { return product(long_rows, tokens); };
  const auto swiglu = [&](Range tokens) { return feed_forward(gate, up, rows, tokens); };
  for (const int n : {3, 1}) both.expect_near("a row of " + name, 0, embedding(rows, n));
  for (const int n : kBatches) {
    both.expect_near("a product with " + name, kSumTolerance, products({0, n}));
    both.expect_near("SwiGLU with " + name, kStepTolerance, swiglu({0, n}));
  }
  if (is_dense) {
    both.expect_same_bits("products with " + name, products(kAll), in_pieces(products));
    both.expect_same_bits("SwiGLU with " + name, swiglu(kAll), in_pieces(swiglu));
  }
  if (is_dense) return;
  // One format of each kind: float weights, a scale for every 32 columns, super-blocks.
  if (type == BlockType::kF32 || type == BlockType::kQ8_0 || type == BlockType::kQ4_K)
    for (const int n : {1, 3, kMaxTokens})
      both.expect_near("an adapter beside " + name, kStepTolerance,
                       feed_forward(gate, up, rows, {0, n}, true));
  if (kernels::block_traits(type).is_float()) return;
  const MixedRows experts(type);
  // Few tokens and many: a single thread block chooses the routes of at most 16.
  for (const int n : {3, 20})
    both.expect_near("experts with " + name, kStepTolerance,
                     [&](Bench& b) { return experts.run(b, n); });
}

void test_all(std::span<const MakeOps> ways, std::span<const BlockType> types, bool is_dense,
              const Judge& judge) {
  Comparison all(ways, judge);
  for (const BlockType type : types) test_type(all, type, is_dense);
  all.expect_near("the head", kStepTolerance, head(Rows(BlockType::kQ8_0, kRows, 5)));
  const auto test_attention = [&](int size, const std::string& what, const auto& change) {
    kernels::AttentionShape shape{1, 4, 2, size, kPages * 32, 10000};
    change(shape);
    Comparison own(ways, judge);
    const Rows table(BlockType::kQ8_0, kRows, 7), qkv(BlockType::kQ8_0, 8 * size, 6);
    own.expect_near("attention with " + what, kStepTolerance,
                    attention(table, qkv, shape, !is_dense, kFarApart));
    if (!is_dense) return;
    Comparison parts(ways, judge);
    const auto of = [&](const std::vector<Range>& batches) {
      return attention(table, qkv, shape, false, batches, true);
    };
    parts.expect_same_bits("attention with " + what, of({kAll}), of(kPieces));
  };
  for (const int size : kHeadSizes)
    test_attention(size, "heads of " + std::to_string(size), [](auto&) {});
  test_attention(kNormedHeadSize, "norms of heads", [](kernels::AttentionShape& shape) {
    shape.q_norms = shape.k_norms = wave(kNormedHeadSize, 0.2f);
    shape.norm_eps = kEps;
  });
  if (is_dense) return;
  test_attention(kNormedHeadSize, "a sliding window", [](kernels::AttentionShape& shape) {
    shape.is_sliding = {1};
    shape.window = 35;  // reaches from the second part of positions back into the first
    shape.sliding_rope_base = 500;
  });
}

void require(const std::string& what, bool is_right) {
  if (!is_right)
    throw std::runtime_error("the GPU fails its self-test: " + what +
                             " comes out wrong; update the GPU driver");
}

}  // namespace

void self_test(const kernels::hip::GpuApi& api, const kernels::hip::DeviceChoice& choice) {
  // The second run pretends that the GPU has a single compute unit, so that small matrices use the
  // kernels for large ones.
  kernels::hip::DeviceChoice narrow = choice;
  narrow.n_processors = 1;
  const auto as = [&](const kernels::hip::DeviceChoice& gpu) {
    return [&api, &gpu] { return std::make_unique<kernels::hip::HipOps>(api, gpu); };
  };
  const MakeOps ways[] = {as(choice), as(narrow)};
  test_all(ways, kernels::kBlockTypes, false, require);
}

void self_test_dense(const MakeOps& make_gpu, std::span<const BlockType> types) {
  test_all({&make_gpu, 1}, types, true, require);
}

void judge_dense(const MakeOps& make_gpu, std::span<const BlockType> types, const Judge& judge) {
  test_all({&make_gpu, 1}, types, true, judge);
}

}  // namespace hearth::gpu
