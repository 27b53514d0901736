// The Ops table: the fused operations of a transformer. The forward pass is written once in terms
// of them, and each backend (cpu, hip, webgpu) implements them. Ops know about matrices, blocks and
// shapes, but not about models or files.
//
// Memory: every float* below points to the backend's own memory, from buffer(). Host data goes in
// through spans and comes out through read(). Shapes are row-major; n is the number of tokens in
// the batch.
//
// Batch invariance: the result for one token must not depend, bit for bit, on which other tokens
// share the batch, on the number of threads, or on the division of a prompt into batches. So every
// implementation adds up an output element in a fixed order, and warm and cold answers are equal.
//
// Cancellation: once *cancel is true an op may return early with undefined output; the caller
// checks the flag after each op and discards the batch's results.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kv_page.h"
#include "quant_blocks.h"

namespace hearth::kernels {

/// The maximum number of tokens in a batch. A matmul reads the weights once for all of them.
inline constexpr int kMaxBatch = 256;

/// A matrix in the file's layout: n_rows rows of n_cols weights, row_bytes(type, n_cols) each.
struct MatrixSource {
  BlockType type = BlockType::kF32;
  const std::byte* data = nullptr;
  int n_rows = 0;  // output features
  int n_cols = 0;  // input features
};

/// A matrix in the backend's own layout. Must be destroyed before its Ops.
class Matrix {
 public:
  virtual ~Matrix() = default;
  int n_rows = 0;
  int n_cols = 0;
  size_t n_bytes = 0;  // as packed
};

/// A LoRA adapter's change to some rows of a matrix: adds scale * b (a h) to their products with h.
struct LowRankSource {
  int first_row = 0;  // in the matrix; a multiple of 16
  int n_rows = 0;     // a multiple of 16; in a stack (q, k and v): all rows of one matrix
  int rank = 0;       // 1 to kMaxRank
  float scale = 1;
  std::span<const float> a;  // [rank][n_cols]
  std::span<const float> b;  // [n_rows][rank]
  // Whether both a and the matrix are quantized. Then a backend may round a, b and their inputs to
  // eight bits.
  bool is_quantized = false;
};
inline constexpr int kMaxRank = 256;

/// A LoRA adapter's change to a whole matrix: LowRankSources in the backend's own layout, as f16
/// or, if they are quantized, perhaps as Q8_0. Must be destroyed before its Ops.
class LowRank {
 public:
  virtual ~LowRank() = default;
  size_t n_bytes = 0;  // as packed
};

/// A matrix to multiply by and, if the tokens use an adapter, the adapter's part, which is added
/// before bias, RoPE and SwiGLU.
struct Weights {
  // Not explicit, since most products have no adapter.
  Weights(const Matrix& matrix, const LowRank* added = nullptr) : matrix(matrix), added(added) {}
  size_t n_bytes() const { return matrix.n_bytes + (added ? added->n_bytes : 0); }
  const Matrix& matrix;
  const LowRank* added;
};

/// Backend memory for floats, freed with the object. Must be destroyed before its Ops.
class Buffer {
 public:
  virtual ~Buffer() = default;
  float* data = nullptr;
  size_t n_floats = 0;
};

/// The parameters of attention and RoPE, fixed when the KV pool is made.
struct AttentionShape {
  int n_layers = 0;
  int n_heads = 0;
  int n_kv_heads = 0;  // n_heads % n_kv_heads == 0
  int head_dim = 0;    // a multiple of 16, at most 256
  int max_positions = 0;
  float rope_base = 0;  // RoPE rotates the pairs (i, i + head_dim/2), which is the NEOX order
  KvType kv_type = KvType::kF16;
  std::vector<float> rope_factors{};  // [head_dim / 2] divisors of the frequencies; empty: all 1
  float scale = 0;                    // factor of q k in the softmax; 0: 1 / sqrt(head_dim)
  // RMS norms of each head of q and of k before RoPE, [n_layers][head_dim]; empty: none.
  std::vector<float> q_norms{}, k_norms{};
  float norm_eps = 0;        // of these norms
  float rope_magnitude = 1;  // multiplied into cosines and sines (YaRN)
  // In sliding layers a token attends only to the last `window` positions, its own included. Their
  // RoPE has its own base, no factors, and magnitude 1.
  std::vector<uint8_t> is_sliding{};  // [n_layers], or empty: none
  int window = 0;
  float sliding_rope_base = 0;

