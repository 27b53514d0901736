// The common part of both attention kernels: split-KV with online softmax. A chunk of 64 positions
// gives a maximum, a sum and an unnormalized output. Chunks are merged in ascending order into
// parts of four, and parts in ascending order into the result. The order does not depend on the
// division of parts among thread blocks, and neither do the bits.
#pragma once

#include "activations.hip.h"
#include "epilogue.hip.h"

namespace hearth::kernels::hip {

/// The running maximum of scores, and the sum of exp(score - maximum).
struct Softmax {
  float maximum, sum;
};

/// Merges the softmaxes of two ranges; scale_a and scale_b are the factors of their outputs.
GPU_DEVICE Softmax merge(const Softmax& a, const Softmax& b, float& scale_a, float& scale_b) {
  const float maximum = fmaxf(a.maximum, b.maximum);
  scale_a = expf(a.maximum - maximum);
  scale_b = expf(b.maximum - maximum);
  return {maximum, fmaf(a.sum, scale_a, b.sum * scale_b)};
}

/// A chunk of one KV head: n positions in two pages. A read past the end returns the last position,
/// so that loads need no conditions; the scores of such positions are masked.
struct ChunkView {
  const uint16_t* pages[2];  // each: K of the head, then its V
  int n;
};

GPU_DEVICE ChunkView view_chunk(const AttentionParams& p, const int32_t* pages, int kv_head,
                                int chunk, int n_visible) {
  const int begin = chunk * kChunk, last = min(begin + kChunk, n_visible) - 1;
  return {{kv_slot(p.pool, p.layer, pages[begin / kPage], kv_head, 0, 0),
           kv_slot(p.pool, p.layer, pages[last / kPage], kv_head, 0, 0)},
          last - begin + 1};
}

/// The K or V of position i of the chunk.
template <int kHeadDim>
GPU_DEVICE const uint16_t* kv_row(const ChunkView& c, int i, int is_v) {
  i = min(i, c.n - 1);
  return (i < kPage ? c.pages[0] : c.pages[1]) + (is_v * kPage + i % kPage) * kHeadDim;
}

/// Value j of eight f16.
GPU_DEVICE float dimension(const uint4& eight, int j) {
  const uint32_t words[4] = {eight.x, eight.y, eight.z, eight.w};
  return half_to_float(words[j / 2] >> 16 * (j % 2) & 0xffff);
}

/// Sums each of kValues values over kLanes neighbouring lanes, as a transposing reduction: at every
/// step a lane passes half of its values on, so that eight sums cost little more than one. The
/// order of addition is that of a plain butterfly. The lane ends up with the sum of value `first`;
/// if there are more values than lanes, with kValues / kLanes sums, of values `first`, first + 1,
/// ...
template <int kLanes, int kValues>
GPU_DEVICE void sum_lanes(float (&value)[kValues], int lane, int& first) {
  int n = kValues;
  first = 0;
  GPU_UNROLL for (int mask = kLanes / 2; mask > 0; mask >>= 1) {
    if (n > 1) {
      n /= 2;
      const bool is_upper = lane & mask;
      if (is_upper) first += n;
      GPU_UNROLL for (int i = 0; i < n; i++) {
        const float keep = is_upper ? value[n + i] : value[i];
        const float give = is_upper ? value[i] : value[n + i];
        value[i] = keep + shuffle_xor(give, mask);
      }
    } else {
      value[0] += shuffle_xor(value[0], mask);
    }
  }
}

/// The part of a position.
GPU_DEVICE int part_at(int position) { return position / (kPartChunks * kChunk); }

/// The first position that a token at `position` attends to.
GPU_DEVICE int first_visible(const AttentionParams& p, int position) {
  return p.window > 0 ? max(position + 1 - p.window, 0) : 0;
}

/// Softmax weights of a chunk: a lane turns the scores of positions lane and lane + 32 into
/// exp(score - maximum), or into 0 for positions outside [begin, end).
GPU_DEVICE Softmax weigh_chunk(float& low, float& high, int lane, int begin, int end) {
  const bool has_low = lane >= begin && lane < end;
  const bool has_high = lane + 32 >= begin && lane + 32 < end;
  const float a = has_low ? low : -INFINITY, b = has_high ? high : -INFINITY;
  const float maximum = warp_max(fmaxf(a, b));
  low = has_low ? expf(a - maximum) : 0.0f;
  high = has_high ? expf(b - maximum) : 0.0f;
  return {maximum, warp_sum(low + high)};
}

/// The work of a thread block in decode: one query head of one token, and a part of its positions.
struct AttentionBlock {
  int token, kv_head, head, part, n_chunks, n_parts;
  int first;  // visible position

