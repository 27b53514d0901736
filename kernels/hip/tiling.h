// How the GPU kernels divide matrices and attention: groups, units, tiles and slices of columns,
// chunks of positions, and the layout of quantized activations. The host and the kernels share
// these constants and structs. The host compiler and hipcc or nvcc compile this header, so it has
// fixed-size types and no constructors.
#pragma once

#include <stdint.h>

namespace hearth::kernels::hip {

constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

/// A group is 32 columns; kernels multiply one group at a time. A unit of packed weights is two
/// groups.
inline constexpr int kGroup = 32;
inline constexpr int kUnit = 2 * kGroup;
constexpr int count_units(int n_cols) { return ceil_div(n_cols, kUnit); }
/// Groups of a super-block (256 columns). In formats with super-blocks, activations also have one
/// scale per 256 columns, and the sum over a super-block is an integer, as on the CPU.
inline constexpr int kBlockGroups = 8;
inline constexpr int kBlockUnits = kBlockGroups / 2;
/// Rows of a tile of weights, and tokens of a tile of activations.
inline constexpr int kTileRows = 16;
inline constexpr int kTileTokens = 8;
/// Split-K: a row's units are divided into slices, at most this many and a power of two.
///
///   row = quad 0 + quad 1 + ...     quad = ((slice 0 + slice 1) + slice 2) + slice 3
///
/// Sums are added in ascending order, and the division depends only on the matrix, so a token gets
/// the same bits whichever warp computes which slice. In super-block formats, a slice consists of
/// whole super-blocks; there are fewer slices, which are added one by one, without quads. A share
/// is a warp's part of a row in the GEMV: a quad or, in super-block formats, a slice.
inline constexpr int kMaxSlices = 32;
inline constexpr int kMaxBlockSlices = 8;
inline constexpr int kQuad = 4;
/// The number of units in shared memory if copies to it are asynchronous (has_copies).
inline constexpr int kCopyStages = 3;
/// Split-KV: a chunk is kChunk positions, and a part is kPartChunks chunks. Chunks are merged into
/// parts, and parts into the result, in a fixed order.
inline constexpr int kChunk = 64;
inline constexpr int kPartChunks = 4;
/// Positions of a KV page.
inline constexpr int kPage = 32;
/// Threads of a thread block, for attention in decode and in prefill, and for the norm.
inline constexpr int kDecodeThreads = 512, kPrefillAttentionThreads = 128, kNormThreads = 128;
/// Query rows of a thread block of prefill attention. A query row is one query head of one token.
constexpr int attention_rows(int head_dim) {
  return head_dim == 32 ? 32 : head_dim == 256 ? 8 : 16;
}
/// Buffers for K and V in shared memory: two if copies are asynchronous and there is room,
/// otherwise one, for K and then V.
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

/// Quantized activations in the layout that matmuls read, in tiles of n_slots tokens. In a tile,
/// each group is n_slots x 32 bytes. Column 16h + 4t + j of a group lies at byte 8t + 4h + j, so
/// that the operand of a lane with lane % 4 == t is one 8-byte load.
struct Activations {
  int8_t* q;             // [tile][n_groups][n_slots][32]
  GroupScale* scales;    // [tile][n_groups][n_slots]
  float* f32;            // [n][n_cols], for float weights
  int8_t* half_sums;     // [tile][n_groups / kBlockGroups][n_slots][32], or null: see below
  float* squares;        // [n][squares_stride(n_groups)], of a norm's input: see Norm
  int32_t n_groups;      // even
  int32_t n_slots;       // kTileTokens, or the number of tokens if that is smaller
  int32_t scale_groups;  // groups that share a scale: 1 or kBlockGroups; 0: not quantized yet
  int32_t remainder_at;  // slots from a group to its remainders; 0: no remainders; see below
};

/// Activations::remainder_at: for adapters, the remainders of rounding to int8 are kept, too. A
/// remainder is quantized in steps of 1 / kRemainderSteps of the code's step. The remainders follow
/// q and scales in the same layout, like the tokens of further tiles.
inline constexpr int kRemainderSteps = 254;

/// Activations::half_sums: for each super-block, the sums of its 16 half groups. Prefill multiplies
/// minima by them, also with matrix instructions, so a sum is stored as two int8:
///   sum = kHighSum * high + low
/// The 16 sums have the layout of a group of q: the low bytes are its first half, the high bytes
/// its second half.
inline constexpr int kHighSum = 64;

/// Activations::squares: sums of squares over every eight groups; a token's row is padded with
/// zeros to a multiple of 16 bytes.
constexpr int count_eights(int n_groups) { return (n_groups + kBlockGroups - 1) / kBlockGroups; }
constexpr int squares_stride(int n_groups) { return (count_eights(n_groups) + 3) / 4 * 4; }

/// The groups for which a thread block has room when it stages a token of n_groups in shared
/// memory.
constexpr int staged_groups(int n_groups) { return count_eights(n_groups) * kBlockGroups; }

/// The decode kernels' sums in shared memory (BlockSums). The stride of a row is odd, so that rows
/// are in different banks. After the last addend there is room for kSpareAddends more, which
/// kernels may read.
constexpr int sum_stride(int n_tokens) { return n_tokens | 1; }
inline constexpr int kSpareAddends = kQuad - 1;
constexpr int spare_bytes(int n_tokens) {
  return kSpareAddends * kTileRows * sum_stride(n_tokens) * 4;
}

}  // namespace hearth::kernels::hip
