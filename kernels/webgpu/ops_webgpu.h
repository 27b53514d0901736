// The Ops table on a GPU with WebGPU. README.md describes the kernels.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "device.h"
#include "ops.h"
#include "packed.h"

namespace hearth::kernels::webgpu {

inline uint32_t ceil_div(size_t a, size_t b) { return static_cast<uint32_t>((a + b - 1) / b); }

/// Parameters of input.wgsl, input_stored.wgsl and the products after them. A name that ends in 0
/// is the offset of the data in its buffer.
struct InputParams {
  uint32_t x0 = 0, y0 = 0, stride = 0, n = 0, first = 0, max_parts = 0;
  float scale = 1, eps = 0;
  uint32_t q0 = 0, n_rows = 0;
  float zero = 0;      // see common.wgsl
  uint32_t bias0 = 0;  // finish_qkv.wgsl
};

/// The origin of a product's input: source_*.wgsl.
enum class Source { kPlain, kSilu, kAttention };

/// Up to this number of tokens, gemv.wgsl is faster, though it reads the weights for each token.
inline constexpr int kGemvTokens = 3;
/// With up to kGemvTokens tokens, this many dispatches are submitted together, so that the GPU
/// begins while the host adds more.
inline constexpr size_t kAtOnce = 48;
/// With more tokens, a dispatch counts as one unit of work per token, and at least as this many:
/// the tokens of a tile of matmul.wgsl.
inline constexpr int kTileTokens = 32;

/// The division of a product in gemv.wgsl. It adds a row's columns slice by slice, and so does
/// every kernel whose sums must have the same bits.
struct Slices {
  int n_groups = 0;  // groups per slice
  int n = 0;         // slices
  int rows = 0;      // rows per workgroup
};
Slices slices_of(int n_groups, int n_rows);

/// Gives buffers made-up addresses, which are never dereferenced: WebGPU has no device pointers.
class Addresses {
 public:
  float* add(Handle buffer, size_t n_bytes);
  void remove(const float* address) { buffers_.erase(reinterpret_cast<uintptr_t>(address)); }
  struct Place {
    Handle buffer;
    size_t offset, n_bytes;  // the address's offset in the buffer; the buffer's size
  };
  Place find(const float* address) const;

 private:
  std::map<uintptr_t, std::pair<Handle, size_t>> buffers_;
  uintptr_t next_ = uintptr_t{1} << 40;
};

class WebgpuOps : public Ops {
 public:
  /// Several Ops can share a device and its pipelines; then one thread must use them all.
  /// free_bytes: how much of the device's memory is free.
  explicit WebgpuOps(std::shared_ptr<Device> device, uint64_t free_bytes = UINT64_MAX);

  std::string description() const override { return "webgpu " + device_.choice().name; }
  void require_support(const ModelShape& shape) const override;
  void wait() override { device_.wait(); }
  uint64_t free_bytes() const override { return free_bytes_; }
  std::unique_ptr<Matrix> pack(std::span<const MatrixSource> sources) override;
  std::unique_ptr<Buffer> buffer(size_t n_floats) override;
  void write(float* destination, std::span<const float> source) override;
  void read(std::span<float> destination, const float* source) override;

  void make_kv_pool(const AttentionShape& shape, int n_pages) override;
  size_t kv_page_bytes() const override { return shape_.page_bytes(); }
  void copy_page(int to, int from, int n_positions) override;
  void read_page(std::span<std::byte> destination, int page) override;
  void write_page(int page, std::span<const std::byte> source) override;

  void begin(const Batch& batch) override;
  void embed(const Matrix& table, float* x) override;
  void norm_qkv(int layer, const float* norm, float eps, const Weights& qkv, const float* bias,
                const float* x, float* q) override;
  ProductInput attention(int layer, const float* q, float* out, const Matrix* next) override;
  void matmul_add(const Weights& w, ProductInput in, float* x) override;
  ProductInput norm_gate_up(const float* norm, float eps, const Weights& gate_up, const float* x,
                            float* h, const Matrix* next) override;
  void norm_head(const float* norm, float eps, const Matrix& head, const float* x,
                 std::span<const int32_t> rows, float* logits) override;
  void norm_head_candidates(const float* norm, float eps, const Matrix& head, const float* x,
                            int32_t row, std::span<const uint32_t> candidates,
                            float* logits) override;
  void argmax(const float* logits, int n_rows, int n_vocab, std::span<Argmax> out) override;