  bool slides(int layer) const {
    return !is_sliding.empty() && is_sliding[static_cast<size_t>(layer)] != 0;
  }
  /// The first position that a token at `position` attends to.
  int first_visible(int layer, int position) const {
    return slides(layer) && position >= window ? position + 1 - window : 0;
  }
  /// The angle, in radians per position, by which RoPE rotates dimensions i and i + head_dim / 2.
  double rope_frequency(int i, bool slides = false) const {
    const double base = slides ? sliding_rope_base : rope_base;
    const double frequency = std::pow(base, -2.0 * i / head_dim);
    return slides || rope_factors.empty() ? frequency : frequency / double{rope_factors[i]};
  }

  float softmax_scale() const {
    return scale > 0 ? scale : 1.0f / std::sqrt(static_cast<float>(head_dim));
  }
  size_t page_bytes() const { return page_head_bytes(kv_type, head_dim) * n_layers * n_kv_heads; }
};

/// The properties of a model that decide whether a backend can run it (require_support), known
/// before any weight is packed.
struct ModelShape {
  AttentionShape attention;
  float residual_scale = 1;        // see Ops
  bool has_mixed_gate_up = false;  // whether gate and up differ in type in some layer
  int n_experts = 0;               // in each layer; 0: no mixture of experts
  bool has_float_experts = false;  // whether some experts are not quantized
  bool has_adapters = false;       // whether adapters will be packed
};

/// The maximum number of experts that a token can use.
inline constexpr int kMaxExpertsUsed = 32;

/// A layer's mixture of experts. Each expert is an FFN; a token uses n_used experts, which the
/// router chooses. gate_up and down stack the matrices of all experts.
struct Experts {
  const Matrix& router;   // [n_experts][n_cols]
  const Matrix& gate_up;  // sources gate 0, up 0, gate 1, ...: [n_ff][n_cols] each
  const Matrix& down;     // sources down 0, down 1, ...: [n_cols][n_ff] each, n_ff a multiple of 32
  int n_experts = 0;
  int n_used = 0;  // at most kMaxExpertsUsed
  int n_ff() const { return down.n_cols; }
  /// The number of floats in one token's routes: see Ops::norm_route.
  int route_stride() const { return 2 * n_used; }
};

/// The input of a product: the output of another op, which may also have quantized it for this
/// product. The backend owns the quantized form and keeps it until it quantizes another output.
struct ProductInput {
  // Not explicit, since any floats can be an input.
  ProductInput(const float* data, bool is_quantized = false)
      : data(data), is_quantized(is_quantized) {}
  const float* data;
  bool is_quantized;
};

/// Tokens to run together. Tokens of one sequence come in ascending order of position; a token
/// attends to its own and all earlier positions of its sequence. Spans must live until the next
/// begin().
struct Batch {
  std::span<const uint32_t> tokens;                       // [n] vocabulary ids
  std::span<const int32_t> positions;                     // [n]
  std::span<const int32_t> sequences;                     // [n] index into page_tables
  std::span<const std::span<const int32_t>> page_tables;  // [sequence][position / 32] -> page id
  int size() const { return static_cast<int>(tokens.size()); }
};

/// The greatest logit of a row. finite is false if any logit was NaN or Inf; the other fields are
/// then meaningless.
struct Argmax {
  uint32_t id = 0;
  float logit = 0;
  float log_probability = 0;  // natural, of id under the softmax of the row
  bool finite = true;
};

/// Thrown when the backend itself has failed, for example because a GPU hangs or is lost. Its
/// buffers and matrices are no longer usable; what() is a message for the user.
class BackendError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Ops {
 public:
  virtual ~Ops() = default;

