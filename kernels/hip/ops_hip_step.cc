// HipOps: the ops of one step, as launches.
#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "ops_hip.h"

namespace hearth::kernels::hip {
namespace {

// Batches up to this size repeat while decoding, so they become graphs.
constexpr int kDeferredTokens = 8;
// The stream kernels' token tiles.
constexpr int kStreamTokens = 32;
constexpr unsigned kThreads = 256;
// Waves per processor that keep enough loads in flight; more only add partial sums.
constexpr int kWarpsPerProcessor = 32;

unsigned ceil_div(int a, int b) { return static_cast<unsigned>((a + b - 1) / b); }

const HipMatrix& packed(const Matrix& matrix) { return static_cast<const HipMatrix&>(matrix); }

}  // namespace

template <class Params>
void HipOps::launch(const std::string& kernel, std::array<unsigned, 3> grid, unsigned block,
                    unsigned shared_bytes, const Params& params) {
  auto found = functions_.find(kernel);
  if (found == functions_.end()) {
    found = functions_.emplace(kernel, device_.function(kernel)).first;
    if (!found->second) throw std::runtime_error("the GPU kernels lack " + kernel);
  }
  Launch launch;
  launch.function = found->second;
  launch.grid = grid;
  launch.block = block;
  launch.shared_bytes = shared_bytes;
  launch.set(params);
  queue_.add(launch, n_ <= kDeferredTokens);
}

void HipOps::quantize(const float* x, const int32_t* rows, int n, const float* norm, float eps,
                      const Matrix& for_matrix) {
  const int n_cols = for_matrix.n_cols;
  x_.q = x_q_.as<int8_t>();
  x_.scales = x_scales_.as<GroupScale>();
  x_.f32 = x_f32_.as<float>();
  x_.n_groups = (n_cols + kUnit - 1) / kUnit * 2;
  NormParams p = {};
  p.x = x;
  p.norm = norm;
  p.rows = rows;
  p.eps = eps;
  p.n_cols = n_cols;
  p.out = x_;
  for (const HipPart& part : packed(for_matrix).parts)
    if (packed_type(part.type, kUnit).is_float) p.with_f32 = 1;
  launch("norm_quantize_256", {static_cast<unsigned>(n), 1, 1}, kThreads, 0, p);
}

void HipOps::start_matmul(const HipPart& part, MatmulParams& p, bool is_pairs) {
  const PackedType type = packed_type(part.type, p.n_cols);
  p.tile_bytes = type.tile_bytes;
  p.n_units = static_cast<int>(ceil_div(p.n_cols, kUnit));
  p.slice_units = static_cast<int>(ceil_div(p.n_units, kMaxSlices));
  p.n_slices = static_cast<int>(ceil_div(p.n_units, p.slice_units));
  p.x = x_;
  const unsigned n = p.n_tokens, n_tiles = p.n_tiles;
  const std::string width = is_pairs ? "2" : "1";
  if (type.is_float) {
    launch("float_" + type.name + "_" + width, {n_tiles * 2, ceil_div(n, kTileTokens), 1}, kThreads,
           0, p);
    return;
  }
  if (p.n_tokens > kStreamTokens) {
    if (!is_pairs) {
      p.n_tiles /= 2, p.span = 1, p.b = p.a + p.tile_bytes;
    }
    launch("tile_" + type.name, {ceil_div(p.n_tiles, 4), ceil_div(n, 32), 1}, 128, 0, p);
    return;
  }
  const bool is_one_tile = p.n_tokens <= kTileTokens;
  const int most_warps = is_pairs && !is_one_tile ? 8 : 16;
  const int wanted = static_cast<int>(
      ceil_div(kWarpsPerProcessor * device_.choice().n_processors, std::max(1, p.n_tiles)));
  const unsigned warps = std::clamp(wanted, std::min(4, p.n_slices), std::min(most_warps, p.n_slices));
  const unsigned token_tiles = is_one_tile ? 1 : 4;
  const unsigned shared = p.n_slices * (is_pairs ? 32 : 16) * token_tiles * 8 * sizeof(float);
  launch("stream_" + type.name + "_" + width + (is_one_tile ? "x8" : "x32"), {n_tiles, 1, 1},
         warps * 32, shared, p);
}

void HipOps::matmul(const HipPart& part, int n_cols, int n_tokens, const Epilogue& epilogue,
                    const int32_t* tile_ids, int n_ids) {
  MatmulParams p = {};
  p.a = p.b = part.data;
  p.tile_ids = tile_ids;
  p.n_tiles = tile_ids ? n_ids : part.n_tiles();
  p.span = 1;
  p.n_cols = n_cols;
  p.n_tokens = n_tokens;
  p.epilogue = epilogue;
  p.epilogue.row0 = part.row0;
  p.epilogue.n_rows = part.n_rows;
  start_matmul(part, p, false);
}

void HipOps::matmul_pairs(const HipPart& part, const uint8_t* second, int n_pairs, int span,
                          int n_cols, int n_tokens, const Epilogue& epilogue) {
  MatmulParams p = {};
  p.a = part.data;
  p.b = second;
  p.n_tiles = n_pairs;
  p.span = span;
  p.n_cols = n_cols;
  p.n_tokens = n_tokens;
  p.epilogue = epilogue;
  start_matmul(part, p, true);
}

void HipOps::embed(const Matrix& table, float* x) {
  if (is_cancelled()) return;
  quantized_ = nullptr;
  for (const HipPart& part : packed(table).parts) {
    const PackedType type = packed_type(part.type, table.n_cols);
    EmbedParams p = {};
    p.tiles = part.data;
    p.tile_bytes = type.tile_bytes;
    p.tokens = batch_.tokens;
    p.x = x;
    p.n_cols = table.n_cols;
    p.first_row = part.row0;
    p.n_rows = part.n_rows;
    launch("embed_" + type.name, {static_cast<unsigned>(n_), 1, 1}, kThreads, 0, p);
  }
}

void HipOps::norm_qkv(int layer, const float* norm, float eps, const Matrix& qkv, const float* bias,
                      const float* x, float* q) {
  if (is_cancelled()) return;
  quantize(x, nullptr, n_, norm, eps, qkv);
  quantized_ = nullptr;
  Epilogue e = {};
  e.kind = EpilogueKind::kQkv;
  e.stride = shape_.n_heads * shape_.head_dim;
  e.out = q;
  e.bias = bias;
  e.cos_sin = cos_sin_.as<float>();
  e.batch = batch_;
  e.pool = pool_;
  e.layer = layer;
  const int span = shape_.head_dim / 32;
  for (const HipPart& part : packed(qkv).parts) {
    e.row0 = part.row0;
    e.n_rows = part.n_rows;
    matmul_pairs(part, part.data + span * part.tile_bytes, part.n_rows / 32, span, qkv.n_cols, n_,
                 e);
  }
}

void HipOps::attention(int layer, const float* q, float* out) {
  if (is_cancelled()) return;
  AttentionParams p = {};
  p.q = q;
  p.parts = attention_parts_.as<float>();
  p.pool = pool_;
  p.batch = batch_;
  p.layer = layer;
  p.scale = 1.0f / std::sqrt(static_cast<float>(shape_.head_dim));
  // Rounded up, so that a growing context does not make a new graph at every chunk.
  const size_t rounded = std::bit_ceil(static_cast<unsigned>(n_chunks_));
  const size_t room = attention_parts_.n_bytes() /
                      (sizeof(float) * shape_.n_heads * (shape_.head_dim + 2));
  p.n_parts = n_ * rounded <= room ? static_cast<int>(rounded) : 1;
  const int group = shape_.n_heads / shape_.n_kv_heads;
  const unsigned heads = shape_.n_kv_heads * ceil_div(group, kGroupHeads);
  const unsigned n = n_;
  launch("attention_" + std::to_string(shape_.head_dim),
         {n, heads, static_cast<unsigned>(p.n_parts)}, kThreads, 0, p);

  const int n_cols = shape_.n_heads * shape_.head_dim;
  MergeParams merge = {};
  merge.parts = p.parts;
  merge.out = out;
  merge.positions = batch_.positions;
  x_.q = x_q_.as<int8_t>();
  x_.scales = x_scales_.as<GroupScale>();
  x_.f32 = out;
  x_.n_groups = static_cast<int>(ceil_div(n_cols, kUnit)) * 2;
  merge.quantized = x_;
  merge.n_heads = shape_.n_heads;
  merge.head_dim = shape_.head_dim;
  merge.n_parts = p.n_parts;
  launch("merge_parts_256", {n, ceil_div(x_.n_groups * kGroup, kThreads), 1}, kThreads, 0, merge);
  quantized_ = out;
}

void HipOps::matmul_add(const Matrix& w, const float* in, float* x) {
  if (is_cancelled()) return;
  if (quantized_ != in) quantize(in, nullptr, n_, nullptr, 0, w);
  quantized_ = in == x ? nullptr : in;
  Epilogue e = {};
  e.kind = EpilogueKind::kAdd;
  e.stride = w.n_rows;
  e.out = x;
  for (const HipPart& part : packed(w).parts) matmul(part, w.n_cols, n_, e);
}

void HipOps::norm_gate_up(const float* norm, float eps, const Matrix& gate_up, const float* x,
                          float* h) {
  if (is_cancelled()) return;
  quantize(x, nullptr, n_, norm, eps, gate_up);
  quantized_ = nullptr;
  const auto& parts = packed(gate_up).parts;
  const int n_ff = gate_up.n_rows / 2;
  const bool is_split = parts.size() == 2 && parts[0].type == parts[1].type;
  if (!is_split && (parts.size() != 1 || n_ff % 16 != 0))
    throw std::runtime_error("FFN gate and up of different types run on the CPU only");
  Epilogue e = {};
  e.kind = EpilogueKind::kSwiglu;
  e.n_rows = n_ff;
  e.stride = n_ff;
  e.out = h;
  const int n_pairs = static_cast<int>(ceil_div(n_ff, 16));
  const uint8_t* up = is_split ? parts[1].data : parts[0].data + n_pairs * parts[0].tile_bytes;
  matmul_pairs(parts[0], up, n_pairs, n_pairs, gate_up.n_cols, n_, e);
}

const int32_t* HipOps::upload_rows(std::span<const int32_t> rows, int n_batch) {
  bool is_all = static_cast<int>(rows.size()) == n_batch;
  for (size_t i = 0; i < rows.size(); i++) is_all = is_all && rows[i] == static_cast<int>(i);
  if (is_all) return nullptr;
  if (rows_pending_) queue_.flush();  // an earlier head still needs its rows
  std::byte* to = rows_upload_.begin();
  std::memcpy(to, rows.data(), rows.size_bytes());
  rows_upload_.send(rows.size_bytes());
  rows_pending_ = true;
  return rows_upload_.device<int32_t>();
}

void HipOps::norm_head(const float* norm, float eps, const Matrix& head, const float* x,
                       std::span<const int32_t> rows, float* logits) {
  if (is_cancelled() || rows.empty()) return;
  const int n = static_cast<int>(rows.size());
  quantize(x, upload_rows(rows, n_), n, norm, eps, head);
  quantized_ = nullptr;
  Epilogue e = {};
  e.kind = EpilogueKind::kStore;
  e.stride = head.n_rows;
  e.out = logits;
  for (const HipPart& part : packed(head).parts) matmul(part, head.n_cols, n, e);
}

void HipOps::norm_head_candidates(const float* norm, float eps, const Matrix& head, const float* x,
                                  int32_t row, std::span<const uint32_t> candidates,
                                  float* logits) {
  if (is_cancelled() || candidates.empty()) return;
  if (candidate_logits_.n_bytes() < head.n_rows * sizeof(float))
    candidate_logits_ = device_.allocate(head.n_rows * sizeof(float), "candidate logits");
  // One upload: the row, the candidates, then per part the tiles that hold some of them.
  std::vector<int32_t> ints{row};
  ints.insert(ints.end(), candidates.begin(), candidates.end());
  std::vector<size_t> starts;
  for (const HipPart& part : packed(head).parts) {
    starts.push_back(ints.size());
    for (const uint32_t id : candidates) {
      const int in_part = static_cast<int>(id) - part.row0;
      if (in_part < 0 || in_part >= part.n_rows) continue;
      const int tile = in_part / kTileRows;
      if (ints.size() == starts.back() || ints.back() != tile) ints.push_back(tile);
    }
  }
  starts.push_back(ints.size());
  if (ints.size() * sizeof(int32_t) > rows_upload_.n_bytes())
    throw std::invalid_argument("too many candidates for the GPU");
  upload_rows(ints, -1);
  const int32_t* uploaded = rows_upload_.device<int32_t>();

  quantize(x, uploaded, 1, norm, eps, head);
  quantized_ = nullptr;
  Epilogue e = {};
  e.kind = EpilogueKind::kStore;
  e.stride = head.n_rows;
  e.out = candidate_logits_.as<float>();
  for (size_t i = 0; i < packed(head).parts.size(); i++) {
    const int n_ids = static_cast<int>(starts[i + 1] - starts[i]);
    if (n_ids) matmul(packed(head).parts[i], head.n_cols, 1, e, uploaded + starts[i], n_ids);
  }
  GatherParams gather = {};
  gather.from = e.out;
  gather.ids = uploaded + 1;
  gather.to = logits;
  gather.n = static_cast<int>(candidates.size());
  launch("gather_256", {ceil_div(gather.n, kThreads), 1, 1}, kThreads, 0, gather);
}

void HipOps::argmax(const float* logits, int n_rows, int n_vocab, std::span<Argmax> out) {
  if (is_cancelled() || n_rows == 0) return;
  ArgmaxParams p = {};
  p.logits = logits;
  p.parts = argmax_parts_.as<ArgmaxPart>();
  p.result = argmax_result_.as<ArgmaxPart>();
  p.n_vocab = n_vocab;
  p.n_blocks = std::min(128, static_cast<int>(ceil_div(n_vocab, kThreads)));
  const unsigned rows = n_rows;
  launch("argmax_parts_256", {static_cast<unsigned>(p.n_blocks), rows, 1}, kThreads, 0, p);
  launch("argmax_result_256", {rows, 1, 1}, kThreads, 0, p);
  queue_.flush();
  rows_pending_ = false;
  device_.wait();
  for (int i = 0; i < n_rows; i++) {
    const ArgmaxPart& part = p.result[i];
    out[i] = {part.id, part.best, part.best - part.second, part.finite != 0};
  }
}

}  // namespace hearth::kernels::hip