 private:
  /// The input of the next products. prepare() stores it in the buffers input_*.
  struct Input {
    Source source = Source::kPlain;
    const float* x = nullptr;
    const float* norm = nullptr;
    float eps = 0;
    int n = 0, n_cols = 0;       // tokens and columns
    int first = 0;               // the token of the batch with which attention's parts begin
    std::vector<uint32_t> rows;  // which rows of x to use; if empty, all
    // The prepared form: the number of groups that share a scale, 0 for floats, -1 for none.
    int prepared_block = -1;
  };
  /// The destination of a product, y [token][stride]. If `adds` is set, residual_scale * the
  /// product is added to y; otherwise the product replaces y.
  struct Output {
    Addresses::Place y;
    int stride = 0;
    bool adds = false;
  };
  /// The destinations of q, k and v (put.wgsl).
  struct Put {
    Constants constants;
    std::vector<Binding> bindings;
    uint32_t q0 = 0, bias0 = 0;  // offsets
  };
  bool is_cancelled() const { return cancel && cancel->load(std::memory_order_relaxed); }
  Binding bind(uint32_t at, const Memory& memory) const;
  Binding bind(uint32_t at, const Addresses::Place& place) const;
  /// A place's offset in the Binding that bind() returns for it, in floats.
  uint32_t offset(const Addresses::Place& place) const;
  template <class Params>
  void add(const Files& files, const Constants& constants, std::vector<Binding> bindings,
           const Params& params, std::array<uint32_t, 3> grid, std::span<const uint32_t> list = {});
  void make_workspace(int n_cols, bool with_floats);
  /// Makes wide_ large enough for a batch's products with n_cols columns.
  void make_wide(int n_cols);
  Addresses::Place wide_place() const { return {wide_.buffer(), 0, wide_.n_bytes()}; }
  void prepare(Input& input, int block);
  void add_source(const Input& input, InputParams& params, std::vector<Binding>& bindings) const;
  void multiply(const PackedMatrix& w, Input& input, const Output& to);
  void multiply(const Strip& strip, Input& input, const Output& to,
                std::span<const uint32_t> rows = {});
  /// Whether each workgroup of a product prepares the whole input for itself.
  bool is_own(const Strip& strip, const Input& input) const;
  Put put_of(int layer, const float* bias, const float* q) const;
  /// Runs norm_qkv() for one token with one dispatch per strip. Returns false and does nothing if
  /// that is impossible.
  bool multiply_and_put(const PackedMatrix& qkv, const Input& input, const Put& put);
  /// Writes the input as floats to out [n][n_cols].
  void write_floats(Input input, const float* out);
  Constants shape_constants() const;
  size_t layer_page_bytes() const { return kv_page_bytes() / shape_.n_layers; }
  Addresses::Place page_place(size_t layer, int page) const;
  /// Adds the layer's pages to the bindings, for pages_read*.wgsl or pages_write*.wgsl.
  void bind_pages(int layer, std::span<const uint32_t> at, std::vector<Binding>& bindings) const;
  bool has_segments() const { return kv_[0].size() > 1; }

  std::shared_ptr<Device> shared_device_;
  Device& device_;
  uint64_t free_bytes_;
  Addresses addresses_;
  AttentionShape shape_;
  // Each layer has one or more segments that fit in a binding: f16
  // [page][kv head][k, v][position][head_dim].
  std::vector<std::vector<Memory>> kv_;
  int segment_pages_ = 0;
  Memory page_, cos_sin_, head_norms_;
  Memory batch_, input_codes_, input_scales_, input_floats_, wide_, part_sums_, part_ends_;
  Memory ranges_;
  int workspace_cols_ = 0;
  int n_ = 0, max_positions_ = 0, max_parts_ = 0;
  Input next_;  // the input that attention() or norm_gate_up() leaves to matmul_add()
};

template <class Params>
void WebgpuOps::add(const Files& files, const Constants& constants, std::vector<Binding> bindings,
                    const Params& params, std::array<uint32_t, 3> grid,
                    std::span<const uint32_t> list) {
  device_.add(device_.pipeline(files, constants), std::move(bindings),
              std::as_bytes(std::span(&params, 1)), grid, list);
  if (n_ > kGemvTokens)
    device_.add_work(std::max(n_, kTileTokens));
  else if (device_.n_pending() >= kAtOnce)
    device_.submit();
}

}  // namespace hearth::kernels::webgpu
