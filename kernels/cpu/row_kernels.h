// The table of kernels that each variant fills. A variant is a build of the same sources for one
// instruction set. The kernels are single-threaded and work on row tiles and tokens;
// ops_cpu_step.cc divides the work among threads and composes the fused Ops from them. Each
// variant_*.cc compiles the same sources with its own flags and exports one symbol; everything else
// in it has internal linkage.
//
// A new variant needs a file variant_NAME.cc, its name in HEARTH_CPU_VARIANTS below, its compiler
// flags in kernels/CMakeLists.txt, and runs_NAME() in dispatch.cc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kv_page.h"
#include "quant_blocks.h"
#include "range_argmax.h"

namespace hearth::kernels::cpu {

/// Rows of weights in a row tile. They are interleaved: one 64-byte vector holds 16 rows x 4
/// columns.
inline constexpr int kTileRows = 16;
/// Columns that share a float scale: a group (kGroup) or, in formats with super-blocks like the
/// K-quants, a block (kBlock). Activations are quantized to int8 with the same groups or blocks as
/// the weights, so that the dot product over a group or block is an exact integer.
inline constexpr int kGroup = 32;
inline constexpr int kBlock = 256;
/// The number of sums of a block's int8 activations: 16 sums over 16 columns each, then 8 sums over
/// 32. Minima and zero points are multiplied by them.
inline constexpr int kBlockSums = 24;
/// The number of consecutive columns of a token, if a variant stores activations in rows
/// (BatchPlan::offset in panel.h).
inline constexpr int kRowColumns = 512;
/// Floats of padding between two tokens. They make the distance an odd number of cache lines; a
/// power of two would map all tokens to a few sets of the cache.
inline constexpr int kFloatPadding = 16;
/// Tokens in a token tile: at most 12 or, if the batch has more than 12, RowKernels::wide_tile.
inline constexpr int kTileTokens = 12, kMaxTileTokens = 16;

/// One part of a Matrix, packed: ceil(n_rows / 16) tiles of tile_bytes each.
struct PackedPart {
  BlockType type = BlockType::kF32;
  int n_rows = 0;  // without padding
  int n_cols = 0;
  size_t tile_bytes = 0;            // a multiple of 64
  const std::byte* data = nullptr;  // 64-byte aligned
  int n_tiles() const { return (n_rows + kTileRows - 1) / kTileRows; }
};

/// The input of a matmul: n tokens, quantized to int8 or as floats, in token tiles of 12; the last
/// tile is padded to 1, 2, 4, 8 or 12 tokens. If wide_tile is 16, batches of more than 12 tokens
/// have tiles of 16. Results for padding are computed but never stored. activations.inl draws the
/// layouts. Buffers are allocated once, for kMaxBatch tokens (padding included) as wide as the
/// widest input, rounded up to kRowColumns.
struct Activations {
  int n = 0;
  int n_cols = 0;
  struct {
    int8_t* q = nullptr;      // [n][n_cols] interleaved
    float* scales = nullptr;  // [n][n_cols / 32] interleaved
    float* sums = nullptr;    // [n][n_cols / 32] interleaved: sums of q, for offsets and minima
  } groups;
  struct {
    int8_t* q = nullptr;      // [n][n_cols] interleaved
    float* scales = nullptr;  // [n][n_cols / 256] interleaved
    int16_t* sums = nullptr;  // [n][n_cols / 256][kBlockSums] interleaved in pairs
  } blocks;
  float* f32 = nullptr;  // [n][float_stride()], not interleaved: for F32, F16, BF16 weights
  /// Whether products are added to the output's values.
  bool resume = false;