  /// From the grid (tokens, heads, parts).
  GPU_DEVICE AttentionBlock locate(const AttentionParams& p) {
    AttentionBlock b;
    b.token = blockIdx.x;
    b.head = blockIdx.y;
    b.part = blockIdx.z;
    b.kv_head = uniform(b.head / uniform(p.pool.n_heads / p.pool.n_kv_heads));
    b.n_chunks = p.batch.positions[b.token] / kChunk + 1;
    b.n_parts = (b.n_chunks + kPartChunks - 1) / kPartChunks;
    b.first = first_visible(p, p.batch.positions[b.token]);
    return b;
  }
  GPU_MEMBER int first_part() const { return part_at(first); }
};

/// A thread's part of a head's result: four dimensions of the output.
struct HeadResult {
  Softmax softmax;
  float output[4];

  GPU_MEMBER void add(const HeadResult& next) {
    float scale, scale_next;
    softmax = merge(softmax, next.softmax, scale, scale_next);
    GPU_UNROLL for (int j = 0; j < 4; j++) output[j] =
        fmaf(output[j], scale, next.output[j] * scale_next);
  }
};

/// The address of a head's part: maximum, sum, output.
GPU_DEVICE float* part_of(const AttentionParams& p, int token, int head, int part) {
  const int64_t at = (static_cast<int64_t>(token) * p.pool.n_heads + head) * p.n_parts + part;
  return p.parts + at * (p.pool.head_dim + 2);
}

GPU_DEVICE void store_part(const AttentionParams& p, int token, int head, int part, int dim,
                           const HeadResult& mine) {
  float* to = part_of(p, token, head, part);
  if (dim == 0) to[0] = mine.softmax.maximum, to[1] = mine.softmax.sum;
  GPU_UNROLL for (int j = 0; j < 4; j++) to[2 + dim + j] = mine.output[j];
}

/// Reports that the thread block has stored its part. Returns to all threads whether it was the
/// last thread block: then all parts are stored.
GPU_DEVICE bool arrives_last(const AttentionParams& p, int n_parts, int& is_last) {
  // Every thread that wrote must fence: on some GPUs, one thread's fence after a barrier does not
  // cover the writes of other waves.
  memory_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    uint32_t* arrived = p.arrived + blockIdx.x * gridDim.y + blockIdx.y;
    is_last = atomicAdd(arrived, 1) == static_cast<uint32_t>(n_parts) - 1;
    if (is_last) *arrived = 0;  // for the next launch
    memory_fence();
  }
  __syncthreads();
  return is_last;
}

/// Merges the parts [begin, end) of a head in order.
GPU_DEVICE HeadResult merge_parts(const AttentionParams& p, int token, int head, int begin, int end,
                                  int dim) {
  constexpr int kBatch = 4;  // in flight together
  const volatile float* parts = part_of(p, token, head, 0);
  HeadResult result = {};
  GPU_NO_UNROLL for (int first = begin; first < end; first += kBatch) {
    HeadResult batch[kBatch];
    GPU_UNROLL for (int k = 0; k < kBatch; k++) {
      const volatile float* part = parts + min(first + k, end - 1) * (p.pool.head_dim + 2);
      batch[k].softmax.maximum = part[0], batch[k].softmax.sum = part[1];
      GPU_UNROLL for (int j = 0; j < 4; j++) batch[k].output[j] = part[2 + dim + j];
    }
    GPU_UNROLL for (int k = 0; k < kBatch; k++) {
      if (first + k >= end) continue;
      if (first + k == begin)
        result = batch[0];
      else
        result.add(batch[k]);
    }
  }
  return result;
}

/// Divides by the sum, stores, and quantizes for the output projection if p.quantized asks for it.
/// All lanes of a warp must call it; eight neighbouring lanes have 32 dimensions.
template <int kHeadDim>
GPU_DEVICE void store_head(const AttentionParams& p, int token, int head, int dim, HeadResult mine,
                           bool stores) {
  const int col = head * kHeadDim + dim;
  float* out = p.out + static_cast<int64_t>(token) * p.pool.n_heads * kHeadDim + col;
  const float inverse = 1.0f / mine.softmax.sum;
  GPU_UNROLL for (int j = 0; j < 4; j++) {
    mine.output[j] *= inverse;
    if (stores) out[j] = mine.output[j];
  }
  if (p.quantized.q) quantize_group(p.quantized, token, col / kGroup, mine.output, stores);
}

}  // namespace hearth::kernels::hip
