// Attention for decode (plain::attention), where latency counts, and for somewhat larger batches
// whose prefill thread blocks would leave much of the GPU idle. A thread block takes one query head
// of one token and one part of its positions; each of the part's four chunks has 128 threads:
//
//   scores = q K^T                    decode_scores(): several lanes share a position
//   weights = exp(score - maximum)    weigh_chunk(): one warp of the 128 threads
//   outputs = weights V               decode_outputs(): each thread takes some positions
//   merge the four chunks; the last thread block to finish merges the parts
//
// The arithmetic is that of attention.hip.h, in the same order.
#pragma once

#include "attention_parts.hip.h"

namespace hearth::kernels::hip {

/// The division of K and V among a chunk's 128 threads: a row of kLanes threads takes one position,
/// each thread eight of its dimensions; at each step, the kRows rows take the next kRows positions.
template <int kHeadDim>
struct ChunkRows {
  static constexpr int kThreads = kDecodeThreads / kPartChunks;
  static constexpr int kLanes = kHeadDim / 8, kRows = kThreads / kLanes;
  static constexpr int kSteps = kChunk / kRows;
};

template <int kHeadDim>
struct DecodeShared {
  alignas(16) float scores[kPartChunks][kChunk];
  alignas(16) float outputs[kPartChunks][ChunkRows<kHeadDim>::kRows][kHeadDim];
  alignas(16) float sums[kPartChunks][kHeadDim];  // a chunk's output, summed over rows of threads
  Softmax softmax[kPartChunks];
};

/// Loads K (is_v = 0) or V (1) of the thread's positions, from position `first` of the chunk on.
template <int kHeadDim>
GPU_DEVICE void load_rows(uint4 (&to)[ChunkRows<kHeadDim>::kSteps], const ChunkView& c, int row,
                          int lane, int is_v, int first = 0) {
  using Rows = ChunkRows<kHeadDim>;
  GPU_UNROLL for (int step = 0; step < Rows::kSteps; step++) {
    if (row + step * Rows::kRows < first) continue;
    const uint16_t* from = kv_row<kHeadDim>(c, row + step * Rows::kRows, is_v);
    to[step] = reinterpret_cast<const uint4*>(from)[lane];
  }
}

/// A thread multiplies its positions in two iterations of a loop, or, with many thread blocks
/// (kMany), in one. Two iterations halve the code, which is fetched faster; but they take more
/// registers, which lowers occupancy. Registers cannot be indexed at run time, so next() moves the
/// rows of the second iteration to the registers of the first.
template <int kHeadDim, bool kMany>
struct RowTurns {
  static constexpr int kSteps = ChunkRows<kHeadDim>::kSteps, kTurns = kSteps > 4 && !kMany ? 2 : 1;
  static constexpr int kAtOnce = kSteps / kTurns;