  /// Describes the backend to users, e.g. "cpu avx512vnni, 2 threads".
  virtual std::string description() const = 0;

  /// If the backend cannot run the model, throws std::runtime_error, which tells the user why.
  virtual void require_support(const ModelShape&) const {}
  /// Waits until all ops have run. (A GPU's ops return before they run.)
  virtual void wait() {}

  /// Free memory for a model, in bytes.
  virtual uint64_t free_bytes() const { return UINT64_MAX; }

  // --- memory, at load only ---

  /// The matrices packed from now on belong to this layer or, if `layer` is the number of layers,
  /// to the head. (The embedding is packed before the first call.)
  virtual void begin_layer(int /*layer*/) {}

  /// Packs matrices with equal n_cols, stacked by rows, into the backend's layout (in parallel).
  /// They may differ in type. The sources are not needed afterwards.
  virtual std::unique_ptr<Matrix> pack(std::span<const MatrixSource> sources) = 0;
  /// Packs an adapter's change to a matrix of n_cols columns. The sources come in ascending order
  /// of rows and do not overlap; they are not needed afterwards. Only for backends whose
  /// require_support() accepts adapters.
  virtual std::unique_ptr<LowRank> pack_low_rank(int /*n_cols*/,
                                                 std::span<const LowRankSource> /*sources*/) {
    throw std::logic_error("this backend has no adapters");
  }
  /// Backend memory, zeroed.
  virtual std::unique_ptr<Buffer> buffer(size_t n_floats) = 0;
  virtual void write(float* destination, std::span<const float> source) = 0;
  virtual void read(std::span<float> destination, const float* source) = 0;

  /// Makes the KV pool: n_pages pages of shape.page_bytes(), each with room for kPageTokens
  /// positions in all layers. A page takes physical memory only once it is written. Called once,
  /// for a shape that the backend supports.
  virtual void make_kv_pool(const AttentionShape& shape, int n_pages) = 0;
  virtual size_t kv_page_bytes() const = 0;
  /// Copies the first n_positions positions of a page, in all layers.
  virtual void copy_page(int to, int from, int n_positions) = 0;
  /// Copy a page's kv_page_bytes() bytes to or from host memory, for the disk cache.
  virtual void read_page(std::span<std::byte> destination, int page) = 0;
  virtual void write_page(int page, std::span<const std::byte> source) = 0;

  // --- one step ---

  /// Sets the batch that the following ops work on.
  virtual void begin(const Batch& batch) = 0;
  /// x[n][n_cols] = the table's rows for the batch's tokens, dequantized.
  virtual void embed(const Matrix& table, float* x) = 0;
  /// h = rmsnorm(x) * norm; [q|k|v] = h * qkv^T + bias; RoPE on q and k at the batch's positions;
  /// k and v go into the batch's pages of this layer. x [n][n_cols], q [n][n_heads * head_dim].
  /// qkv stacks q, k, v; bias [qkv.n_rows], or null.
  virtual void norm_qkv(int layer, const float* norm, float eps, const Weights& qkv,
                        const float* bias, const float* x, float* q) = 0;
  /// Causal softmax(softmax_scale() * q k^T) v over each token's pages. q and out [n][n_heads *
  /// head_dim]; they must not alias. next, here and in norm_gate_up: the matrix that will multiply
  /// the output, or null. The backend may already quantize the output for it. The result is the
  /// input for matmul_add() with that matrix.
  virtual ProductInput attention(int layer, const float* q, float* out, const Matrix* next) = 0;
  /// x[n][w.n_rows] += residual_scale * in[n][w.n_cols] * w^T. For the output projection and for
  /// FFN down.
  virtual void matmul_add(const Weights& w, ProductInput in, float* x) = 0;
  /// h[n][n_ff] = silu(g) * u with [g|u] = (rmsnorm(x) * norm) * gate_up^T; gate_up stacks gate,
  /// up.
  virtual ProductInput norm_gate_up(const float* norm, float eps, const Weights& gate_up,
                                    const float* x, float* h, const Matrix* next) = 0;
  // Mixture of experts: only for backends whose require_support() accepts it.

