// What the host hands to each kernel: one plain struct a kernel, passed by value. Compiled by the
// host compiler and by hipcc/nvcc alike, so: fixed-size types, no constructors. No padding either:
// launches are compared byte by byte to find the graph that was made of them.
#pragma once

#include <stdint.h>

#include "argmax_part.h"

namespace hearth::kernels::hip {

/// Columns that are multiplied together, and the columns of one packed unit (two such groups).
inline constexpr int kGroup = 32;
inline constexpr int kUnit = 2 * kGroup;
/// Groups that share a scale, of activations as of weights, where these have a float scale every
/// 256 columns: "block types". Inside such a block all is added up in integers, as on the CPU.
inline constexpr int kBlockGroups = 8;
inline constexpr int kBlockUnits = kBlockGroups / 2;
inline constexpr int kTileRows = 16;
inline constexpr int kTileTokens = 8;
/// A row's units are cut into at most this many slices, a power of two. The sums of four slices
/// make a quad's, the sums of quads the row's, each added in rising order: the cut depends on the
/// matrix alone, so a token gets the same bits whoever computes which slice. Slices of block types
/// are whole blocks, fewer, and added without quads.
inline constexpr int kMaxSlices = 32;
inline constexpr int kMaxBlockSlices = 8;
inline constexpr int kQuad = 4;
/// Units that are copied to shared memory at a time, where a GPU does that by itself.
inline constexpr int kCopyStages = 3;
/// Positions that attention takes at once, and how many of these chunks make a part; the order of
/// merging is fixed, too.
inline constexpr int kChunk = 64;
inline constexpr int kPartChunks = 4;
inline constexpr int kPage = 32;
/// Rows, one query head of one token each, that attention for many tokens takes at once.
constexpr int attention_rows(int head_dim) {
  return head_dim == 32 ? 32 : head_dim == 256 ? 8 : 16;
}
/// Keys of a chunk and its values then have a place each, where copies to shared memory go on by
/// themselves and there is room, else one.
constexpr int attention_buffers(int head_dim, bool has_copies) {
  return has_copies && head_dim <= 128 ? 2 : 1;
}
/// Shared memory of a block, at least what it needs.
constexpr int attention_bytes(int head_dim, bool has_copies) {
  const int rows = attention_rows(head_dim), buffers = attention_buffers(head_dim, has_copies);
  const int queries = 4 * rows * (head_dim + 4), kv = 2 * buffers * kChunk * (head_dim + 8);
  return queries + kv + 4 * kChunk * (rows + 4) + 64 * rows;
}

/// Scale of one token's group (each of a block's groups has the block's), and the sums of its two
/// halves (for formats with minima).
struct GroupScale {
  float scale;
  int16_t sums[2];
};

/// Tokens as the matmuls read them. Token tiles of n_slots; inside a tile, group after group:
/// n_slots x 32 bytes whose columns 16h + 4t + j lie at 8t + 4h + j, so that a lane's operand is
/// one 8-byte load.
struct Activations {
  int8_t* q;             // [tile][n_groups][n_slots][32]
  GroupScale* scales;    // [tile][n_groups][n_slots]
  float* f32;            // [n][n_cols], for float weights
  int8_t* half_sums;     // or null, [tile][n_groups / kBlockGroups][n_slots][32]: see below
  float* squares;        // [n][squares_stride(n_groups)], of a norm's input: see Norm
  int32_t n_groups;      // even
  int32_t n_slots;       // kTileTokens, or the tokens that there are if these are fewer
  int32_t scale_groups;  // that share a scale: 1, or kBlockGroups
  int32_t reserved;
};

/// The sums of the 16 halves of a block's groups, for many tokens to be multiplied by a block's
/// minima in matrix products, too: sum = kHighSum * high + low. They lie as a group of q does whose
/// first half is the low bytes, the second one the high bytes.
inline constexpr int kHighSum = 64;

/// Arrays of the device's memory, [n] each.
struct BatchView {
  const int32_t* tokens;
  const int32_t* positions;
  const int32_t* append_page;   // page of the token's own position
  const int32_t* table_offset;  // into page_ids, of the token's sequence
  const int32_t* page_ids;
};

/// KV pool: [page][layer][kv head][K, V][kPage][head_dim] f16.
struct KvPool {
  uint16_t* data;
  uint64_t page_halves;   // f16 values a page
  uint64_t layer_halves;  // and a layer of a page
  int32_t n_heads, n_kv_heads;
  int32_t head_dim, log2_head_dim;
};

enum class EpilogueKind : int32_t { kAdd, kStore, kSwiglu, kQkv };

/// What becomes of a matmul's results.
struct Epilogue {
  EpilogueKind kind;
  int32_t row0;    // of this part in the stacked matrix
  int32_t n_rows;  // valid rows of this part
  int32_t stride;  // floats between tokens of out
  float* out;
  // kQkv only:
  const float* bias;     // [all rows] or null
  const float* cos_sin;  // [position][head_dim / 2][2]
  BatchView batch;
  KvPool pool;
  int32_t layer;
  int32_t reserved;
};

/// What rows i and i + head_dim / 2 of a head need besides their sums, and where the first goes: in
/// q, or in the KV pool (the other is null).
struct QkvRow {
  float bias[2], cos, sin;
  float* q;
  uint16_t* kv;
};

/// Activations::squares: the sums of every eight groups' squares, in rows of a multiple of 16
/// bytes, filled up with zeros.
constexpr int count_eights(int n_groups) { return (n_groups + kBlockGroups - 1) / kBlockGroups; }
constexpr int squares_stride(int n_groups) { return (count_eights(n_groups) + 3) / 4 * 4; }

/// Groups that a block of threads has room for when it brings a token of so many to shared memory.
constexpr int staged_groups(int n_groups) { return count_eights(n_groups) * kBlockGroups; }

/// Floats from a row's sums to the next one's, for so many tokens, in a block that multiplies a
/// few: odd, so that rows lie in different banks. And how far behind its sums a block may read.
constexpr int sum_stride(int n_tokens) { return n_tokens | 1; }
inline constexpr int kSpareParts = kQuad - 1;
constexpr int spare_bytes(int n_tokens) {
  return kSpareParts * kTileRows * sum_stride(n_tokens) * 4;
}

/// rmsnorm of rows of x, or x itself where norm is null. What matrices are multiplied by is
/// x * norm, which can be quantized before all of x has been seen; their sums are multiplied by
/// 1 / rms(x), from the squares of x, when there is time for it: before a bias is added.
struct Norm {
  const float* x;  // [n][n_cols]
  const float* norm;
  const int32_t* rows;  // which rows of x, or null: all
  float eps;
  float inverse_cols;  // 1 / n_cols
  int32_t n_cols;
  int32_t reserved;
};

/// Where a matmul's activations come from.
enum class InputKind : int32_t {
  kMemory,  // x, quantized by an earlier kernel
  kCopy,    // the same, copied to shared memory first
  kNorm,    // each block normalizes, if there is a norm, and quantizes for itself
};

/// Values of log2_span: single tiles; pairs whose tiles are number i of a and of b.
inline constexpr int kNoPairs = -1;
inline constexpr int kPlainPairs = 30;

struct MatmulParams {
  const uint8_t* a;         // packed tiles
  const uint8_t* b;         // those of the pairs' second rows (up; or i + head_dim / 2)
  uint64_t tile_bytes;      // per 16 rows
  const int32_t* tile_ids;  // only these tiles, or null
  int32_t n_tiles;          // in all; a pair counts as two, a and b
  int32_t log2_span;        // pair i: tile (i / span) * 2 span + i % span; kNoPairs, kPlainPairs
  int32_t block_tiles;      // of a block
  int32_t n_units;
  int32_t log2_slices;
  int32_t log2_own;  // slices of a warp: 4 leave a quad's sum, fewer leave a sum each
  int32_t n_tokens;
  InputKind input;
  int32_t input_bytes;  // of shared memory for the tokens: q, scales and squares of a few; what the
                        // sums of many are multiplied by; a multiple of 16
  int32_t reserved;
  Activations x;
  Norm norm;
  Epilogue epilogue;
  Activations quantized;  // kSwiglu: the result, quantized, if q is not null
};

/// Where the host leaves a batch: in memory of its own, these two numbers and then the integers of
/// a BatchView. Whoever reads may read kMailThreads times two of them, however few there are.
inline constexpr int kMailOut = 0;   // not 0: written, and not taken yet
inline constexpr int kMailInts = 1;  // how many integers follow the header
inline constexpr int kMailHeader = 4;
inline constexpr int kMailThreads = 512;
struct BatchParams {
  uint32_t* mail;
  int32_t* to;
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
  BatchParams batch;  // mail is null where the batch has been taken
  float* x;
  int32_t n_cols;
  int32_t first_row, n_rows;  // the part's rows; other tokens are left alone
  int32_t reserved;
};

struct NormParams {
  Norm norm;
  Activations out;
  int32_t n_tokens;
  int32_t with_f32;
};

struct AttentionParams {
  const float* q;     // [n][n_heads * head_dim]
  float* parts;       // [n][n_heads][n_parts][head_dim + 2]: maximum, sum, unnormalized output
  uint32_t* arrived;  // of each block of a part: parts that are there; zero between launches
  float* out;         // [n][n_heads * head_dim]
  Activations quantized;
  KvPool pool;
  BatchView batch;
  int32_t layer;
  int32_t n_parts;  // a block a part, or 1: a block takes all parts in turn
  float scale;
  int32_t n_tokens;
};

/// In `id` and `finite` of a part that is still to come: each comes with the number before it.
inline constexpr uint32_t kNotYet = 0xffffffff;

/// Of a block, its threads and its part of a row: 60 blocks have one of qwen2's each. Rows that are
/// worked on at once.
inline constexpr int kArgmaxThreads = 512;
inline constexpr int kArgmaxLogits = 5 * kArgmaxThreads;
inline constexpr int kArgmaxRows = 16;
struct ArgmaxParams {
  const float* logits;
  ArgmaxPart* parts;  // [n_rows][n_parts], pinned host memory
  int32_t n_vocab, n_parts;
};

struct GatherParams {
  const float* from;
  const int32_t* ids;
  float* to;
  int32_t n;
  int32_t reserved;
};

}  // namespace hearth::kernels::hip
