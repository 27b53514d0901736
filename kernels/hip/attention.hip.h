// Attention over KV pages, for many tokens. A block takes one token, one KV head with up to eight
// of its query heads, and chunks one after the other: those of a part, or all.
#pragma once

#include "attention_parts.hip.h"

namespace hearth::kernels::hip {

/// A thread's share of the heads' outputs, of the part so far.
template <int kHeadDim>
struct PartOutputs {
  static constexpr int kAll = kGroupHeads * kHeadDim;
  static constexpr int kEach = (kAll + GPU_ATTENTION_THREADS - 1) / GPU_ATTENTION_THREADS;
  float output[kEach];
};

template <int kHeadDim>
struct AttentionShared {
  alignas(16) float scores[kChunk][kGroupHeads];
  // In floats: a thread adds up two dimensions of some positions.
  float outputs[2 * GPU_ATTENTION_THREADS / kHeadDim][kGroupHeads][kHeadDim];
  float total[kGroupHeads][kHeadDim];  // of all parts so far
  // Of the threads, where there are no registers for them.
  PartOutputs<kHeadDim> parts[GPU_FEW_REGISTERS ? GPU_ATTENTION_THREADS : 1];
  Softmax chunk_softmax[kGroupHeads], part_softmax[kGroupHeads], total_softmax[kGroupHeads];
};

/// The scores of position i, whose key's part this lane has.
template <int kHeadDim>
GPU_DEVICE void score_key(const ChunkView& c, int i, const uint4& key,
                          const float (&query)[kGroupHeads][8], float scale,
                          AttentionShared<kHeadDim>& shared) {
  constexpr int kLanes = kHeadDim / 8;
  const uint32_t words[4] = {key.x, key.y, key.z, key.w};
  float dot[kGroupHeads] = {};
  GPU_UNROLL for (int j = 0; j < 8; j++) {
    const float k = half_to_float(words[j / 2] >> 16 * (j % 2) & 0xffff);
    GPU_UNROLL for (int head = 0; head < kGroupHeads; head++) dot[head] =
        fmaf(query[head][j], k, dot[head]);
  }
  int head0;
  const int n = sum_lanes<kLanes>(dot, threadIdx.x % kLanes, head0);
  if (i < c.n)
    GPU_UNROLL for (int j = 0; j < kGroupHeads; j++) if (j < n) shared.scores[i][head0 + j] =
        dot[j] * scale;
}

/// scores[head][i] = q . k: kHeadDim / 8 lanes a position, 8 dimensions a lane (one 16-byte load).
template <int kHeadDim>
GPU_DEVICE void chunk_scores(const ChunkView& c, const float (&query)[kGroupHeads][8], float scale,
                             AttentionShared<kHeadDim>& shared) {
  constexpr int kLanes = kHeadDim / 8, kStep = GPU_ATTENTION_THREADS / kLanes;
  constexpr int kSteps = (kChunk + kStep - 1) / kStep;
  const int thread = late_thread(), part = thread % kLanes, first = thread / kLanes;
  const auto load = [&](int i) {
    return reinterpret_cast<const uint4*>(kv_row<kHeadDim>(c, i, 0))[part];
  };
  if constexpr (GPU_FEW_REGISTERS) {
    GPU_NO_UNROLL for (int i = first; i < kChunk; i += kStep)
        score_key<kHeadDim>(c, i, load(i), query, scale, shared);
    return;
  }
  uint4 keys[kSteps];  // all loads before the first use
  GPU_UNROLL for (int step = 0; step < kSteps; step++) keys[step] = load(first + step * kStep);
  GPU_UNROLL for (int step = 0; step < kSteps; step++)
      score_key<kHeadDim>(c, first + step * kStep, keys[step], query, scale, shared);
}

/// Scores to weights; 32 lanes a head.
template <int kHeadDim>
GPU_DEVICE void chunk_softmax(const ChunkView& c, AttentionShared<kHeadDim>& shared) {
  const int thread = late_thread(), head = thread / GPU_LANES, lane = thread % GPU_LANES;
  if (head >= kGroupHeads) return;
  float *low = &shared.scores[lane][head], *high = &shared.scores[lane + 32][head];
  const Softmax softmax = weigh_chunk(*low, *high, lane, c.n);
  if (lane == 0) shared.chunk_softmax[head] = softmax;
}

/// A thread's part of V: two dimensions of every kParts-th position.
template <int kHeadDim>
struct Values {
  static constexpr int kParts = 2 * GPU_ATTENTION_THREADS / kHeadDim;
  static constexpr int kSteps = kChunk / kParts;
  uint32_t bits[kSteps];