  size_t float_stride() const { return static_cast<size_t>(n_cols + kFloatPadding); }
  float* floats_of(int token) const { return f32 + static_cast<size_t>(token) * float_stride(); }
};

/// Which of the three forms of an input in Activations a matrix reads.
struct InputFormats {
  bool groups = false;
  bool blocks = false;
  bool f32 = false;
};

/// Kernels that depend on the type of the KV cache (kv_page.inl).
struct KvKernels {
  /// Stores one position's k and v [head_dim] for one KV head into a page. Values beyond the range
  /// of f16 are clamped, so that no Inf is stored.
  void (*append)(std::byte* page_head, int slot, const float* k, const float* v, int head_dim);
  /// Attention over one split (kSplitPositions positions) of one KV head. The n_queries queries are
  /// the heads of one or more tokens that share the KV head; q[i] points to head_dim floats.
  /// page_heads[p] is the KV head's part of the split's page p. Query i sees the positions
  /// [n_hidden[i], n_visible[i]) of the split, at least one. Positions before n_hidden[i] must hold
  /// numbers, since their V is multiplied by 0. Sets partials[i] to partial_floats(head_dim)
  /// floats.
  void (*attend_split)(const float* const* q, float* const* partials, const int32_t* n_hidden,
                       const int32_t* n_visible, int n_queries, const std::byte* const* page_heads,
                       int head_dim, float scale);
};

struct RowKernels {
  const char* name;  // "scalar", "avx2", "avxvnni", "avx512vnni", "amx", "neon" or "i8mm"
  /// Tokens in a token tile of a batch of more than kTileTokens: 12 or 16.
  int wide_tile;

  // --- matmul.inl ---

  /// Quantizes tokens [token, token + n), which lie in one token tile, to these formats. The caller
  /// has set activations.n and .n_cols. x [n][n_cols].
  void (*quantize_tokens)(const float* x, int token, int n, InputFormats formats,
                          Activations& activations);
  /// out[token * stride + (row - 16 * tile_begin)] = dot(weights[row], token) for the rows of tiles
  /// [tile_begin, tile_end) and all n tokens. Padding rows give 0. A token's results have the same
  /// bits in any batch. With activations.resume, dot(...) is added to the output's values.
  void (*matmul)(const PackedPart& part, const Activations& activations, int tile_begin,
                 int tile_end, float* out, size_t stride);

  // --- vector_kernels.inl ---

  /// out = x / rms(x) * norm.
  void (*rmsnorm)(const float* x, const float* norm, float eps, int n, float* out);
  /// RoPE in place: rotates the pairs (i, i + head_dim/2), the NEOX order. cos_sin [2][head_dim/2]
  /// has the cosines first, then the sines.
  void (*rope)(float* head, const float* cos_sin, int head_dim);
  /// h = silu(gate) * up.
  void (*silu_mul)(const float* gate, const float* up, int n, float* h);
  /// x += y.
  void (*add)(float* x, const float* y, int n);

  // --- kv_page.inl, attention.inl ---

  KvKernels f16;
  KvKernels int8;
  /// Online softmax: merges the next split's partial into a query's total, which begins as the
  /// partial of split 0. Splits are merged in order of position, so that a query's result does not
  /// depend on which thread computed which split.
  void (*merge_split)(float* total, const float* partial, int head_dim);
  /// out [head_dim] = the total's weighted sum over the sum of its weights.
  void (*finish_attention)(const float* total, int head_dim, float* out);
  /// The RangeArgmax of n > 0 logits, whose ids are 0 to n - 1.
  RangeArgmax (*argmax)(const float* logits, int n);
};

/// Split-KV: a sequence is always split at the same positions, and attention runs over one split at
/// a time. A split is small enough for its K and V to stay in the L2 cache, and for a single token
/// to have several splits in a long context, one for each thread.
inline constexpr int kSplitPages = 8;
inline constexpr int kSplitPositions = kSplitPages * 32;
inline constexpr int kMaxHeadDim = 256;

/// A query's partial result over some positions: sum of e^(score - maximum) * v, [head_dim], then
/// the maximum and the sum of the weights e^(score - maximum).
constexpr size_t partial_floats(int head_dim) { return static_cast<size_t>(head_dim) + 16; }

/// Whether the L1 cache can keep track of as many outstanding misses as a core needs to stream
/// weights at full speed (prefetch_ahead in packed_source.inl).
extern const bool l1_tracks_all_fills;

/// X(name) for each variant that is built for this architecture, best first.
#if defined(__x86_64__)
#define HEARTH_CPU_VARIANTS(X) X(amx) X(avx512vnni) X(avxvnni) X(avx2) X(scalar)
#elif defined(__aarch64__)
#define HEARTH_CPU_VARIANTS(X) X(i8mm) X(neon) X(scalar)
#else
#define HEARTH_CPU_VARIANTS(X) X(scalar)
#endif

#define HEARTH_DECLARE_VARIANT(name) const RowKernels* name##_kernels();
HEARTH_CPU_VARIANTS(HEARTH_DECLARE_VARIANT)
#undef HEARTH_DECLARE_VARIANT

}  // namespace hearth::kernels::cpu
