// Attention over KV pages. A block takes one token, one KV head with its query heads, and chunks of
// 64 positions; a chunk gives each head a maximum, a sum and an unnormalized output, and chunks are
// merged in rising order. Decoding gives every chunk its own block, and the block that is done last
// merges; prefill gives a block all chunks of its token. Both do the same arithmetic in the same
// order.
#pragma once

#include "activations.hip.h"
#include "epilogue.hip.h"

namespace hearth::kernels::hip {

#define GPU_ATTENTION_THREADS 512

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
  alignas(16) float scores[kChunk][kGroupHeads];
  float outputs[2 * GPU_ATTENTION_THREADS / kHeadDim][kGroupHeads][kHeadDim];
  float running[kGroupHeads][kHeadDim];
  Softmax softmax[kGroupHeads], chunk_softmax[kGroupHeads];
};

/// n positions of one KV head: a chunk lies in two pages. Rows past the end read the last one, so
/// that loads need no conditions; what comes of them is masked.
struct ChunkView {
  const uint16_t* pages[2];  // K of the head, then its V
  int n;
};

GPU_DEVICE ChunkView view_chunk(const AttentionParams& p, const int32_t* pages, int kv_head,
                                int chunk, int n_visible) {
  const int begin = chunk * kChunk, last = min(begin + kChunk, n_visible) - 1;
  return {{kv_slot(p.pool, p.layer, pages[begin / kPage], kv_head, 0, 0),
           kv_slot(p.pool, p.layer, pages[last / kPage], kv_head, 0, 0)},
          last - begin + 1};
}

/// K or V of position i of the chunk.
template <int kHeadDim>
GPU_DEVICE const uint16_t* kv_row(const ChunkView& c, int i, int is_v) {
  i = min(i, c.n - 1);
  return (i < kPage ? c.pages[0] : c.pages[1]) + (is_v * kPage + i % kPage) * kHeadDim;
}

/// Sums each head's value over kLanes neighbours. Lanes trade heads for lanes at every step, so
/// that eight sums cost little more than one; the order of adding is that of a plain butterfly.
/// Returns how many heads a lane ends up with, the first being head0.
template <int kLanes>
GPU_DEVICE int sum_heads(float (&dot)[kGroupHeads], int lane, int& head0) {
  int n = kGroupHeads;
  head0 = 0;
  GPU_UNROLL for (int mask = kLanes / 2; mask > 0; mask >>= 1) {
    if (n > 1) {
      n /= 2;
      const bool is_upper = lane & mask;
      if (is_upper) head0 += n;
      GPU_UNROLL for (int i = 0; i < n; i++) {
        const float keep = is_upper ? dot[n + i] : dot[i], give = is_upper ? dot[i] : dot[n + i];
        dot[i] = keep + shuffle_xor(give, mask);
      }
    } else {
      dot[0] += shuffle_xor(dot[0], mask);
    }
  }
  return n;
}

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
  const int n = sum_heads<kLanes>(dot, threadIdx.x % kLanes, head0);
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