  GPU_DEVICE void load(Values& v, const ChunkView& c) {
    const int thread = late_thread();
    const int pair = thread % (kHeadDim / 2), part = thread / (kHeadDim / 2);
    GPU_UNROLL for (int step = 0; step < kSteps; step++) {
      const int i = part + step * kParts;
      v.bits[step] = reinterpret_cast<const uint32_t*>(kv_row<kHeadDim>(c, i, 1))[pair];
    }
  }
};

/// outputs[part][head][i] = sum of weight * v over the part's positions. Weights past the end are
/// zero.
template <int kHeadDim>
GPU_DEVICE void chunk_outputs(const Values<kHeadDim>& values, AttentionShared<kHeadDim>& shared) {
  using V = Values<kHeadDim>;
  const int thread = late_thread();
  const int pair = thread % (kHeadDim / 2), part = thread / (kHeadDim / 2);
  float output[kGroupHeads][2] = {};
  GPU_UNROLL for (int step = 0; step < V::kSteps; step++) {
    const uint32_t bits = values.bits[step];
    const float v[2] = {half_to_float(bits & 0xffff), half_to_float(bits >> 16)};
    const float4* weights = reinterpret_cast<const float4*>(shared.scores[part + step * V::kParts]);
    GPU_UNROLL for (int head = 0; head < kGroupHeads; head += 4) {
      const float4 w = weights[head / 4];
      GPU_UNROLL for (int j = 0; j < 2; j++) {
        output[head][j] = fmaf(w.x, v[j], output[head][j]);
        output[head + 1][j] = fmaf(w.y, v[j], output[head + 1][j]);
        output[head + 2][j] = fmaf(w.z, v[j], output[head + 2][j]);
        output[head + 3][j] = fmaf(w.w, v[j], output[head + 3][j]);
      }
    }
  }
  GPU_UNROLL for (int head = 0; head < kGroupHeads; head++) GPU_UNROLL for (int j = 0; j < 2; j++)
      shared.outputs[part][head][2 * pair + j] = output[head][j];
}

/// Adds to a running softmax of each head, after all threads have used it.
GPU_DEVICE void merge_softmax(bool is_first, Softmax (&to)[kGroupHeads],
                              const Softmax (&next)[kGroupHeads]) {
  __syncthreads();
  const int head = threadIdx.x;
  float unused[2];
  if (head < kGroupHeads)
    to[head] = is_first ? next[head] : merge(to[head], next[head], unused[0], unused[1]);
  __syncthreads();
}

/// Sums what a chunk's threads have added up and merges it into the part.
template <int kHeadDim>
GPU_DEVICE void merge_chunk(bool is_first, PartOutputs<kHeadDim>& part,
                            AttentionShared<kHeadDim>& shared) {
  using Part = PartOutputs<kHeadDim>;
  GPU_UNROLL for (int k = 0; k < Part::kEach; k++) {
    const int i = late_thread() + k * GPU_ATTENTION_THREADS;
    if (i >= Part::kAll) continue;
    const int head = i / kHeadDim, dim = i % kHeadDim;
    float output = 0, scale_part, scale_chunk;
    GPU_UNROLL_4 for (int n = 0; n < Values<kHeadDim>::kParts; n++) output +=
        shared.outputs[n][head][dim];
    if (!is_first) {
      merge(shared.part_softmax[head], shared.chunk_softmax[head], scale_part, scale_chunk);
      output = fmaf(part.output[k], scale_part, output * scale_chunk);
    }
    part.output[k] = output;
  }
  merge_softmax(is_first, shared.part_softmax, shared.chunk_softmax);
}

template <int kHeadDim>
GPU_DEVICE void merge_part(bool is_first, const PartOutputs<kHeadDim>& part,
                           AttentionShared<kHeadDim>& shared) {
  using Part = PartOutputs<kHeadDim>;
  GPU_UNROLL for (int k = 0; k < Part::kEach; k++) {
    const int i = late_thread() + k * GPU_ATTENTION_THREADS;
    if (i >= Part::kAll) continue;
    const int head = i / kHeadDim, dim = i % kHeadDim;
    float output = part.output[k], scale_total, scale_part;
    if (!is_first) {
      merge(shared.total_softmax[head], shared.part_softmax[head], scale_total, scale_part);
      output = fmaf(shared.total[head][dim], scale_total, output * scale_part);
    }
    shared.total[head][dim] = output;
  }
  merge_softmax(is_first, shared.total_softmax, shared.part_softmax);
}

/// K and V of a chunk to the second-level cache: all but the newest position have long been there.
template <int kHeadDim>
GPU_DEVICE void prefetch_chunk(const ChunkView& c) {
  constexpr int kLines = (2 * kHeadDim + 127) / 128;  // of a row
  const int thread = late_thread(), i = thread / (2 * kLines), at = thread % (2 * kLines);
  if (i < c.n) prefetch(kv_row<kHeadDim>(c, i, at / kLines) + at % kLines * 64);
}

template <int kHeadDim>
GPU_DEVICE void attention(const AttentionParams& p) {
  __shared__ AttentionShared<kHeadDim> shared;
  __shared__ int is_last;
  let_next_start();
  // What belongs to the batch was there before the step's first kernel began.
  const AttentionBlock b = AttentionBlock::locate<kGroupHeads>(p);
  const int chunk_begin = b.part * kPartChunks;
  const int chunk_end = p.n_parts == 1 ? b.n_chunks : min(chunk_begin + kPartChunks, b.n_chunks);
  const int n_visible = p.batch.positions[b.token] + 1;
  const int32_t* pages = p.batch.page_ids + p.batch.table_offset[b.token];
  const int first_chunk = min(chunk_begin, b.n_chunks - 1);
  const ChunkView first = view_chunk(p, pages, b.kv_head, first_chunk, n_visible);
  prefetch_chunk<kHeadDim>(first);
  wait_for_previous();
  if (chunk_begin >= chunk_end) return;

  const int lane = threadIdx.x % (kHeadDim / 8);
  const float* q = p.q + (static_cast<int64_t>(b.token) * p.pool.n_heads + b.head0) * kHeadDim;
  float query[kGroupHeads][8];  // heads that are not there go along as the last one
  GPU_UNROLL for (int head = 0; head < kGroupHeads; head++)
      GPU_UNROLL for (int j = 0; j < 8; j += 4) {
    const float* from = q + min(head, b.n_heads - 1) * kHeadDim + 8 * lane + j;
    const float4 v = *reinterpret_cast<const float4*>(from);
    query[head][j] = v.x, query[head][j + 1] = v.y;
    query[head][j + 2] = v.z, query[head][j + 3] = v.w;
  }

  PartOutputs<kHeadDim> own;
  PartOutputs<kHeadDim>& part = GPU_FEW_REGISTERS ? shared.parts[threadIdx.x] : own;
  GPU_NO_UNROLL for (int chunk = chunk_begin; chunk < chunk_end; chunk++) {
    const bool is_first = !GPU_FEW_REGISTERS && chunk == first_chunk;
    const ChunkView c = is_first ? first : view_chunk(p, pages, b.kv_head, chunk, n_visible);
    Values<kHeadDim> values;
    if (!GPU_FEW_REGISTERS) Values<kHeadDim>::load(values, c);
    chunk_scores<kHeadDim>(c, query, p.scale, shared);
    if (GPU_FEW_REGISTERS) Values<kHeadDim>::load(values, c);
    __syncthreads();
    chunk_softmax<kHeadDim>(c, shared);
    __syncthreads();
    chunk_outputs<kHeadDim>(values, shared);
    __syncthreads();
    merge_chunk<kHeadDim>(chunk % kPartChunks == 0, part, shared);
    if (chunk % kPartChunks == kPartChunks - 1 || chunk + 1 == chunk_end)
      merge_part<kHeadDim>(chunk - chunk_begin < kPartChunks, part, shared);
  }
  const int i = 4 * late_thread(), head = min(i / kHeadDim, kGroupHeads - 1), dim = i % kHeadDim;
  const float* total = shared.total[head] + dim;
  const HeadResult mine = {shared.total_softmax[head], {total[0], total[1], total[2], total[3]}};
  finish<kHeadDim>(p, b, p.n_parts == 1 || b.n_parts == 1, mine, is_last);
}

}  // namespace hearth::kernels::hip
