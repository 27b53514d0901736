// WebgpuOps: chooses the kernel of a product, and the place where its input is prepared.
#include <algorithm>
#include <cstring>

#include "ops_webgpu.h"

namespace hearth::kernels::webgpu {
namespace {

constexpr uint64_t kOffsetBytes = 256;  // every GPU allows multiples of this as a binding's offset
// Up to this number of columns, each workgroup of the GEMV prepares its input for itself.
constexpr int kOwnColumns = 4096;
// If the input is the result of attention, it must also have at most this number of parts.
constexpr int kOwnParts = 16;
// From this number of rows on, a matrix has enough workgroups to fill a GPU.
constexpr int kManyRows = 4096;
constexpr int kFewTokens = 8;

constexpr const char* kSourceFiles[] = {"source_plain", "source_silu", "source_attention"};

Constants input_constants(int n_cols, bool has_norm, int block) {
  return {{"K", n_cols}, {"NORM", has_norm}, {"BLOCK", block}};
}

void append(Constants& to, const Constants& from) { to.insert(to.end(), from.begin(), from.end()); }

/// The division of a token's groups among workgroups of prepare.wgsl.
struct Spans {
  explicit Spans(int n_cols) : n_groups((n_cols / 32 + 1) / 2 * 2) {}
  static constexpr int kSpan = 32, kThreads = 128;  // kSpan: a multiple of all blocks
  int n_groups;
  Constants constants() const { return {{"G", n_groups}, {"SPAN", kSpan}, {"THREADS", kThreads}}; }
  std::array<uint32_t, 3> grid(int n_tokens) const {
    return {static_cast<uint32_t>(n_tokens), ceil_div(n_groups, kSpan), 1};
  }
};

}  // namespace

// With many rows, a workgroup has more rows and fewer, longer slices, so that fewer workgroups
// prepare the same input.
Slices slices_of(int n_groups, int n_rows) {
  const bool has_many = n_rows >= kManyRows;
  const int most = has_many ? 8 : 28;
  const int pairs = n_groups / 2, each = (pairs + most - 1) / most, n = (pairs + each - 1) / each;
  return {2 * each, n, has_many ? 32 : n <= 16 ? 16 : 8};
}

Binding WebgpuOps::bind(uint32_t at, const Memory& memory) const {
  const uint64_t most = device_.limits().storage_bytes;
  return {at, memory.buffer(), 0, std::min<uint64_t>(memory.n_bytes(), most)};
}

Binding WebgpuOps::bind(uint32_t at, const Addresses::Place& place) const {
  const uint64_t from = place.offset / kOffsetBytes * kOffsetBytes;
  return {at, place.buffer, from,
          std::min<uint64_t>(place.n_bytes - from, device_.limits().storage_bytes)};
}

uint32_t WebgpuOps::offset(const Addresses::Place& place) const {
  return static_cast<uint32_t>(place.offset % kOffsetBytes / sizeof(float));
}

Constants WebgpuOps::shape_constants() const {
  return {{"HEADS", shape_.n_heads},
          {"KV_HEADS", shape_.n_kv_heads},
          {"HD", shape_.head_dim},
          {"PAGE", static_cast<long>(layer_page_bytes() / sizeof(uint32_t))},
          {"PAGES", segment_pages_}};
}

void WebgpuOps::add_source(const Input& input, InputParams& params,
                           std::vector<Binding>& bindings) const {
  const Addresses::Place norm =
      input.norm ? addresses_.find(input.norm) : Addresses::Place{batch_.buffer(), 0, 256};
  bindings.push_back(bind(6, norm));
  params.eps = input.eps;
  params.n = static_cast<uint32_t>(n_);
  params.max_parts = static_cast<uint32_t>(max_parts_);
  if (input.source == Source::kAttention) {
    bindings.insert(bindings.end(), {bind(3, part_sums_), bind(4, part_ends_), bind(5, batch_)});
  } else if (input.source == Source::kSilu) {
    bindings.push_back(bind(3, wide_));
  } else {
    const Addresses::Place x = addresses_.find(input.x);
    bindings.push_back(bind(3, x));
    params.x0 = offset(x);
  }
}

void WebgpuOps::prepare(Input& input, int block) {
  if (input.prepared_block == block) return;
  input.prepared_block = block;
  InputParams params;
  std::vector<Binding> bindings{bind(7, input_codes_), bind(8, input_scales_),
                                bind(9, input_floats_)};
  add_source(input, params, bindings);
  const Spans spans(input.n_cols);
  Constants constants = input_constants(input.n_cols, input.norm != nullptr, block);
  append(constants, spans.constants());
  if (input.source == Source::kAttention) append(constants, shape_constants());
  add({"common", input.rows.empty() ? "rows_all" : "rows_listed",
       kSourceFiles[static_cast<int>(input.source)], "input", "prepare"},
      constants, std::move(bindings), params, spans.grid(input.n), input.rows);
}

void WebgpuOps::write_floats(Input input, const float* out) {
  InputParams params;
  const Addresses::Place to = addresses_.find(out);
  std::vector<Binding> bindings{bind(7, input_codes_), bind(8, input_scales_), bind(9, to)};
  add_source(input, params, bindings);
  params.y0 = offset(to);
  const Spans spans(input.n_cols);
  Constants constants = input_constants(input.n_cols, false, 0);
  append(constants, spans.constants());
  if (input.source == Source::kAttention) append(constants, shape_constants());
  params.first = static_cast<uint32_t>(input.first);
  add({"common", "rows_all", kSourceFiles[static_cast<int>(input.source)], "input", "prepare"},
      constants, std::move(bindings), params, spans.grid(input.n));
}

bool WebgpuOps::is_own(const Strip& strip, const Input& input) const {
  return input.n == 1 && input.rows.empty() && strip.layout.file && input.prepared_block < 0 &&
         input.n_cols <= kOwnColumns && input.source != Source::kSilu &&
         (input.source != Source::kAttention || max_parts_ <= kOwnParts);
}

bool WebgpuOps::multiply_and_put(const PackedMatrix& qkv, const Input& input, const Put& put) {
  const auto has_whole_heads = [&](const Strip& strip) {
    return strip.row0 % shape_.head_dim == 0 && strip.n_rows % shape_.head_dim == 0 &&
           strip.n_rows % slices_of(strip.n_groups, strip.n_rows).rows == 0;
  };
  for (const Strip& strip : qkv.strips)
    if (!shape_.q_norms.empty() || !is_own(strip, input) || !has_whole_heads(strip)) return false;
  for (const Strip& strip : qkv.strips) {
    const Slices slices = slices_of(strip.n_groups, strip.n_rows);
    Constants constants = strip.constants();
    append(constants, put.constants);
    append(constants, input_constants(input.n_cols, true, strip.layout.block));
    append(constants, {{"GS", slices.n_groups}, {"RT", slices.rows}, {"S", slices.n}});
    InputParams params;
    std::vector<Binding> bindings{bind(0, strip.codes), bind(1, strip.scales)};
    bindings.insert(bindings.end(), put.bindings.begin(), put.bindings.end());
    add_source(input, params, bindings);
    params.y0 = static_cast<uint32_t>(strip.row0);
    params.q0 = put.q0;
    params.bias0 = put.bias0;
    add({"common", strip.layout.file, "rows_all", "source_plain", "input", "input_shared", "gemv",
         has_segments() ? "pages_write_four" : "pages_write", "put", "finish_qkv"},
        constants, std::move(bindings), params, {ceil_div(strip.n_rows, slices.rows), 1, 1});
  }
  return true;
}

void WebgpuOps::multiply(const PackedMatrix& w, Input& input, const Output& to) {
  for (const Strip& strip : w.strips) multiply(strip, input, to);
}

void WebgpuOps::multiply(const Strip& strip, Input& input, const Output& to,
                         std::span<const uint32_t> rows) {
  const char* rows_file = rows.empty() ? "rows_all" : "rows_listed";
  const auto n_rows = static_cast<uint32_t>(rows.empty() ? strip.n_rows : rows.size());
  const auto n = static_cast<uint32_t>(input.n);
  const Layout& layout = strip.layout;
  const bool is_own = rows.empty() && this->is_own(strip, input);
  InputParams params;
  std::vector<Binding> bindings{bind(0, strip.codes), bind(10, to.y)};
  if (layout.file) bindings.push_back(bind(1, strip.scales));
  if (is_own)
    add_source(input, params, bindings);
  else
    prepare(input, layout.block);
  params.y0 = offset(to.y) + static_cast<uint32_t>(rows.empty() ? strip.row0 : 0);
  params.stride = static_cast<uint32_t>(to.stride);
  params.scale = residual_scale;
  params.n_rows = n_rows;
  if (!is_own) params.n = n;
  if (!layout.file) {
    bindings.push_back(bind(3, input_floats_));
    return add({rows_file, "float_product"}, {{"K", input.n_cols}, {"ADD", to.adds}},
               std::move(bindings), params, {ceil_div(n_rows, 64), n, 1}, rows);
  }
  Constants constants = strip.constants();
  append(constants, {{"ADD", to.adds}});
  const Slices slices = slices_of(strip.n_groups, strip.n_rows);
  append(constants, {{"GS", slices.n_groups}});
  if (!is_own) bindings.insert(bindings.end(), {bind(3, input_codes_), bind(4, input_scales_)});
  if (is_own || n <= kGemvTokens || !rows.empty()) {
    append(constants, {{"RT", slices.rows}, {"S", slices.n}});
    Files files{"common", layout.file, rows_file};
    if (is_own) {
      append(constants, input_constants(input.n_cols, input.norm != nullptr, layout.block));
      if (input.source == Source::kAttention) append(constants, shape_constants());
      files.insert(files.end(),
                   {kSourceFiles[static_cast<int>(input.source)], "input", "input_shared"});
    } else {
      files.push_back("input_stored");
    }
    files.insert(files.end(), {"gemv", "finish_store"});
    return add(files, constants, std::move(bindings), params, {ceil_div(n_rows, slices.rows), n, 1},
               rows);
  }
  const bool is_few = n <= kFewTokens;
  const int tokens = is_few ? 8 : n > 32 && strip.n_rows >= kManyRows ? 64 : 32;
  // Steps of four groups need this many bytes of workgroup memory. Not every GPU has that much:
  // only 16 KiB are guaranteed.
  const size_t four_bytes = size_t{4} * (64 * 40 + tokens * 40 + 32);
  const int step =
      strip.n_groups % 4 == 0 && four_bytes <= device_.limits().workgroup_bytes ? 4 : 2;
  append(constants, {{"TM", 64}, {"TN", tokens}, {"MM", 4}, {"MN", is_few ? 2 : 4}, {"KS", step}});
  add({"common", layout.file, "rows_all", "input_stored", "matmul"}, constants, std::move(bindings),
      params, {ceil_div(n_rows, 64), ceil_div(n, tokens), 1});
}

}  // namespace hearth::kernels::webgpu
