// The table that one instruction-set build ("variant") fills: single-threaded kernels over row
// tiles and tokens. ops_cpu.cc splits the work over threads and composes the fused Ops from these.
// variant_*.cc compile the same sources (variant.inl names them) with different flags
// and export exactly one symbol each; everything else in them has internal linkage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "argmax_part.h"
#include "kv_page.h"
#include "quant_blocks.h"

namespace hearth::kernels::cpu {

/// Rows are interleaved in tiles of 16: one vector holds 16 rows x 4 columns of weights.
inline constexpr int kTileRows = 16;
/// Activations are quantized to int8 in groups of 32 columns or, for weights whose blocks of 256
/// columns have one float scale (and small integers below it), in such blocks: then everything
/// inside a block is exact in integers.
inline constexpr int kGroup = 32;
inline constexpr int kBlock = 256;
/// Sums of a block's activations: 16 of 16 columns, then 8 of 32.
inline constexpr int kBlockSums = 24;
/// Columns of a token that may lie side by side, for variants that want rows of them.
inline constexpr int kRowColumns = 512;
/// Tokens are interleaved in tiles of at most 12, or in tiles of RowKernels::wide_tile.
inline constexpr int kTileTokens = 12, kMostTileTokens = 16;

/// One packed matrix (one part of an Ops::Matrix): ceil(n_rows / 16) tiles of tile_bytes each.
struct PackedPart {
  BlockType type = BlockType::kF32;
  int n_rows = 0;  // without padding
  int n_cols = 0;
  size_t tile_bytes = 0;            // a multiple of 64
  const std::byte* data = nullptr;  // 64-byte aligned
  int n_tiles() const { return (n_rows + kTileRows - 1) / kTileRows; }
};

/// n tokens as input of a matmul, in token tiles: 12, 12, ..., then the rest padded to 1, 2, 4, 8
/// or 12 columns, or 16 after 16 where wide_tile is 16. What pads is computed but never stored.
/// Layout inside is the variant's business. Buffers are allocated once for kMaxBatch tokens and the
/// widest input, rounded up to kRowColumns; padding never exceeds kMaxBatch.
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
  float* f32 = nullptr;  // [n][n_cols] interleaved: for F32, F16, BF16 weights
};

/// What of Activations the weights of a matrix want.
struct InputFormats {
  bool groups = false;
  bool blocks = false;
  bool f32 = false;
};

/// What depends on how the pages hold keys and values (kv_page.inl).
struct KvKernels {
  /// Stores one position of one KV head into a page: k and v [head_dim] (saturating, never Inf).
  void (*append)(std::byte* page_head, int slot, const float* k, const float* v, int head_dim);
  /// Attention of n_queries queries (heads of one KV group of one or several tokens) over one
  /// split: kSplitPositions positions of one KV head, page_heads[p] being its part of the split's
  /// page p. q [n_queries] pointers to head_dim floats; query i sees the split's first n_visible[i]
  /// >= 1 positions. partials [n_queries] pointers to partial_floats(head_dim) floats that are set.
  void (*attend_split)(const float* const* q, float* const* partials, const int32_t* n_visible,
                       int n_queries, const std::byte* const* page_heads, int head_dim,
                       float scale);
};

struct RowKernels {
  const char* name;  // "scalar", "avx2", "avxvnni", "avx512vnni", "amx" or "neon"
  /// In a token tile of a batch of more than kTileTokens tokens: 12 or 16.
  int wide_tile;

  // --- matmul.inl ---

  /// Bytes of one packed 16-row tile of n_cols columns.
  size_t (*tile_bytes)(BlockType type, int n_cols);
  /// Packs 16 rows (n_valid of them real, the rest zero) of row_bytes(type, n_cols) each.
  void (*pack_tile)(BlockType type, const std::byte* rows, int n_valid, int n_cols,
                    std::byte* tile);
  /// Row `row` (0..15) of a packed tile, back to float: embeddings without a second copy of the
  /// table.
  void (*unpack_row)(BlockType type, const std::byte* tile, int row, int n_cols, float* out);
  /// Puts n tokens of one tile of activations (n and n_cols set before), from `token` on, in place,
  /// in these formats. x [n][n_cols].
  void (*quantize_tokens)(const float* x, int token, int n, InputFormats formats,
                          Activations& activations);
  /// out[token * stride + (row - 16 * tile_begin)] = dot(weights[row], token) for the rows of tiles
  /// [tile_begin, tile_end) and all n tokens. Padding rows give 0. Batch-invariant, bitwise.
  void (*matmul)(const PackedPart& part, const Activations& activations, int tile_begin,
                 int tile_end, float* out, size_t stride);

  // --- vector_kernels.inl ---

  /// out = x / rms(x) * norm.
  void (*rmsnorm)(const float* x, const float* norm, float eps, int n, float* out);
  /// In place: NEOX pairs (i, i + head_dim/2) turned by cos_sin[2][head_dim/2]: cosines, then
  /// sines.
  void (*rope)(float* head, const float* cos_sin, int head_dim);
  /// h = silu(gate) * up.
  void (*silu_mul)(const float* gate, const float* up, int n, float* h);
  /// x += y.
  void (*add)(float* x, const float* y, int n);
  KvKernels f16;
  KvKernels int8;
  /// Adds the next split's partial to a query's total (which begins as the partial of split 0).
  /// Splits are merged in order, so a query's result does not depend on who computed which split.
  void (*merge_split)(float* total, const float* partial, int head_dim);
  /// out [head_dim] = the total's weighted sum over the sum of its weights.
  void (*finish_attention)(const float* total, int head_dim, float* out);
  /// Of n > 0 logits of a row, the first of which has id 0.
  ArgmaxPart (*argmax)(const float* logits, int n);
};

/// Attention runs over fixed splits of the positions: small enough that a long context gives all
/// threads work for a single token, and that a split's K and V stay in the L2 cache.
inline constexpr int kSplitPages = 8;
inline constexpr int kSplitPositions = kSplitPages * 32;
inline constexpr int kMaxHeadDim = 256;

/// A query's result over some positions: [head_dim] sums of v weighted by e^(score - maximum), then
/// the maximum and the sum of the weights.
constexpr size_t partial_floats(int head_dim) { return static_cast<size_t>(head_dim) + 16; }

/// X(name) for each variant that is built for this architecture, best first.
#if defined(__x86_64__)
#define HEARTH_CPU_VARIANTS(X) X(amx) X(avx512vnni) X(avxvnni) X(avx2) X(scalar)
#elif defined(__aarch64__)
#define HEARTH_CPU_VARIANTS(X) X(neon) X(scalar)
#else
#define HEARTH_CPU_VARIANTS(X) X(scalar)
#endif

#define HEARTH_DECLARE_VARIANT(name) const RowKernels* name##_kernels();
HEARTH_CPU_VARIANTS(HEARTH_DECLARE_VARIANT)
#undef HEARTH_DECLARE_VARIANT

}  // namespace hearth::kernels::cpu