  GPU_DEVICE void next(uint4 (&rows)[kSteps]) {
    GPU_UNROLL for (int i = kAtOnce; i < kSteps; i++) rows[i - kAtOnce] = rows[i];
  }
  template <class Turn>
  GPU_DEVICE void run(const Turn& turn) {
    if constexpr (kTurns == 1)
      turn();
    else
      GPU_NO_UNROLL for (int i = 0; i < kTurns; i++) turn();
  }
};

template <int kHeadDim, bool kMany>
GPU_DEVICE void decode_scores(uint4 (&keys)[ChunkRows<kHeadDim>::kSteps], const float* q, int row,
                              int lane, float scale, float* scores) {
  using Rows = ChunkRows<kHeadDim>;
  using Turns = RowTurns<kHeadDim, kMany>;
  const float4 low = reinterpret_cast<const float4*>(q)[2 * lane];
  const float4 high = reinterpret_cast<const float4*>(q)[2 * lane + 1];
  const float query[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  // Each iteration moves the earlier dot products down by kAtOnce and appends its own.
  float dots[Rows::kSteps] = {};
  Turns::run([&]() GPU_INLINE {
    GPU_UNROLL for (int i = 0; i < Rows::kSteps; i++) {
      const bool is_earlier = i < Rows::kSteps - Turns::kAtOnce;
      dots[i] = is_earlier ? dots[i + Turns::kAtOnce] : 0;
    }
    GPU_UNROLL for (int i = 0; i < Turns::kAtOnce; i++) {
      float& dot = dots[Rows::kSteps - Turns::kAtOnce + i];
      GPU_UNROLL for (int j = 0; j < 8; j++) dot = fmaf(query[j], dimension(keys[i], j), dot);
    }
    Turns::next(keys);
  });
  int first;  // if kSteps is kLanes / 2, two lanes end up with the same sum, and both store it
  sum_lanes<Rows::kLanes>(dots, lane, first);
  scores[row + first * Rows::kRows] = dots[0] * scale;
}

template <int kHeadDim, bool kMany>
GPU_DEVICE void decode_outputs(uint4 (&values)[ChunkRows<kHeadDim>::kSteps], const float* weights,
                               int row, int lane, float* outputs) {
  using Rows = ChunkRows<kHeadDim>;
  using Turns = RowTurns<kHeadDim, kMany>;
  float output[8] = {};
  weights += row;
  Turns::run([&]() GPU_INLINE {
    GPU_UNROLL for (int i = 0; i < Turns::kAtOnce; i++) {
      const float weight = weights[i * Rows::kRows];
      GPU_UNROLL for (int j = 0; j < 8; j++) output[j] =
          fmaf(weight, dimension(values[i], j), output[j]);
    }
    Turns::next(values);
    weights += Turns::kAtOnce * Rows::kRows;
  });
  float4* to = reinterpret_cast<float4*>(outputs + row * kHeadDim + 8 * lane);
  to[0] = {output[0], output[1], output[2], output[3]};
  to[1] = {output[4], output[5], output[6], output[7]};
}

/// Grid (tokens, heads, parts). kMany: for more thread blocks than compute units.
template <int kHeadDim, bool kMany>
GPU_DEVICE void decode_attention(const AttentionParams& p) {
  __shared__ DecodeShared<kHeadDim> shared;
  __shared__ int is_last;
  using Rows = ChunkRows<kHeadDim>;
  let_next_start();
  // The batch can be read before wait_for_previous(): it was complete before any kernel but the
  // first could start.
  const AttentionBlock b = AttentionBlock::locate(p);
  const int chunk_of_part = threadIdx.x / Rows::kThreads, thread = threadIdx.x % Rows::kThreads;
  const int row = thread / Rows::kLanes, lane = thread % Rows::kLanes;
  const int n_chunks = min(b.n_chunks - b.part * kPartChunks, kPartChunks);
  const int first_chunk = max(b.first / kChunk - b.part * kPartChunks, 0);
  const bool has_chunk = chunk_of_part >= first_chunk && chunk_of_part < n_chunks;
  const int32_t* pages = p.batch.page_ids + p.batch.table_offset[b.token];
  const int chunk = min(b.part * kPartChunks + chunk_of_part, b.n_chunks - 1);
  const ChunkView c = view_chunk(p, pages, b.kv_head, chunk, p.batch.positions[b.token] + 1);
  // Earlier steps stored K of all positions but the batch's own, so it can be loaded before
  // wait_for_previous(). The batch's own positions are loaded again below.
  uint4 kv[Rows::kSteps];
  load_rows<kHeadDim>(kv, c, row, lane, 0);
  // Meanwhile V goes to the L2 cache, with one prefetch per 128 bytes; the registers hold K until
  // the scores are done.
  if (has_chunk && lane % 8 == 0)
    GPU_NO_UNROLL for (int i = row; i < c.n; i += Rows::kRows)
        prefetch(kv_row<kHeadDim>(c, i, 1) + 8 * lane);
  const int first_own = compute_now(p.batch.positions[b.token] + 1 - p.n_tokens - chunk * kChunk);
  wait_for_previous();
  // The grid has p.n_parts parts. This token may have fewer, and its window may exclude the first.
  if (n_chunks <= first_chunk) return;

  const float* q = p.q + (static_cast<int64_t>(b.token) * p.pool.n_heads + b.head) * kHeadDim;
  if (has_chunk) {
    load_rows<kHeadDim>(kv, c, row, lane, 0, first_own);
    decode_scores<kHeadDim, kMany>(kv, q, row, lane, p.scale, shared.scores[chunk_of_part]);
    load_rows<kHeadDim>(kv, c, row, lane, 1);
  }
  __syncthreads();
  if (has_chunk && thread < GPU_LANES) {
    float* scores = shared.scores[chunk_of_part];
    const Softmax softmax =
        weigh_chunk(scores[thread], scores[thread + 32], thread, b.first - chunk * kChunk, c.n);
    if (thread == 0) shared.softmax[chunk_of_part] = softmax;
  }
  __syncthreads();
  if (has_chunk)
    decode_outputs<kHeadDim, kMany>(kv, shared.scores[chunk_of_part], row, lane,
                                    shared.outputs[chunk_of_part][0]);
  __syncthreads();
  if (has_chunk) GPU_NO_UNROLL for (int dim = thread; dim < kHeadDim; dim += Rows::kThreads) {
      float sum = 0;
      GPU_UNROLL for (int i = 0; i < Rows::kRows; i++) sum += shared.outputs[chunk_of_part][i][dim];
      shared.sums[chunk_of_part][dim] = sum;
    }
  __syncthreads();
  HeadResult mine = {};
  const int dim = 4 * threadIdx.x % kHeadDim;
  GPU_NO_UNROLL for (int i = first_chunk; i < n_chunks; i++) {
    const float4 v = *reinterpret_cast<const float4*>(shared.sums[i] + dim);
    const HeadResult next = {shared.softmax[i], {v.x, v.y, v.z, v.w}};
    if (i == first_chunk)
      mine = next;
    else
      mine.add(next);
  }
  const bool stores = 4 * threadIdx.x < kHeadDim;
  const int n_parts = b.n_parts - b.first_part();
  if (n_parts > 1) {  // the thread block that finishes last merges
    if (stores) store_part(p, b.token, b.head, b.part, dim, mine);
    if (!arrives_last(p, n_parts, is_last)) return;
  }
  // Whole warps leave; lanes past the head's dimensions stay, since quantizing shuffles over the
  // warp.
  if (threadIdx.x / GPU_LANES * GPU_LANES * 4 >= kHeadDim) return;
  if (n_parts > 1) mine = merge_parts(p, b.token, b.head, b.first_part(), b.n_parts, dim);
  store_head<kHeadDim>(p, b.token, b.head, dim, mine, stores);
}

}  // namespace hearth::kernels::hip
