// The Ops table on a GPU by WebGPU. Kernels and how they fit together: README.md.
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

/// What input.wgsl, input_stored.wgsl and the products behind them read.
struct InputParams {
  uint32_t x0 = 0, y0 = 0, stride = 0, n = 0, first = 0, max_parts = 0;
  float scale = 1, eps = 0;
  uint32_t q0 = 0, n_rows = 0;
  float zero = 0;      // see common.wgsl
  uint32_t bias0 = 0;  // finish_qkv.wgsl
};

/// Where a product's input comes from: source_*.wgsl.
enum class Source { kPlain, kSilu, kAttention };

/// Up to so many tokens the GEMV is quicker, though it reads the weights for each. So many of its
/// dispatches are submitted together: the GPU begins while the host adds others.
inline constexpr int kGemvTokens = 3;
inline constexpr size_t kAtOnce = 48;
/// A dispatch for many tokens is as much work as tokens, but no less than a tile's.
inline constexpr int kTileTokens = 32;

/// Products with equal bits read their columns in slices: gemv.wgsl.
struct Slices {
  int n_groups = 0;  // of a slice
  int n = 0;
  int rows = 0;  // of a workgroup
};
Slices slices_of(int n_groups, int n_rows);

/// Addresses for what has none: WebGPU has no device pointers. They are never followed.
class Addresses {
 public:
  float* add(Handle buffer, size_t n_bytes);
  void remove(const float* address) { buffers_.erase(reinterpret_cast<uintptr_t>(address)); }
  struct Place {
    Handle buffer;
    size_t offset, n_bytes;  // offset of the address in the buffer, and its size
  };
  Place find(const float* address) const;

 private:
  std::map<uintptr_t, std::pair<Handle, size_t>> buffers_;
  uintptr_t next_ = uintptr_t{1} << 40;
};

class WebgpuOps : public Ops {
 public:
  /// Ops on one device share its pipelines; they are of one thread. free_bytes: of its memory.
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
  /// The input of the products to come, and in what form input_ holds it, if it does.
  struct Input {
    Source source = Source::kPlain;
    const float* x = nullptr;
    const float* norm = nullptr;
    float eps = 0;
    int n = 0, n_cols = 0;
    int first = 0;               // token of the batch with which attention's parts begin
    std::vector<uint32_t> rows;  // of x; empty: all
    int prepared_block = -1;     // groups that share a scale, 0 for floats; -1: not prepared
  };
  /// Where a product goes: y [token][stride] = it, or += scale * it.
  struct Output {
    Addresses::Place y;
    int stride = 0;
    bool adds = false;
  };
  /// Where q, k and v go (put.wgsl).
  struct Put {
    Constants constants;
    std::vector<Binding> bindings;
    uint32_t q0 = 0, bias0 = 0;  // offsets
  };
  bool is_cancelled() const { return cancel && cancel->load(std::memory_order_relaxed); }
  Binding bind(uint32_t at, const Memory& memory) const;
  Binding bind(uint32_t at, const Addresses::Place& place) const;
  /// Of a place in the buffer that bind() gives, in floats.
  uint32_t offset(const Addresses::Place& place) const;
  template <class Params>
  void add(const Files& files, const Constants& constants, std::vector<Binding> bindings,
           const Params& params, std::array<uint32_t, 3> grid, std::span<const uint32_t> list = {});
  void make_workspace(int n_cols, bool with_floats);
  /// wide_ for a batch of so many columns.
  void make_wide(int n_cols);
  Addresses::Place wide_place() const { return {wide_.buffer(), 0, wide_.n_bytes()}; }
  void prepare(Input& input, int block);
  void add_source(const Input& input, InputParams& params, std::vector<Binding>& bindings) const;
  void multiply(const PackedMatrix& w, Input& input, const Output& to);
  void multiply(const Strip& strip, Input& input, const Output& to,
                std::span<const uint32_t> rows = {});
  /// Whether the workgroups of a product each prepare the input for themselves.
  bool is_own(const Strip& strip, const Input& input) const;
  Put put_of(int layer, const float* bias, const float* q) const;
  /// norm_qkv() for one token, if this can be one dispatch a strip.
  bool multiply_and_put(const PackedMatrix& qkv, const Input& input, const Put& put);
  /// out [n][n_cols] = the input as floats.
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
  // Of each layer, in segments as large as a binding: [page][kv head][k, v][position][head_dim] f16
  std::vector<std::vector<Memory>> kv_;
  int segment_pages_ = 0;
  Memory page_, cos_sin_, head_norms_;
  Memory batch_, input_codes_, input_scales_, input_floats_, wide_, part_sums_, part_ends_;
  Memory ranges_;
  int workspace_cols_ = 0;
  int n_ = 0, most_positions_ = 0, max_parts_ = 0;
  Input next_;  // what attention() or norm_gate_up() leave for matmul_add()
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
