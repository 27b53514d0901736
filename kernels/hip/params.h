// Kernel parameters: one plain struct for each kernel, passed by value, and the constants that host
// and device share. The host compiler and hipcc or nvcc compile this header, so it has fixed-size
// types and no constructors. The structs have no padding, since launches are compared byte by byte
// to find the graph that they are captured in (launch_queue.h).
#pragma once

#include <stdint.h>

#include "range_argmax.h"

namespace hearth::kernels::hip {

constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

/// A group is 32 columns; matrix products are computed one group at a time. A unit of packed
/// weights is two groups.
inline constexpr int kGroup = 32;
inline constexpr int kUnit = 2 * kGroup;
constexpr int count_units(int n_cols) { return ceil_div(n_cols, kUnit); }
/// Groups of a super-block (256 columns). In formats with super-blocks, activations too have one
/// scale for the 256 columns, and a super-block is summed in integers, as on the CPU.
inline constexpr int kBlockGroups = 8;
inline constexpr int kBlockUnits = kBlockGroups / 2;
/// Rows of a tile of weights, and tokens of a tile of activations.
inline constexpr int kTileRows = 16;
inline constexpr int kTileTokens = 8;
/// Split-K: the units of a row are divided into at most this many slices, a power of two.
///
///   row = quad 0 + quad 1 + ...     quad = ((slice 0 + slice 1) + slice 2) + slice 3
///
/// Sums are added in rising order, and the division depends on the matrix alone: a token gets the
/// same bits whichever warp computes which slice. A slice of a super-block format is a number of
/// whole super-blocks; there are fewer of them, and they are added one by one, without quads. A
/// quad or, in super-block formats, a slice is a share: what one warp of the GEMV sums of a row.
inline constexpr int kMaxSlices = 32;
inline constexpr int kMaxBlockSlices = 8;
inline constexpr int kQuad = 4;
/// How many units shared memory holds at a time if copies to it are asynchronous (has_copies).
inline constexpr int kCopyStages = 3;
/// Split-KV: attention takes chunks of kChunk positions; kPartChunks chunks make a part. The order
/// of merging chunks into parts and parts into the result is fixed.
inline constexpr int kChunk = 64;
inline constexpr int kPartChunks = 4;
/// Positions of a KV page.
inline constexpr int kPage = 32;
/// Threads of a thread block: of attention in decode and in prefill, and of the norm.
inline constexpr int kDecodeThreads = 512, kPrefillAttentionThreads = 128, kNormThreads = 128;
/// How many query rows a thread block of prefill attention takes at once. A query row is one query
/// head of one token.
constexpr int attention_rows(int head_dim) {
  return head_dim == 32 ? 32 : head_dim == 256 ? 8 : 16;
}
/// Buffers for K and V in shared memory: one for each if copies are asynchronous and there is room,
/// otherwise one that holds K and then V.
constexpr int attention_buffers(int head_dim, bool has_copies) {
  return has_copies && head_dim <= 128 ? 2 : 1;
}
/// An upper bound for the shared memory of a thread block of prefill attention, in bytes.
constexpr int attention_bytes(int head_dim, bool has_copies) {
  const int rows = attention_rows(head_dim), buffers = attention_buffers(head_dim, has_copies);
  // + 4 and + 8 are padding against bank conflicts (RowsShared).
  const int queries = 4 * rows * (head_dim + 4), kv = 2 * buffers * kChunk * (head_dim + 8);
  const int scores = 4 * kChunk * (rows + 4), states_of_rows = 64 * rows;
  return queries + kv + scores + states_of_rows;
}

/// The scale of one token's group (in super-block formats, of its super-block), and the sums of the
/// group's two halves. Minima and zero points are multiplied by these sums.
struct GroupScale {
  float scale;
  int16_t sums[2];
};

/// Quantized activations as the matmuls read them, in tiles of n_slots tokens. In a tile, each
/// group is n_slots x 32 bytes. Column 16h + 4t + j of a group lies at byte 8t + 4h + j, so that
/// the operand of a lane with lane % 4 == t is one 8-byte load.
struct Activations {
  int8_t* q;             // [tile][n_groups][n_slots][32]
  GroupScale* scales;    // [tile][n_groups][n_slots]
  float* f32;            // [n][n_cols], for float weights
  int8_t* half_sums;     // or null, [tile][n_groups / kBlockGroups][n_slots][32]: see below
  float* squares;        // [n][squares_stride(n_groups)], of a norm's input: see Norm
  int32_t n_groups;      // even
  int32_t n_slots;       // kTileTokens, or the number of tokens if that is smaller
  int32_t scale_groups;  // groups that share a scale: 1 or kBlockGroups; 0: not quantized yet
  int32_t rest_at;       // or 0; slots from a group to what its eight bits lose: see below
};

/// Activations::rest_at: for adapters, what rounding a column to a code has lost is quantized, too,
/// in steps of 1 / kRestSteps of the code's own. The rests have the layout of q and scales and
/// follow them, as if they were tokens of further tiles.
inline constexpr int kRestSteps = 254;

/// Activations::half_sums: for each super-block, the sums of its 16 half groups, for prefill.
/// Minima are multiplied by them with matrix instructions, too, so a sum is stored as two int8:
///   sum = kHighSum * high + low
/// Together they have the layout of a group of q: its first half is the 16 low bytes, its second
/// half the 16 high bytes.
inline constexpr int kHighSum = 64;

/// The batch in device memory. All arrays but page_ids have one element per token.
struct BatchView {
  const int32_t* tokens;
  const int32_t* positions;
  const int32_t* append_page;   // the page that the token's own position is in
  const int32_t* table_offset;  // where the pages of the token's sequence begin in page_ids
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

/// The decode kernels' sums in shared memory (BlockSums): the stride of a row is odd, so that rows
/// are in different banks, and there is room after the last addend, since kernels may read up to
/// kSpareAddends more.
constexpr int sum_stride(int n_tokens) { return n_tokens | 1; }
inline constexpr int kSpareAddends = kQuad - 1;
constexpr int spare_bytes(int n_tokens) {
  return kSpareAddends * kTileRows * sum_stride(n_tokens) * 4;
}

/// What an adapter adds to a product (low_rank.hip.h): scale * (b[r] . lowered) to row r, where
/// lowered = a h, without the factor of a norm. Each part of the matrix (q, k, v, ...) has its own
/// ranks, padded with zeros to `rank` of them. They are numbered through all parts. A token is
/// lowered as two: its codes and their rests (Activations::rest_at), which are added at the end.
struct Added {
  const uint8_t* tiles;         // a RankTile for each 16 rows
  const float* lowered;         // [codes, rests][n][n_ranks]; null: the product's launch lowers
  const uint8_t* a;             // packed tiles of Q8_0, of 16 ranks each
  uint64_t* words;              // [n][n_ranks][codes, rests][blocks of a row], n <= kTileTokens
  const uint32_t* first_round;  // of the step
  int32_t rank, n_ranks;        // multiples of kRankStep
  int32_t n_rows;               // 0: nothing is added
  int32_t a_tile_bytes;
  int32_t log2_slices;        // of a row of a
  int32_t log2_block_slices;  // those that one thread block takes: all, or a share
  int32_t n_blocks;           // how many of the launch's thread blocks, the first ones, lower
  int32_t round;              // of the launch, counted from *first_round
  int32_t block_eights;       // how many times eight groups one of them quantizes at most
  int32_t rest_at;            // floats from a token's codes to its rests in `lowered`
};
inline constexpr int kRankStep = 8;

/// The header of 16 rows of b. Then come the rows: f16 [rank / kRankStep][kTileRows][kRankStep].
struct RankTile {
  int32_t first_rank;  // of the part that these rows belong to
  float scale;         // 0 if the adapter has no such part: it adds nothing to these rows
  int32_t reserved[2];
};
constexpr int rank_tile_bytes(int rank) {
  return int{sizeof(RankTile)} + kTileRows * rank * int{sizeof(uint16_t)};
}
/// Whether thread blocks of the product's own launch lower its tokens (lower.hip.h), or those of an
/// earlier strip's.
constexpr bool lowers_here(const Added& added) { return added.n_rows > 0 && !added.lowered; }
/// Then a thread block has this in shared memory, after its sums: the lowered tokens, and
/// RankTiles.
constexpr int lowered_bytes(const Added& added, int n_tokens) {
  return n_tokens * added.n_ranks * int{sizeof(float)};
}
constexpr int added_bytes(const Added& added, int n_tokens, int block_tiles) {
  return lowered_bytes(added, n_tokens) + block_tiles * rank_tile_bytes(added.rank);
}
/// One that lowers has only this: slots of codes and rests, then their scales, then the sums of
/// slices, [codes, rests][slice][kTileRows][sum_stride(n_tokens)].
constexpr int lowering_slots(const Added& added, int n_tokens) {
  return 2 * added.block_eights * kBlockGroups * n_tokens;
}
constexpr int lowering_bytes(const Added& added, int n_tokens) {
  const int n_sums = (2 << added.log2_block_slices) * kTileRows * sum_stride(n_tokens);
  return lowering_slots(added, n_tokens) * (kGroup + int{sizeof(GroupScale)}) +
         n_sums * int{sizeof(float)};
}

enum class EpilogueKind : int32_t { kAdd, kStore, kSwiglu, kQkv };

/// What a matmul does with its results.
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
  float scale;  // kAdd only: what is added is multiplied by it
};

/// A RoPE pair, rows i and i + head_dim / 2 of a head of q, k or v: its biases, its rotation, and
/// where the first row's result goes, in q or in the KV pool (the other pointer is null).
struct QkvRow {
  float bias[2], cos, sin;
  float* q;
  uint16_t* kv;
};

/// Activations::squares: sums of squares over every eight groups; a token's row is padded with
/// zeros to a multiple of 16 bytes.
constexpr int count_eights(int n_groups) { return (n_groups + kBlockGroups - 1) / kBlockGroups; }
constexpr int squares_stride(int n_groups) { return (count_eights(n_groups) + 3) / 4 * 4; }

/// Groups that a thread block has room for when it stages a token of n_groups in shared memory.
constexpr int staged_groups(int n_groups) { return count_eights(n_groups) * kBlockGroups; }

/// RMSNorm of rows of x, or x itself if weight is null. Matmuls multiply by x * weight, which can
/// be quantized before all of x has been read, and multiply the sums by 1 / rms(x) at the end,
/// before a bias is added:
///   W (x * weight / rms(x)) = (W (x * weight)) / rms(x)
struct Norm {
  const float* x;  // [n][n_cols]
  const float* weight;
  const int32_t* rows;  // which rows of x, or null: all
  float eps;
  float inverse_cols;  // 1 / n_cols
  int32_t n_cols;
  int32_t reserved;
};

/// Whether it is an RMSNorm and not just x.
constexpr bool is_norm(const Norm& norm) { return norm.weight != nullptr; }

/// Where a matmul's activations come from.
enum class InputKind : int32_t {
  kMemory,  // an earlier kernel has quantized them; they are read from global memory
  kCopy,    // an earlier kernel has quantized them; they are copied to shared memory first
  kNorm,    // each thread block normalizes (if there is a norm) and quantizes them for itself
};

/// A GEMM with an adapter follows the GEMM that lowers its tokens, and both read the same tokens.
/// With dependent launches they overlap: the first lets the second start as soon as the tokens are
/// there (kLowers), and the second waits for the first only before its epilogue (kIsLowered).
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
  int32_t log2_warp_slices;  // slices of a warp, for 2 to 8 tokens: if it has 4, it stores the sum
                             // of their quad, if fewer, one sum per slice
  int32_t n_tokens;
  InputKind input;
  int32_t input_bytes;  // what the tokens take of shared memory, a multiple of 16: up to 8 tokens
                        // their squares and, if they are staged, q and scales; in GEMM, factors
  int32_t added_at;     // bytes of shared memory before what the adapter needs there
  Overlap overlap;
  int32_t reserved;
  Activations x;
  Norm norm;
  Epilogue epilogue;
  Activations quantized;  // kSwiglu: the result, quantized, if q is not null
};