  /// The size of `routes` below, in floats: a batch's routes, followed by the backend's own data.
  virtual size_t n_route_floats(const Experts& experts) const {
    return size_t{kMaxBatch} * experts.route_stride();
  }
  /// Chooses each token's experts: the n_used whose logits (rmsnorm(x) * norm) * router^T are
  /// greatest; the lower id wins a tie. routes[n][2 * n_used]: their ids as floats, in ascending
  /// order, then their weights, the softmax of their logits.
  virtual void norm_route(const float* /*norm*/, float /*eps*/, const Experts&, const float* /*x*/,
                          float* /*routes*/) {
    refuse_experts();
  }
  /// h[n][n_used][n_ff] = norm_gate_up() with each expert of a token's routes. The weights of
  /// experts that no token of the batch chose are not read.
  virtual void norm_gate_up_experts(const float* /*norm*/, float /*eps*/, const Experts&,
                                    const float* /*routes*/, const float* /*x*/, float* /*h*/) {
    refuse_experts();
  }
  /// x[n] += residual_scale * weight * down h for each expert of a token's routes, in ascending
  /// order of ids, so that a token's sum does not depend on the batch.
  virtual void add_experts(const Experts&, const float* /*routes*/, const float* /*h*/,
                           float* /*x*/) {
    refuse_experts();
  }

  /// logits[rows.size()][head.n_rows] = (rmsnorm(x[row]) * norm) * head^T for these tokens of the
  /// batch.
  virtual void norm_head(const float* norm, float eps, const Matrix& head, const float* x,
                         std::span<const int32_t> rows, float* logits) = 0;
  /// logits[candidates.size()]: the logits of one token of the batch for some rows of the head,
  /// `candidates` (ascending), with the same bits as in the full product. For token healing, which
  /// allows only some tokens.
  virtual void norm_head_candidates(const float* norm, float eps, const Matrix& head,
                                    const float* x, int32_t row,
                                    std::span<const uint32_t> candidates, float* logits) = 0;
  /// out[row] = the Argmax of each row of logits[n_rows][n_vocab]. The lowest id wins a tie. A
  /// row's result does not depend on the other rows.
  virtual void argmax(const float* logits, int n_rows, int n_vocab, std::span<Argmax> out) = 0;

  /// The flag that cancels ops (see Cancellation above). May be null. The engine thread sets the
  /// pointer; any thread may set the flag.
  const std::atomic<bool>* cancel = nullptr;
  /// matmul_add() and add_experts() multiply the values that they add by this factor. Set once, at
  /// load.
  float residual_scale = 1;

 private:
  [[noreturn]] static void refuse_experts() {
    throw std::logic_error("this backend has no mixture of experts");
  }
};

/// Options of the CPU backend. An empty `variant` means the best one that this CPU can run.
struct CpuOptions {
  std::string variant;  // "", "scalar", "avx2", "avxvnni", "avx512vnni", "amx", "neon", "i8mm"
  int n_threads = 0;    // 0: one per core, at most 8
};

/// Variants that were built and that this CPU can run, best first.
std::vector<std::string> cpu_variants();
/// If this CPU cannot run the variant, throws std::invalid_argument, which lists the variants that
/// it can run.
std::unique_ptr<Ops> make_cpu_ops(const CpuOptions& options);

/// Converts a row of any block type to float. Tests compare every packed kernel with this
/// definition.
void dequantize_row(BlockType type, const std::byte* row, float* out, int n_cols);

}  // namespace hearth::kernels