/// Scores to weights exp(score - maximum); 32 lanes a head.
template <int kHeadDim>
GPU_DEVICE void chunk_softmax(const ChunkView& c, AttentionShared<kHeadDim>& shared) {
  const int thread = late_thread(), head = thread / GPU_LANES, lane = thread % GPU_LANES;
  if (head >= kGroupHeads) return;
  const int n = c.n;
  const float a = lane < n ? shared.scores[lane][head] : -INFINITY;
  const float b = lane + 32 < n ? shared.scores[lane + 32][head] : -INFINITY;
  const float maximum = lanes_max(fmaxf(a, b));
  const float weight_a = lane < n ? expf(a - maximum) : 0.0f;
  const float weight_b = lane + 32 < n ? expf(b - maximum) : 0.0f;
  shared.scores[lane][head] = weight_a, shared.scores[lane + 32][head] = weight_b;
  const float sum = lanes_sum(weight_a + weight_b);
  if (lane == 0) shared.chunk_softmax[head] = {maximum, sum};
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

/// Sums the parts and merges the chunk into the running result.
template <int kHeadDim>
GPU_DEVICE void merge_chunk(bool first, AttentionShared<kHeadDim>& shared) {
  for (int i = late_thread(); i < kGroupHeads * kHeadDim; i += GPU_ATTENTION_THREADS) {
    const int head = i / kHeadDim, dim = i % kHeadDim;
    float output = 0;
    GPU_UNROLL_4 for (int part = 0; part < Values<kHeadDim>::kParts; part++) output +=
        shared.outputs[part][head][dim];
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

/// One block's place in the grid (tokens, KV heads x batches of 8 query heads, parts).
struct AttentionBlock {
  int token, kv_head, head0, n_heads, part, n_chunks;

  GPU_DEVICE AttentionBlock locate(const AttentionParams& p) {
    AttentionBlock b;
    const int group = uniform(p.pool.n_heads / p.pool.n_kv_heads);
    const int batches = (group + kGroupHeads - 1) / kGroupHeads;
    b.token = blockIdx.x;
    b.part = blockIdx.z;
    b.kv_head = uniform(blockIdx.y / batches);
    const int batch = blockIdx.y - b.kv_head * batches;
    b.head0 = b.kv_head * group + batch * kGroupHeads;
    b.n_heads = min(kGroupHeads, group - batch * kGroupHeads);
    b.n_chunks = p.batch.positions[b.token] / kChunk + 1;
    return b;
  }
};

/// Where a head's part lies: maximum, sum, output.
GPU_DEVICE float* part_of(const AttentionParams& p, int token, int head, int part) {
  const int64_t at = (static_cast<int64_t>(token) * p.pool.n_heads + head) * p.n_parts + part;
  return p.parts + at * (p.pool.head_dim + 2);
}

/// Writes the part, and says (to all threads) whether every other part of these heads is there.
template <int kHeadDim>
GPU_DEVICE bool hand_in(const AttentionParams& p, const AttentionBlock& b,
                        const AttentionShared<kHeadDim>& shared, int& is_last) {
  for (int i = threadIdx.x; i < b.n_heads * (kHeadDim + 2); i += GPU_ATTENTION_THREADS) {
    const int head = i / (kHeadDim + 2), at = i % (kHeadDim + 2);
    part_of(p, b.token, b.head0 + head, b.part)[at] = at == 0   ? shared.softmax[head].maximum
                                                      : at == 1 ? shared.softmax[head].sum
                                                                : shared.running[head][at - 2];
  }
  __syncthreads();
  if (threadIdx.x == 0) {  // its fence stands for the block's writes: the barrier came before
    memory_fence();
    uint32_t* arrived = p.arrived + b.token * gridDim.y + blockIdx.y;
    is_last = atomic_add(arrived, 1) == static_cast<uint32_t>(b.n_chunks) - 1;
    if (is_last) *arrived = 0;  // for the next launch
    memory_fence();
  }
  __syncthreads();
  return is_last;
}

/// Four dimensions of a head, all parts merged in order; returns the sum that divides them.
template <int kHeadDim>
GPU_DEVICE float merge_parts(const AttentionParams& p, const AttentionBlock& b, int head, int dim,
                             float (&values)[4]) {
  constexpr int kBatch = GPU_FEW_REGISTERS ? 2 : 4;  // under way together
  const volatile float* parts = part_of(p, b.token, head, 0);
  Softmax softmax = {};
  GPU_NO_UNROLL for (int first = 0; first < b.n_chunks; first += kBatch) {
    float maximum[kBatch], sum[kBatch], output[kBatch][4];
    GPU_UNROLL for (int k = 0; k < kBatch; k++) {
      const volatile float* part = parts + min(first + k, b.n_chunks - 1) * (kHeadDim + 2);
      maximum[k] = part[0], sum[k] = part[1];
      GPU_UNROLL for (int j = 0; j < 4; j++) output[k][j] = part[2 + dim + j];
    }
    GPU_UNROLL for (int k = 0; k < kBatch; k++) {
      if (first + k >= b.n_chunks) continue;
      float scale = 0, scale_part = 1;
      const Softmax part = {maximum[k], sum[k]};
      softmax = first + k == 0 ? part : merge(softmax, part, scale, scale_part);
      GPU_UNROLL for (int j = 0; j < 4; j++) values[j] =
          first + k == 0 ? output[k][j] : fmaf(values[j], scale, output[k][j] * scale_part);
    }
  }
  return softmax.sum;
}

/// Divides by the sum and quantizes for the output projection, if that wants it. A block that has
/// all chunks itself needs no parts.
template <int kHeadDim>
GPU_DEVICE void finish(const AttentionParams& p, const AttentionBlock& b, bool is_alone,
                       const AttentionShared<kHeadDim>& shared) {
  // Lanes past the end go along (with the last head), for quantizing shuffles.
  GPU_NO_UNROLL for (int i = 4 * threadIdx.x; i / 128 * 128 < b.n_heads * kHeadDim;
                     i += 4 * GPU_ATTENTION_THREADS) {
    const bool stores = i < b.n_heads * kHeadDim;
    const int head = min(i / kHeadDim, b.n_heads - 1), dim = i % kHeadDim;
    float values[4], sum;
    if (is_alone) {
      sum = shared.softmax[head].sum;
      GPU_UNROLL for (int j = 0; j < 4; j++) values[j] = shared.running[head][dim + j];
    } else {
      sum = merge_parts<kHeadDim>(p, b, b.head0 + head, dim, values);
    }
    const int col = (b.head0 + head) * kHeadDim + dim;
    float* out = p.out + static_cast<int64_t>(b.token) * p.pool.n_heads * kHeadDim + col;
    const float inverse = 1.0f / sum;
    GPU_UNROLL for (int j = 0; j < 4; j++) {
      values[j] *= inverse;
      if (stores) out[j] = values[j];
    }
    if (p.quantized.q) quantize_group(p.quantized, b.token, col / kGroup, values, stores);
  }
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
  const AttentionBlock b = AttentionBlock::locate(p);
  const int chunk_end = p.n_parts == 1 ? b.n_chunks : min(b.part + 1, b.n_chunks);
  const int n_visible = p.batch.positions[b.token] + 1;
  const int32_t* pages = p.batch.page_ids + p.batch.table_offset[b.token];
  const int first_chunk = min(b.part, b.n_chunks - 1);
  const ChunkView first = view_chunk(p, pages, b.kv_head, first_chunk, n_visible);
  prefetch_chunk<kHeadDim>(first);
  wait_for_previous();
  if (b.part >= chunk_end) return;

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

  GPU_NO_UNROLL for (int chunk = b.part; chunk < chunk_end; chunk++) {
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
    merge_chunk<kHeadDim>(chunk == b.part, shared);
    __syncthreads();
  }
  const bool is_alone = p.n_parts == 1 || b.n_chunks == 1;
  if (is_alone || hand_in<kHeadDim>(p, b, shared, is_last))
    finish<kHeadDim>(p, b, is_alone, shared);
}

}  // namespace hearth::kernels::hip