/// The mail: pinned host memory through which the host hands over a batch. First comes this header,
/// then the integers of a BatchView. There must be room for 2 * kMailThreads integers, which the
/// kernel may read even if there are fewer.
inline constexpr int kMailPending = 0;  // 1 while the batch is written but not yet taken
inline constexpr int kMailInts = 1;     // how many integers follow the header
inline constexpr int kMailHeader = 4;   // words of 32 bits
inline constexpr int kMailThreads = 512;
struct BatchParams {
  uint32_t* mail;
  int32_t* to;  // device memory for the integers
};

struct PackParams {
  const uint8_t* rows;  // as in the file
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
  int32_t first_row, n_rows;  // of the strip; launches for other strips embed the other tokens
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
  int32_t n_parts;  // each part has its own thread block; 1: one thread block takes all in turn
  float scale;
  int32_t n_tokens;
  int32_t window;  // how many positions a token attends to, its own included; 0: all
  int32_t reserved;
};

/// Mixture of experts (routes.hip.h, experts.hip.h). An expert row is a token at one of its
/// experts: row = token * n_used + rank of the expert among the token's experts. The plan groups
/// expert rows into tiles; all rows of a tile have the same expert.
struct ExpertTile {
  static constexpr int kMostRows = 4 * kTileTokens;
  int32_t expert;
  int32_t n_rows;  // 0: this tile and those after it are not used
  int32_t rows[kMostRows];
};
/// An upper bound for the number of tiles: each expert has at most one tile that is not full.
constexpr int count_expert_tiles(int n_rows, int most_rows, int n_experts) {
  const int n = n_rows / most_rows + n_experts;
  return n < n_rows ? n : n_rows;
}
/// The most experts that a model on a GPU can have, and the most expert rows of a batch.
inline constexpr int kMaxExperts = 512, kMaxExpertRows = 8192;

struct RouteParams {
  const float* logits;  // [n_tokens][n_experts]
  float* routes;        // [n_tokens][2 * n_used], see Ops::norm_route
  ExpertTile* tiles;    // [n_tiles]
  int32_t n_tokens, n_experts, n_used, n_tiles;
  int32_t most_rows;  // the most rows of a tile
  int32_t reserved;
};
inline constexpr int kRouteThreads = kMaxExperts, kChooseThreads = 128;

struct ExpertParams {
  const uint8_t* a;  // the packed tiles of expert 0: of its gate, or of its down
  const uint8_t* b;  // of its up; null: only a is multiplied
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
/// By then all four fields are valid, as the kernel stores {best, id} and {sum, finite} as eight
/// bytes each.
inline constexpr uint32_t kNotYet = 0xffffffff;

/// Argmax: the threads of a thread block, the logits that it takes (60 thread blocks cover qwen2's
/// vocabulary), and the most rows of a launch.
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
