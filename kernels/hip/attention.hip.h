// Attention over KV pages. A block takes one token, one KV head with its query heads, and chunks of 64
// positions; a chunk gives each head a maximum, a sum and an unnormalized output, and chunks are merged
// in rising order. Decoding gives every chunk its own block and merges in a second kernel; prefill gives
// a block all chunks of its token. Both do the same arithmetic in the same order.
#pragma once

#include "activations.hip.h"
#include "epilogue.hip.h"

namespace hearth::kernels::hip {

#define GPU_ATTENTION_THREADS 256

/// What chunks so far add up to, scaled by exp(-maximum).
struct Softmax {
  float maximum, sum;
};

/// Factors that bring the running result and the next chunk's to a common maximum.
GPU_DEVICE Softmax merge(const Softmax& a, const Softmax& b, float& scale_a, float& scale_b) {
  const float maximum = fmaxf(a.maximum, b.maximum);
  scale_a = expf(a.maximum - maximum);
  scale_b = expf(b.maximum - maximum);
  return {maximum, fmaf(a.sum, scale_a, b.sum * scale_b)};
}

template <int kHeadDim>
struct AttentionShared {
  float scores[kGroupHeads][kChunk];
  float outputs[512 / kHeadDim][kGroupHeads][kHeadDim];
  float running[kGroupHeads][kHeadDim];
  Softmax softmax[kGroupHeads], chunk_softmax[kGroupHeads];
};

struct ChunkView {
  const int32_t* pages;
  const KvPool* pool;
  int layer, kv_head, begin, end;  // positions
};

GPU_DEVICE const uint16_t* kv_row(const ChunkView& c, int position, int is_v) {
  return kv_slot(*c.pool, c.layer, c.pages[position / kPage], c.kv_head, is_v, position % kPage);
}

/// scores[head][i] = q . k: kHeadDim / 8 lanes a position, 8 dimensions a lane (one 16-byte load).
template <int kHeadDim>
GPU_DEVICE void chunk_scores(const ChunkView& c, const float* q, int n_heads, float scale,
                             AttentionShared<kHeadDim>& shared) {
  constexpr int kLanes = kHeadDim / 8;
  const int part = threadIdx.x % kLanes;
  float query[kGroupHeads][8];
  GPU_UNROLL for (int head = 0; head < kGroupHeads; head++) GPU_UNROLL for (int j = 0; j < 8; j++)
      query[head][j] = head < n_heads ? q[head * kHeadDim + 8 * part + j] : 0.0f;
  for (int i = threadIdx.x / kLanes; i < kChunk; i += GPU_ATTENTION_THREADS / kLanes) {
    const bool visible = c.begin + i < c.end;
    uint4 bits = {0, 0, 0, 0};
    if (visible) bits = reinterpret_cast<const uint4*>(kv_row(c, c.begin + i, 0))[part];
    const uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
    float dot[kGroupHeads] = {};
    GPU_UNROLL for (int j = 0; j < 8; j++) {
      const float k = half_to_float(words[j / 2] >> 16 * (j % 2) & 0xffff);
      GPU_UNROLL for (int head = 0; head < kGroupHeads; head++)
        dot[head] = fmaf(query[head][j], k, dot[head]);
    }
    GPU_UNROLL for (int head = 0; head < kGroupHeads; head++) {
      GPU_UNROLL for (int mask = kLanes / 2; mask > 0; mask >>= 1)
        dot[head] += shuffle_xor(dot[head], mask);
      if (part == 0 && visible) shared.scores[head][i] = dot[head] * scale;
    }
  }
}

/// Scores to weights exp(score - maximum); 32 lanes a head.
template <int kHeadDim>
GPU_DEVICE void chunk_softmax(const ChunkView& c, AttentionShared<kHeadDim>& shared) {
  const int head = threadIdx.x / GPU_LANES, lane = threadIdx.x % GPU_LANES;
  float* scores = shared.scores[head];
  const int n = c.end - c.begin;
  const float a = lane < n ? scores[lane] : -INFINITY;
  const float b = lane + 32 < n ? scores[lane + 32] : -INFINITY;
  const float maximum = lanes_max(fmaxf(a, b));
  const float weight_a = lane < n ? expf(a - maximum) : 0.0f;
  const float weight_b = lane + 32 < n ? expf(b - maximum) : 0.0f;
  scores[lane] = weight_a, scores[lane + 32] = weight_b;
  const float sum = lanes_sum(weight_a + weight_b);
  if (lane == 0) shared.chunk_softmax[head] = {maximum, sum};
}

/// outputs[part][head][i] = sum of weight * v over every kParts-th position; two dimensions a thread.
template <int kHeadDim>
GPU_DEVICE void chunk_outputs(const ChunkView& c, AttentionShared<kHeadDim>& shared) {
  constexpr int kParts = 512 / kHeadDim;
  const int pair = threadIdx.x % (kHeadDim / 2), part = threadIdx.x / (kHeadDim / 2);
  float output[kGroupHeads][2] = {};
  GPU_UNROLL for (int step = 0; step < kChunk / kParts; step++) {
    const int i = part + step * kParts;
    if (c.begin + i >= c.end) continue;
    const uint32_t bits = reinterpret_cast<const uint32_t*>(kv_row(c, c.begin + i, 1))[pair];
    const float v[2] = {half_to_float(bits & 0xffff), half_to_float(bits >> 16)};
    GPU_UNROLL for (int head = 0; head < kGroupHeads; head++) GPU_UNROLL for (int j = 0; j < 2; j++)
        output[head][j] = fmaf(shared.scores[head][i], v[j], output[head][j]);
  }
  GPU_UNROLL for (int head = 0; head < kGroupHeads; head++) GPU_UNROLL for (int j = 0; j < 2; j++)
      shared.outputs[part][head][2 * pair + j] = output[head][j];
}

/// Sums the parts and merges the chunk into the running result.
template <int kHeadDim>
GPU_DEVICE void merge_chunk(bool first, AttentionShared<kHeadDim>& shared) {
  for (int i = threadIdx.x; i < kGroupHeads * kHeadDim; i += GPU_ATTENTION_THREADS) {
    const int head = i / kHeadDim, dim = i % kHeadDim;
    float output = 0;
    for (int part = 0; part < 512 / kHeadDim; part++) output += shared.outputs[part][head][dim];
    float scale_running = 0, scale_chunk = 1;
    if (!first) {
      merge(shared.softmax[head], shared.chunk_softmax[head], scale_running, scale_chunk);
      output = fmaf(shared.running[head][dim], scale_running, output * scale_chunk);
    }
    shared.running[head][dim] = output;
  }
  __syncthreads();
  if (threadIdx.x < kGroupHeads) {
    const Softmax chunk = shared.chunk_softmax[threadIdx.x];
    float unused[2];
    shared.softmax[threadIdx.x] =
        first ? chunk : merge(shared.softmax[threadIdx.x], chunk, unused[0], unused[1]);
  }
}

/// Grid (tokens, KV heads x batches of 8 query heads, parts).
template <int kHeadDim>
GPU_DEVICE void attention(const AttentionParams& p) {
  __shared__ AttentionShared<kHeadDim> shared;
  wait_for_previous();
  let_next_start();
  const int token = blockIdx.x, part = blockIdx.z;
  const int group = p.pool.n_heads / p.pool.n_kv_heads;
  const int batches = (group + kGroupHeads - 1) / kGroupHeads;
  const int kv_head = blockIdx.y / batches, batch = blockIdx.y % batches;
  const int head0 = kv_head * group + batch * kGroupHeads;
  const int n_heads = min(kGroupHeads, group - batch * kGroupHeads);
  const int n_visible = p.batch.positions[token] + 1;
  const int n_chunks = (n_visible + kChunk - 1) / kChunk;
  const int chunk_end = p.n_parts == 1 ? n_chunks : min(part + 1, n_chunks);
  if (part >= chunk_end) return;

  ChunkView c = {p.batch.page_ids + p.batch.table_offset[token], &p.pool, p.layer, kv_head, 0, 0};
  const float* q =
      p.q + (static_cast<int64_t>(token) * p.pool.n_heads + head0) * kHeadDim;
  for (int chunk = part; chunk < chunk_end; chunk++) {
    c.begin = chunk * kChunk, c.end = min(c.begin + kChunk, n_visible);
    chunk_scores<kHeadDim>(c, q, n_heads, p.scale, shared);
    __syncthreads();
    chunk_softmax<kHeadDim>(c, shared);
    __syncthreads();
    chunk_outputs<kHeadDim>(c, shared);
    __syncthreads();
    merge_chunk<kHeadDim>(chunk == part, shared);
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n_heads * (kHeadDim + 2); i += GPU_ATTENTION_THREADS) {
    const int head = i / (kHeadDim + 2), at = i % (kHeadDim + 2);
    float* to = p.parts + ((static_cast<int64_t>(token) * p.pool.n_heads + head0 + head) *
                               p.n_parts + part) * (kHeadDim + 2);
    to[at] = at == 0   ? shared.softmax[head].maximum
             : at == 1 ? shared.softmax[head].sum
                       : shared.running[head][at - 2];
  }
}

/// Merges a token's parts and quantizes the result for the output projection. Grid (tokens, blocks of
/// 256 columns).
GPU_DEVICE void merge_parts(const MergeParams& p) {
  wait_for_previous();
  let_next_start();
  const int token = blockIdx.x, col = blockIdx.y * blockDim.x + threadIdx.x;
  const int n_cols = p.n_heads * p.head_dim;
  const int n_chunks = p.positions[token] / kChunk + 1;
  const int n_parts = p.n_parts == 1 ? 1 : n_chunks;
  if (col / kGroup >= p.quantized.n_groups) return;
  float value = 0;
  if (col < n_cols) {
    const int stride = p.head_dim + 2, head = col / p.head_dim, dim = col % p.head_dim;
    const float* part =
        p.parts + (static_cast<int64_t>(token) * p.n_heads + head) * p.n_parts * stride;
    Softmax softmax = {part[0], part[1]};
    value = part[2 + dim];
    for (int i = 1; i < n_parts; i++) {
      part += stride;
      float scale, scale_part;
      softmax = merge(softmax, {part[0], part[1]}, scale, scale_part);
      value = fmaf(value, scale, part[2 + dim] * scale_part);
    }
    value /= softmax.sum;
    p.out[static_cast<int64_t>(token) * n_cols + col] = value;
  }
  quantize_group(p.quantized, token, col / kGroup, value);
}

}  // namespace hearth::kernels::hip
