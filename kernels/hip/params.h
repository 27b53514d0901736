// Kernel parameters: one plain struct for each kernel, passed by value. The host compiler and hipcc
// or nvcc compile this header, so it has fixed-size types and no constructors. The structs have no
// padding, since the launch queue finds a step's graph by comparing launches byte by byte
// (launch_queue.h).
#pragma once

#include "adapter_params.h"
#include "range_argmax.h"
#include "tiling.h"

namespace hearth::kernels::hip {

/// The batch in device memory. All arrays but page_ids have one element per token.
struct BatchView {
  const int32_t* tokens;
  const int32_t* positions;
  const int32_t* append_page;   // the page of the token's own position
  const int32_t* table_offset;  // the index in page_ids of the first page of the token's sequence
  const int32_t* page_ids;
};

/// KV pool: [page][layer][kv head][K, V][kPage][head_dim] f16.
struct KvPool {
  uint16_t* data;
  uint64_t page_values;   // f16 values of a page
  uint64_t layer_values;  // of one layer in a page
  int32_t n_heads, n_kv_heads;
  int32_t head_dim, log2_head_dim;
};

enum class EpilogueKind : int32_t { kAdd, kStore, kSwiglu, kQkv };

/// The last step of a matmul: how it stores its results.
struct Epilogue {
  EpilogueKind kind;
  int32_t row0;    // first row of this HipStrip in the matrix (q, k, v or gate, up stacked)
  int32_t n_rows;  // the strip's rows, without padding
  int32_t stride;  // floats between tokens of out
  float* out;
  Added added;
  // kQkv only:
  const float* bias;     // [all rows] or null
  const float* cos_sin;  // [position][head_dim / 2][2]
  BatchView batch;
  KvPool pool;
  int32_t layer;
  float scale;  // kAdd only: the factor of the results
};

/// A RoPE pair, rows i and i + head_dim / 2 of a head of q, k or v: its biases, its rotation, and
/// the destination of the first row's result, in q or in the KV pool (the other pointer is null).
struct QkvRow {
  float bias[2], cos, sin;
  float* q;
  uint16_t* kv;
};

/// RMSNorm of rows of x, or x itself if weight is null. Matmuls multiply by x * weight, which can
/// be quantized before all of x has been read, and multiply the sums by 1 / rms(x) at the end,
/// before the bias:
///   W (x * weight / rms(x)) = (W (x * weight)) / rms(x)
struct Norm {
  const float* x;  // [n][n_cols]
  const float* weight;
  const int32_t* rows;  // indices of rows of x; null: all
  float eps;
  float inverse_cols;  // 1 / n_cols
  int32_t n_cols;
  int32_t reserved;
};

/// Whether it is an RMSNorm and not just x.
constexpr bool is_norm(const Norm& norm) { return norm.weight != nullptr; }

/// The origin of a matmul's activations.
enum class InputKind : int32_t {
  kMemory,  // quantized by an earlier kernel, read from global memory
  kCopy,    // quantized by an earlier kernel, copied to shared memory first
  kNorm,    // each thread block normalizes (if there is a norm) and quantizes its own copy
};

/// A GEMM with an adapter follows the GEMM that lowers its tokens; both read the same tokens. With
/// dependent launches they overlap: the lowering GEMM (kLowers) lets the other start as soon as the
/// tokens are ready, and the other (kIsLowered) waits for it only before its epilogue.
enum class Overlap : int32_t { kNone, kLowers, kIsLowered };

/// Special values of MatmulParams::log2_span. kNoPairs: tiles are not paired. kPlainPairs: the span
/// is greater than any i, so that pair i is tile i of a and tile i of b.
inline constexpr int kNoPairs = -1;
inline constexpr int kPlainPairs = 30;

struct MatmulParams {
  const uint8_t* a;         // packed tiles
  const uint8_t* b;         // packed tiles of the pairs' second rows (up, or rows i + head_dim / 2)
  uint64_t tile_bytes;      // per 16 rows
  const int32_t* tile_ids;  // only these tiles, or null
  int32_t n_tiles;          // a pair counts as two
  int32_t log2_span;        // pair i: tile (i / span) * 2 span + i % span; kNoPairs, kPlainPairs
  int32_t block_tiles;      // tiles of a thread block
  int32_t n_units;
  int32_t log2_slices;
  int32_t log2_warp_slices;  // slices of a warp, for 2 to 8 tokens: a warp with 4 stores the sum of
                             // their quad, a warp with fewer one sum per slice
  int32_t n_tokens;
  InputKind input;
  int32_t input_bytes;  // shared memory of the tokens, a multiple of 16: for up to 8 tokens,
                        // squares and, if staged, q and scales; in a GEMM, factors
  int32_t added_at;     // offset of the adapter's data in shared memory
  Overlap overlap;
  int32_t reserved;
  Activations x;
  Norm norm;
  Epilogue epilogue;
  Activations quantized;  // kSwiglu: the result, quantized, if q is not null
};

/// The mailbox: pinned host memory through which the host passes a batch to the GPU: a header, then
/// the integers of a BatchView. It has room for at least 2 * kMailThreads integers, which the
/// kernel may always read.
///   word 0   1 while the batch is written but not yet taken
///   word 1   the number of integers after the header
inline constexpr int kMailPending = 0;
inline constexpr int kMailInts = 1;
inline constexpr int kMailHeader = 4;  // words of 32 bits
inline constexpr int kMailThreads = 512;
struct BatchParams {
  uint32_t* mail;
  int32_t* to;  // device memory for the integers
};

struct PackParams {
  const uint8_t* rows;  // in the file's layout
  uint8_t* tiles;
  uint64_t row_bytes, tile_bytes;
  int32_t n_rows, n_cols, n_units;
  int32_t reserved;
};

struct EmbedParams {
  const uint8_t* tiles;
  uint64_t tile_bytes;
  BatchParams batch;  // mail is null if the batch has been taken already
  float* x;
  int32_t n_cols;
  int32_t first_row, n_rows;  // of the strip; other strips' launches embed their own tokens
  int32_t reserved;
};

/// Normalizes each head of q and k (head_norms.hip.h).
struct HeadNormParams {
  const float* qkv;    // [n][all rows]: the product, without biases
  const float* norms;  // [head_dim] of q, then of k
  Epilogue epilogue;   // kQkv
  float eps;
  float inverse_dim;  // 1 / head_dim
};
inline constexpr int kHeadNormThreads = 128;

struct NormParams {
  Norm norm;
  Activations out;
  int32_t n_tokens;
  int32_t with_f32;
};

struct AttentionParams {
  const float* q;     // [n][n_heads * head_dim]
  float* parts;       // [n][n_heads][n_parts][head_dim + 2]: maximum, sum, unnormalized output
  uint32_t* arrived;  // [grid x][grid y], counts the parts that are stored; 0 between launches
  float* out;         // [n][n_heads * head_dim]
  Activations quantized;
  KvPool pool;
  BatchView batch;
  int32_t layer;
  int32_t n_parts;  // each has its own thread block; 1: one thread block takes all parts in turn
  float scale;
  int32_t n_tokens;
  int32_t window;  // positions that a token attends to, its own included; 0: all
  int32_t reserved;
};

/// Mixture of experts (routes.hip.h, experts.hip.h). An expert row is a pair of a token and one of
/// its experts: row = token * n_used + rank of the expert among the token's experts. The plan
/// groups expert rows into tiles; all rows of a tile have the same expert.
struct ExpertTile {
  static constexpr int kMaxRows = 4 * kTileTokens;
  int32_t expert;
  int32_t n_rows;  // 0: this tile and those after it are not used
  int32_t rows[kMaxRows];
};
/// An upper bound for the number of tiles: each expert has at most one tile that is not full.
constexpr int count_expert_tiles(int n_rows, int max_rows, int n_experts) {
  const int n = n_rows / max_rows + n_experts;
  return n < n_rows ? n : n_rows;
}
/// The maximum number of experts in a model on a GPU, and of expert rows in a batch.
inline constexpr int kMaxExperts = 512, kMaxExpertRows = 8192;

struct RouteParams {
  const float* logits;  // [n_tokens][n_experts]
  float* routes;        // [n_tokens][2 * n_used], see Ops::norm_route
  ExpertTile* tiles;    // [n_tiles]
  int32_t n_tokens, n_experts, n_used, n_tiles;
  int32_t max_rows;  // of a tile
  int32_t reserved;
};
inline constexpr int kRouteThreads = kMaxExperts, kChooseThreads = 128;

struct ExpertParams {
  const uint8_t* a;  // the packed tiles of expert 0: its gate, or its down
  const uint8_t* b;  // the packed tiles of its up; null: only a is multiplied
  uint64_t tile_bytes, expert_bytes;
  const ExpertTile* tiles;
  float* out;     // [expert row][n_out]
  Activations x;  // the batch's tokens, or one input per expert row
  Norm norm;
  int32_t n_units, n_out;
  int32_t rows_of_input;  // expert rows per input of x: n_used if x has tokens, otherwise 1
  int32_t reserved;
};
inline constexpr int kExpertWarps = 4, kExpertThreads = 32 * kExpertWarps;

struct AddExpertsParams {
  const float* routes;
  const float* rows;  // [expert row][n_cols]
  float* x;           // [n_tokens][n_cols]
  int32_t n_cols, n_used;
  float scale;
  int32_t reserved;
};

/// The host sets `id` and `finite` of each RangeArgmax to this and waits until both have changed.
/// Then all four fields are valid, because the kernel stores {best, id} and {sum, finite} as eight
/// bytes each.
inline constexpr uint32_t kNotYet = 0xffffffff;

/// Argmax: the threads and the logits of a thread block (60 thread blocks cover qwen2's
/// vocabulary), and the maximum number of rows in a launch.
inline constexpr int kArgmaxThreads = 512;
inline constexpr int kArgmaxLogits = 5 * kArgmaxThreads;
inline constexpr int kArgmaxRows = 16;
struct ArgmaxParams {
  const float* logits;
  RangeArgmax* ranges;  // [n_rows][n_ranges], pinned host memory
  int32_t n_vocab, n_ranges;
};

/// to[i] = from[ids[i]]
struct GatherParams {
  const float* from;
  const int32_t* ids;
  float* to;
  int32_t n;
  int32_t reserved;
};

}  // namespace hearth::kernels::hip
