// HipOps: the ops of a layer as kernel launches. This code chooses the kernel, its shared memory,
// and the place where activations are quantized.
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <stdexcept>

#include "matmul_shape.h"
#include "ops_hip.h"

namespace hearth::kernels::hip {
namespace {

// If a matmul's input has at most this many groups of 32 columns, each thread block normalizes and
// quantizes it for itself. If there are more (wider models, more tokens), a separate launch is
// cheaper: on an H200 the break-even point lies between 1536 and 3584 columns.
constexpr int kOwnNormGroups = 64;
// The same for an input that is quantized without a norm.
constexpr int kOwnGroups = 128;
// If there are at least this many thread blocks per compute unit, prefill attention does not split
// positions.
constexpr int kManyBlocks = 20;
// The number of warps in a GEMM's thread block is a multiple of this.
constexpr int kWideWarps = 4;
constexpr int kGroupBytes = kGroup + sizeof(GroupScale);
// Several tokens are staged in shared memory if they take at most this many bytes. For formats
// without super-blocks, the limit is half of the GPU's shared memory if that is more: it makes
// eight tokens 1.5 % faster in Q8_0 (and would make Q4_K as much slower; H200).
constexpr int kMaxStagedBytes = 28 << 10;

/// Bytes of shared memory for a thread block's tokens and their sums of squares, or for factors.
int input_bytes(const MatmulParams& p, const MatmulShape& shape) {
  const int n_groups = p.x.n_groups;
  const int floats = shape.is_wide() ? shape.tokens : p.n_tokens * squares_stride(n_groups);
  const int staged =
      p.input != InputKind::kMemory ? staged_groups(n_groups) * p.n_tokens * kGroupBytes : 0;
  return floats * int{sizeof(float)} + staged;
}

/// Bytes of shared memory of a thread block, without the adapter's.
int plain_bytes(const MatmulParams& p, const PackedType& type, const MatmulShape& shape,
                const RowSlices& slices, const DeviceChoice& device) {
  const int token_unit = shape.tokens * 2 * kGroupBytes;
  const int half_sums = type.minima_bytes > 0 ? shape.tokens * kGroup : 0;
  const int weights = shape.block_tiles * (type.unit_bytes + type.minima_bytes) + half_sums;
  const int in_flight = device.has_copies ? kCopyStages * (token_unit + weights) : 2 * token_unit;
  const int rows = p.epilogue.kind == EpilogueKind::kQkv ? shape.qkv_bytes() : 0;
  const int spare = shape.is_wide() ? 0 : spare_bytes(shape.tokens);
  return input_bytes(p, shape) + shape.n_splits() * in_flight + shape.sum_bytes(slices) + rows +
         spare;
}

/// Whether a thread block of the GEMV, or of the kernel for a few tokens, copies quantized tokens
/// to shared memory, if they fit.
bool stages_tokens(const MatmulParams& p, const PackedType& type, const MatmulShape& shape,
                   const DeviceChoice& device) {
  if (p.n_tokens == 1 || shape.is_wide()) return !shape.is_wide();
  const bool has_more = device.has_copies && !type.has_blocks;
  return p.x.n_groups * p.n_tokens * kGroupBytes <=
         (has_more ? std::max(kMaxStagedBytes, device.shared_bytes / 2) : kMaxStagedBytes);
}

/// The head sizes that require_support() accepts, as in the names of kernels.
constexpr const char* kHeadDims[] = {"32", "64", "128", "256"};

/// Whether the matrix can use activations that attention or SwiGLU has quantized. These have one
/// scale per group of 32 columns, since none of their thread blocks has all 256 columns of a
/// super-block.
bool reads_groups(const Matrix* matrix) {
  if (!matrix) return false;
  const auto& strips = packed(*matrix).strips;
  return std::none_of(strips.begin(), strips.end(),
                      [](const HipStrip& strip) { return strip.type.has_blocks; });
}

/// After the first strip: the tokens are lowered.
void end_lowering(MatmulParams& p) {
  p.epilogue.added.n_blocks = 0;
  p.overlap = Overlap::kNone;
}

}  // namespace

MatmulParams HipOps::normed_input(const Matrix& w, const float* x, const float* norm, float eps,
                                  const int32_t* rows, int n) {
  MatmulParams p = {};
  p.n_tokens = n;
  p.norm = {x, norm, rows, eps, 1.0f / static_cast<float>(w.n_cols), w.n_cols, 0};
  p.x = activations(in_q_, in_scales_, w.n_cols, n);
  p.x.scale_groups = 0;  // not quantized yet
  return p;
}

void HipOps::set_scales(MatmulParams& p, const HipStrip& strip) {
  p.x.scale_groups = strip.type.has_blocks ? kBlockGroups : 1;
  const bool wants_half_sums = strip.type.has_blocks && p.n_tokens > kTileTokens;
  p.x.half_sums = wants_half_sums ? in_half_sums_.as<int8_t>() : nullptr;
}

void HipOps::prepare_input(MatmulParams& p, const HipMatrix& w, const HipStrip& strip) {
  const int wanted = strip.type.has_blocks ? kBlockGroups : 1;
  if (strip.type.is_float && (p.x.scale_groups != 0 || !is_norm(p.norm))) return;
  if (p.x.scale_groups == wanted) return;
  set_scales(p, strip);
  const int max_groups = is_norm(p.norm) ? kOwnNormGroups : kOwnGroups;
  if (!w.has_floats && p.n_tokens <= kTileTokens && p.x.n_groups * p.n_tokens <= max_groups) {
    p.input = InputKind::kNorm;
    return;
  }
  quantize(p.norm, p.x, p.n_tokens, w.has_floats && is_norm(p.norm));
}

void HipOps::quantize(const Norm& norm, const Activations& out, int n_tokens, bool with_f32) {
  NormParams p = {};
  p.norm = norm;
  p.out = out;
  p.with_f32 = with_f32;
  p.n_tokens = n_tokens;
  const int n_warps = n_tokens * count_eights(out.n_groups);
  launch({"norm_quantize_128"}, {ceil_div(n_warps, kNormThreads / 32), 1, 1}, kNormThreads, 0, p);
}

void HipOps::start_matmul(const HipStrip& strip, MatmulParams& p) {
  const PackedType& type = strip.type;
  const bool is_pairs = p.log2_span != kNoPairs;
  p.tile_bytes = type.tile_bytes;
  p.n_units = p.x.n_groups / 2;
  if (type.is_float) {
    const int n_rows = kTileRows * (is_pairs ? p.n_tiles / 2 : p.n_tiles);
    launch({"float_", type.name, is_pairs ? "_2" : "_1"},
           {ceil_div(n_rows, 256 / 32), ceil_div(p.n_tokens, kTileTokens), 1}, 256, 0, p);
    return;
  }
  const RowSlices& slices = strip.slices;
  p.log2_slices = log2_of(slices.n);
  const DeviceChoice& device = device_.choice();
  MatmulShape shape = choose_shape(p, slices, device);
  p.block_tiles = shape.block_tiles;
  p.log2_warp_slices = log2_of(std::max(shape.own_slices, 1));
  const Added& added = p.epilogue.added;
  const auto shared_bytes = [&] {
    const int plain = plain_bytes(p, type, shape, slices, device);
    if (!lowers_here(added)) return plain;
    return std::max(plain + added_bytes(added, p.n_tokens, shape.block_tiles),
                    lowering_bytes(added, p.n_tokens));
  };
  const auto fits = [&] { return shared_bytes() <= device.shared_bytes; };
  while (shape.is_wide() && shape.warps > kWideWarps && !fits()) shape.warps -= kWideWarps;
  if (p.input == InputKind::kMemory && stages_tokens(p, type, shape, device)) {
    p.input = InputKind::kCopy;
    if (p.n_tokens > 1 && !fits()) p.input = InputKind::kMemory;
  }
  if (!fits())
    throw std::runtime_error("rows of " + std::to_string(p.norm.n_cols) +
                             " columns run on the CPU only (too long for the GPU kernels)");
  p.input_bytes = input_bytes(p, shape);
  p.added_at = plain_bytes(p, type, shape, slices, device);
  launch({shape.prefix, type.name, shape.suffix},
         {ceil_div(p.n_tokens, shape.tokens),
          added.n_blocks + ceil_div(p.n_tiles, shape.block_tiles), 1},
         shape.warps * 32, shared_bytes(), p);
}

void HipOps::matmul(const HipStrip& strip, MatmulParams p, const int32_t* tile_ids, int n_ids) {
  p.a = p.b = strip.data;
  p.tile_ids = tile_ids;
  p.n_tiles = tile_ids ? n_ids : strip.n_tiles();
  p.log2_span = kNoPairs;
  p.epilogue.row0 = strip.row0;
  p.epilogue.n_rows = strip.n_rows;
  start_matmul(strip, p);
}

void HipOps::matmul(const HipMatrix& w, MatmulParams& p) {
  for (const HipStrip& strip : w.strips) {
    prepare_input(p, w, strip);
    matmul(strip, p);
    end_lowering(p);
  }
}

void HipOps::matmul_pairs(const HipStrip& strip, MatmulParams p, const uint8_t* second, int n_pairs,
                          int log2_span) {
  p.a = strip.data;
  p.b = second;
  p.n_tiles = 2 * n_pairs;
  p.log2_span = log2_span;
  start_matmul(strip, p);
}

void HipOps::embed(const Matrix& table, float* x) {
  if (is_cancelled()) return;
  for (const HipStrip& strip : packed(table).strips) {
    EmbedParams p = {};
    p.tiles = strip.data;
    p.tile_bytes = strip.type.tile_bytes;
    p.batch =
        is_in_mail_ && n_ == 1 ? take_mail() : BatchParams{nullptr, batch_ints_.as<int32_t>()};
    p.x = x;
    p.n_cols = table.n_cols;
    p.first_row = strip.row0;
    p.n_rows = strip.n_rows;
    launch({"embed_", strip.type.name}, {n_, 1, 1}, kMailThreads, 0, p);
  }
}

void HipOps::norm_qkv(int layer, const float* norm, float eps, const Weights& weights,
                      const float* bias, const float* x, float* q) {
  if (is_cancelled()) return;
  const Matrix& qkv = weights.matrix;
  MatmulParams p = normed_input(qkv, x, norm, eps, nullptr, n_);
  Epilogue& e = p.epilogue;
  e.kind = EpilogueKind::kQkv;
  e.stride = shape_.n_heads * shape_.head_dim;
  e.out = q;
  e.bias = bias;
  e.cos_sin = (shape_.slides(layer) ? sliding_cos_sin_ : cos_sin_).as<float>();
  e.batch = batch_;
  e.pool = pool_;
  e.layer = layer;
  add(weights.added, packed(qkv), p);
  if (head_norms_.n_bytes() > 0) return norm_heads(packed(qkv), p, layer);
  const int log2_span = pool_.log2_head_dim - 5, span = 1 << log2_span;
  for (const HipStrip& strip : packed(qkv).strips) {
    prepare_input(p, packed(qkv), strip);
    e.row0 = strip.row0;
    e.n_rows = strip.n_rows;
    matmul_pairs(strip, p, strip.data + span * strip.type.tile_bytes, strip.n_rows / 32, log2_span);
    end_lowering(p);
  }
}

/// Head norms come between the product and RoPE, so they do not fit into the product's epilogue.
void HipOps::norm_heads(const HipMatrix& qkv, MatmulParams& p, int layer) {
  HeadNormParams heads = {};
  heads.qkv = plain_qkv_.as<float>();
  heads.norms = head_norms_.as<float>() + 2 * layer * shape_.head_dim;
  heads.epilogue = p.epilogue;
  heads.eps = shape_.norm_eps;
  heads.inverse_dim = 1.0f / static_cast<float>(shape_.head_dim);
  p.epilogue = {};
  p.epilogue.kind = EpilogueKind::kStore;
  p.epilogue.stride = qkv.n_rows;
  p.epilogue.out = plain_qkv_.as<float>();
  p.epilogue.added = heads.epilogue.added;
  matmul(qkv, p);
  const int n_heads = shape_.n_heads + 2 * shape_.n_kv_heads;
  launch({"norm_heads_128"}, {n_, ceil_div(n_heads, kHeadNormThreads / 32), 1}, kHeadNormThreads, 0,
         heads);
}

ProductInput HipOps::attention(int layer, const float* q, float* out, const Matrix* next) {
  if (is_cancelled()) return out;
  AttentionParams p = {};
  p.q = q;
  p.parts = attention_parts_.as<float>();
  p.arrived = attention_arrived_.as<uint32_t>();
  p.out = out;
  const bool quantizes = reads_groups(next);
  if (quantizes)
    p.quantized = activations(next_q_, next_scales_, shape_.n_heads * shape_.head_dim, n_);
  p.pool = pool_;
  p.batch = batch_;
  p.layer = layer;
  p.n_tokens = n_;
  p.scale = shape_.softmax_scale();
  p.window = shape_.slides(layer) ? shape_.window : 0;
  // Rounded up to a power of two, so that a growing context rarely needs a new graph.
  const unsigned n_own_parts = ceil_div(n_chunks_, kPartChunks);
  const int rounded = static_cast<int>(std::bit_ceil(n_own_parts));
  const size_t room =
      attention_parts_.n_bytes() / (sizeof(float) * shape_.n_heads * (shape_.head_dim + 2));
  const bool has_room = size_t(n_) * rounded <= room;  // always true for eight tokens
  const int n_heads = shape_.n_heads, n_kv_heads = shape_.n_kv_heads;
  const int n_row_blocks = ceil_div(n_ * (n_heads / n_kv_heads), attention_rows(shape_.head_dim));
  const int n_blocks = n_row_blocks * n_kv_heads, n_processors = device_.choice().n_processors;
  // For more than eight tokens, the decode kernel (one thread block per head) is still faster if
  // the prefill kernel's larger thread blocks would leave compute units idle. Many prefill thread
  // blocks need not split positions.
  const bool is_decode =
      n_ <= kDeferredTokens || (has_room && n_blocks * rounded < n_processors / 4);
  const bool has_parts = is_decode || (has_room && n_blocks < kManyBlocks * n_processors);
  p.n_parts = has_parts ? rounded : 1;
  const char* dims = kHeadDims[pool_.log2_head_dim - 5];
  if (is_decode) {
    // Compiled so that two thread blocks fit a compute unit (kernels.hip).
    const bool is_many = shape_.head_dim == 128 && n_ * n_heads * p.n_parts > n_processors;
    launch({"decode_attention_", dims, is_many ? "_many" : ""}, {n_, n_heads, p.n_parts},
           kDecodeThreads, 0, p);
  } else {
    const int shared_bytes = attention_bytes(shape_.head_dim, device_.choice().has_copies);
    launch({"attention_", dims}, {n_row_blocks, n_kv_heads, p.n_parts}, kPrefillAttentionThreads,
           shared_bytes, p);
  }
  return {out, quantizes};
}

void HipOps::matmul_add(const Weights& weights, ProductInput in, float* x) {
  if (is_cancelled()) return;
  const Matrix& w = weights.matrix;
  assert(!in.is_quantized || reads_groups(&w));
  MatmulParams p = {};
  p.n_tokens = n_;
  p.norm = {in.data, nullptr, nullptr, 0, 0, w.n_cols, 0};
  p.x = in.is_quantized ? activations(next_q_, next_scales_, w.n_cols, n_)
                        : activations(in_q_, in_scales_, w.n_cols, n_);
  p.x.scale_groups = in.is_quantized ? 1 : 0;
  p.x.f32 = const_cast<float*>(in.data);  // it is only read
  p.epilogue.kind = EpilogueKind::kAdd;
  p.epilogue.scale = residual_scale;
  p.epilogue.stride = w.n_rows;
  p.epilogue.out = x;
  add(weights.added, packed(w), p);
  matmul(packed(w), p);
}

ProductInput HipOps::norm_gate_up(const float* norm, float eps, const Weights& weights,
                                  const float* x, float* h, const Matrix* next) {
  if (is_cancelled()) return h;
  const Matrix& gate_up = weights.matrix;
  const auto& strips = packed(gate_up).strips;
  const int n_ff = gate_up.n_rows / 2;
  const bool is_split = strips.size() == 2 && strips[0].source_type == strips[1].source_type;
  assert(is_split || (strips.size() == 1 && n_ff % kTileRows == 0));  // see require_support()
  MatmulParams p = normed_input(gate_up, x, norm, eps, nullptr, n_);
  p.epilogue.kind = EpilogueKind::kSwiglu;
  p.epilogue.n_rows = n_ff;
  p.epilogue.stride = n_ff;
  p.epilogue.out = h;
  add(weights.added, packed(gate_up), p);
  // Two pairs of tiles give 32 columns of h, a group, which can be quantized at once.
  const bool quantizes = reads_groups(next) && n_ff % kUnit == 0 && n_ff <= workspace_cols_ &&
                         !strips[0].type.is_float;
  if (quantizes) p.quantized = activations(next_q_, next_scales_, n_ff, n_);
  const int n_pairs = ceil_div(n_ff, kTileRows);
  const uint8_t* up =
      is_split ? strips[1].data : strips[0].data + n_pairs * strips[0].type.tile_bytes;
  prepare_input(p, packed(gate_up), strips[0]);
  matmul_pairs(strips[0], p, up, n_pairs, kPlainPairs);
  return {h, quantizes};
}

}  // namespace hearth::kernels::hip
