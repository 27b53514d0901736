// Attention over KV pages for prefill (plain::attention). A row is one query head of one token. A
// thread block takes one KV head and 8 to 32 rows: all rows of a token, then all rows of the next.
// So it copies K and V to shared memory once for several tokens.
//
//   for each chunk of 64 positions, of one part or of all parts (attention_parts.hip.h):
//     scores = q K^T                       score_rows()
//     weights = exp(score - maximum)       weigh_rows(), with causal mask and window
//     outputs: merge with weights V        RowOutputs::add_chunk()
//   divide by the sum of weights, store    finish_rows()
//
// Here one thread computes a whole dot product; in decode_attention.hip.h neighbouring lanes share
// it. The order of the sum is the same, and so are a token's bits.
#pragma once

#include "attention_parts.hip.h"
#include "weights.hip.h"

namespace hearth::kernels::hip {

/// Divides the work among threads. For scores, a thread has four rows x some positions; for
/// outputs, four dimensions x some rows, so that eight lanes have 32 dimensions.
template <int kHeadDim>
struct RowsShape {
  static constexpr int kRows = attention_rows(kHeadDim);
  static constexpr int kRowGroups = kRows / 4,
                       kPositionStep = kPrefillAttentionThreads / kRowGroups;
  static constexpr int kPositions = kChunk / kPositionStep;
  static constexpr int kOutputGroups = kPrefillAttentionThreads / (kHeadDim / 4);
  static constexpr int kOutputRows = kRows / kOutputGroups;
};

/// How a row's output of a chunk is merged: part = keep * part + add * output and, at the end of
/// the part, total = keep_total * total + add_total * part. Flags:
///   kIsThere      the row sees a position of the chunk
///   kIsFirst      it is the first such chunk of its part
///   kEndsPart     it is the last such chunk of its part
///   kIsFirstPart  its part is the first one of the row that the thread block takes
struct RowMerge {
  static constexpr int kIsThere = 1, kIsFirst = 2, kEndsPart = 4, kIsFirstPart = 8;
  float keep, add, keep_total, add_total;
  int flags;
};

/// A row: one query head of one token. Rows past the end repeat the last one, but see no positions.
struct AttentionRow {
  int token, head;
  int first, n_visible;  // visible positions: [first, n_visible)

  GPU_DEVICE AttentionRow of(const AttentionParams& p, int kv_head, int row) {
    const int group = uniform(p.pool.n_heads / p.pool.n_kv_heads);
    const int last = p.n_tokens * group - 1, i = min(row, last), token = i / group;
    const int position = p.batch.positions[token];
    return {token, kv_head * group + i - token * group, first_visible(p, position),
            row <= last ? position + 1 : 0};
  }
  GPU_MEMBER int count_parts() const {
    constexpr int kPositions = kPartChunks * kChunk;
    return (n_visible + kPositions - 1) / kPositions;
  }
};

template <int kHeadDim>
struct RowsShared {
  static constexpr int kRows = attention_rows(kHeadDim);
  static constexpr int kBuffers = attention_buffers(kHeadDim, GPU_COPIES_AHEAD);
  // The queries, permuted so that the rows that lanes read together are in different banks; at the
  // end the outputs, in order.
  alignas(16) float queries[kRows][kHeadDim + 4];
  alignas(16) uint16_t kv[kBuffers][kChunk][kHeadDim + 8];  // K of a chunk, then its V
  alignas(16) float scores[kChunk][kRows + 4];
  Softmax part[kRows], total[kRows];
  RowMerge merges[kRows];
  AttentionRow rows[kRows];
  int n_visible[kRows];  // as in rows; 0 for rows of sequences other than the current one
  int is_last;
};

/// Copies K or V of a chunk to shared memory. A barrier must separate this from earlier reads of
/// the buffer.
template <int kHeadDim>
GPU_DEVICE void copy_rows(const ChunkView& c, int is_v, RowsShared<kHeadDim>& shared) {
  constexpr int kLanes = kHeadDim / 8;
  GPU_UNROLL for (int k = 0; k < kChunk * kLanes / kPrefillAttentionThreads; k++) {
    const int i = threadIdx.x + k * kPrefillAttentionThreads, position = i / kLanes;
    const uint16_t* from = kv_row<kHeadDim>(c, position, is_v);
    uint16_t* to = shared.kv[is_v ? RowsShared<kHeadDim>::kBuffers - 1 : 0][position];
    copy_async(reinterpret_cast<uint4*>(to) + i % kLanes,
               reinterpret_cast<const uint4*>(from) + i % kLanes);
  }
  commit_copies();
}

/// A thread's scores, [position][row].
template <int kHeadDim>
struct Scores {
  static constexpr int kPositions = RowsShape<kHeadDim>::kPositions;
  static constexpr int kLevels = kHeadDim == 32 ? 2 : kHeadDim == 64 ? 3 : kHeadDim == 128 ? 4 : 5;
  float dot[kPositions][4];

  /// The contribution of eight dimensions to the scores.
  GPU_DEVICE Scores of_slice(const RowsShared<kHeadDim>& shared, int slice) {
    using Shape = RowsShape<kHeadDim>;
    const int rows = threadIdx.x % Shape::kRowGroups, first = threadIdx.x / Shape::kRowGroups;
    Scores s = {};
    schedule_fence();
    uint4 keys[kPositions];
    GPU_UNROLL for (int i = 0; i < kPositions; i++) keys[i] =
        reinterpret_cast<const uint4*>(shared.kv[0][first + i * Shape::kPositionStep])[slice];
    GPU_UNROLL for (int half = 0; half < 2; half++) {
      float4 query[4];
      GPU_UNROLL for (int r = 0; r < 4; r++) query[r] = reinterpret_cast<const float4*>(
          shared.queries[r * Shape::kRowGroups + rows])[2 * slice + half];
      GPU_UNROLL for (int i = 0; i < kPositions; i++) {
        const float k[4] = {dimension(keys[i], 4 * half), dimension(keys[i], 4 * half + 1),
                            dimension(keys[i], 4 * half + 2), dimension(keys[i], 4 * half + 3)};
        GPU_UNROLL for (int r = 0; r < 4; r++) {
          float& to = s.dot[i][r];
          to = fmaf(query[r].x, k[0], to), to = fmaf(query[r].y, k[1], to);
          to = fmaf(query[r].z, k[2], to), to = fmaf(query[r].w, k[3], to);
        }
      }
    }
    return s;
  }
  GPU_DEVICE Scores sum(const Scores& a, const Scores& b) {
    Scores s;
    GPU_UNROLL for (int i = 0; i < kPositions; i++) GPU_UNROLL for (int r = 0; r < 4; r++)
        s.dot[i][r] = a.dot[i][r] + b.dot[i][r];
    return s;
  }
  /// Adds slices of dimensions as a binary tree, in the order of a butterfly over lanes. The slices
  /// come in bit-reversed order. `s` is the sum of the finished subtree that ends with slice i.
  template <int kLevel>
  GPU_DEVICE void add_slice(Scores (&sums)[kLevels + 1], const Scores& s, int i) {
    if constexpr (kLevel == kLevels) {
      sums[kLevel] = s;
    } else {
      if (i >> kLevel & 1)
        add_slice<kLevel + 1>(sums, sum(sums[kLevel], s), i);
      else
        sums[kLevel] = s;
    }
  }
};

/// Computes a thread's scores in a loop, which keeps the code short and needs few registers.
template <int kHeadDim>
GPU_DEVICE void score_rows(float scale, RowsShared<kHeadDim>& shared) {
  using Shape = RowsShape<kHeadDim>;
  using S = Scores<kHeadDim>;
  S sums[S::kLevels + 1];
  GPU_UNROLL_2 for (int i = 0; i < 1 << S::kLevels; i++) {
    int slice = 0;
    GPU_UNROLL for (int k = 0; k < S::kLevels; k++) slice = slice << 1 | (i >> k & 1);
    S::template add_slice<0>(sums, S::of_slice(shared, slice), i);
  }
  const S& all = sums[S::kLevels];
  const int rows = threadIdx.x % Shape::kRowGroups, position = threadIdx.x / Shape::kRowGroups;
  GPU_UNROLL for (int i = 0; i < Shape::kPositions; i++) {
    const float(&dot)[4] = all.dot[i];
    float* to = shared.scores[position + i * Shape::kPositionStep] + 4 * rows;
    *reinterpret_cast<float4*>(to) = {dot[0] * scale, dot[1] * scale, dot[2] * scale,
                                      dot[3] * scale};
  }
}

/// Merges a row's softmax of a chunk. Because of causal mask and window, the row sees only the
/// positions [begin, end), counted from the chunk's first; these may lie outside the chunk.
template <int kHeadDim>
GPU_DEVICE void merge_row(int row, const Softmax& next, int chunk, int begin, int end,
                          bool is_first_part, RowsShared<kHeadDim>& shared) {
  const bool is_there = end > 0 && begin < kChunk;
  const bool is_first = chunk % kPartChunks == 0 || begin >= 0;
  const bool ends_part = chunk % kPartChunks == kPartChunks - 1 || end <= kChunk;
  RowMerge m = {};
  m.flags = (is_there ? RowMerge::kIsThere : 0) | (is_first ? RowMerge::kIsFirst : 0) |
            (ends_part ? RowMerge::kEndsPart : 0) | (is_first_part ? RowMerge::kIsFirstPart : 0);
  if (is_there) {
    Softmax part = next;
    if (!is_first) part = merge(shared.part[row], next, m.keep, m.add);
    shared.part[row] = part;
    if (ends_part && !is_first_part)
      part = merge(shared.total[row], part, m.keep_total, m.add_total);
    if (ends_part) shared.total[row] = part;
  }
  shared.merges[row] = m;
}

/// Turns scores into softmax weights, four rows a warp. first_part: the thread block's first part.
template <int kHeadDim>
GPU_DEVICE void weigh_rows(int chunk, int first_part, RowsShared<kHeadDim>& shared) {
  const int lane = threadIdx.x % GPU_LANES;
  GPU_NO_UNROLL for (int first = threadIdx.x / GPU_LANES * 4; first < attention_rows(kHeadDim);
                     first += kPrefillAttentionThreads / GPU_LANES * 4) {
    float4& low = *reinterpret_cast<float4*>(shared.scores[lane] + first);
    float4& high = *reinterpret_cast<float4*>(shared.scores[lane + 32] + first);
    float a[4] = {low.x, low.y, low.z, low.w}, b[4] = {high.x, high.y, high.z, high.w};
    Softmax mine = {};
    GPU_UNROLL for (int i = 0; i < 4; i++) {
      const int begin = shared.rows[first + i].first - chunk * kChunk;
      const int end = shared.n_visible[first + i] - chunk * kChunk;
      const Softmax softmax = weigh_chunk(a[i], b[i], lane, begin, end);
      if (lane == i) mine = softmax;
    }
    low = {a[0], a[1], a[2], a[3]};
    high = {b[0], b[1], b[2], b[3]};
    if (lane >= 4) continue;
    const int row = first + lane, begin = shared.rows[row].first;
    merge_row<kHeadDim>(row, mine, chunk, begin - chunk * kChunk,
                        shared.n_visible[row] - chunk * kChunk,
                        chunk / kPartChunks == max(part_at(begin), first_part), shared);
  }
}

/// A thread's outputs: four dimensions of its rows.
template <int kHeadDim>
struct RowOutputs {
  static constexpr int kRows = RowsShape<kHeadDim>::kOutputRows;
  float part[kRows][4], total[kRows][4];

  GPU_DEVICE int first_row() {
    return reload_thread() / 8 % RowsShape<kHeadDim>::kOutputGroups * kRows;
  }
  GPU_DEVICE int first_dim() {
    const int thread = reload_thread();
    return thread / (8 * RowsShape<kHeadDim>::kOutputGroups) * 32 + thread % 8 * 4;
  }

  /// Adds the chunk whose weights and V are in shared memory.
  GPU_MEMBER void add_chunk(const RowsShared<kHeadDim>& shared) {
    // The partial sums over positions of the threads in decode_attention.hip.h.
    constexpr int kSums = 2 * kDecodeThreads / kHeadDim;
    const int row = first_row(), dim = first_dim();
    float output[kRows][4] = {};
    GPU_NO_UNROLL for (int first = 0; first < kSums; first++) {
      float sum[kRows][4] = {};
      GPU_UNROLL for (int position = first; position < kChunk; position += kSums) {
        const uint2 v = *reinterpret_cast<const uint2*>(
            shared.kv[RowsShared<kHeadDim>::kBuffers - 1][position] + dim);
        const float value[4] = {half_to_float(v.x & 0xffff), half_to_float(v.x >> 16),
                                half_to_float(v.y & 0xffff), half_to_float(v.y >> 16)};
        uint32_t words[kRows];
        load_words(words, reinterpret_cast<const uint8_t*>(shared.scores[position] + row));
        GPU_UNROLL for (int r = 0; r < kRows; r++) {
          float weight;
          memcpy(&weight, &words[r], sizeof weight);
          GPU_UNROLL for (int j = 0; j < 4; j++) sum[r][j] = fmaf(weight, value[j], sum[r][j]);
        }
      }
      GPU_UNROLL for (int r = 0; r < kRows; r++) GPU_UNROLL for (int j = 0; j < 4; j++)
          output[r][j] += sum[r][j];
    }
    GPU_UNROLL for (int r = 0; r < kRows; r++) {
      const RowMerge m = shared.merges[row + r];
      if (!(m.flags & RowMerge::kIsThere)) continue;
      const bool is_first = m.flags & RowMerge::kIsFirst;
      const bool is_first_part = m.flags & RowMerge::kIsFirstPart;
      GPU_UNROLL for (int j = 0; j < 4; j++) {
        float& part_sum = part[r][j];
        part_sum = is_first ? output[r][j] : fmaf(part_sum, m.keep, output[r][j] * m.add);
        if (!(m.flags & RowMerge::kEndsPart)) continue;
        float& sum = total[r][j];
        sum = is_first_part ? part_sum : fmaf(sum, m.keep_total, part_sum * m.add_total);
      }
    }
  }
};

/// Attends to chunks [begin, end) for the rows with n_visible > 0, which belong to one sequence.
/// The copies of each phase, with a buffer for K and another for V (kAhead), or with one buffer:
///
///                        two buffers     one buffer
///   before the scores    -               K of the chunk, and waits for it
///   scores               its V           -
///   weights              the next K      its V
///   outputs              the next K      -
template <int kHeadDim>
GPU_DEVICE void attend_rows(const AttentionParams& p, const int32_t* pages, int kv_head, int begin,
                            int end, int n_visible, RowOutputs<kHeadDim>& outputs,
                            RowsShared<kHeadDim>& shared) {
  constexpr bool kAhead = RowsShared<kHeadDim>::kBuffers == 2;
  const auto view = [&](int chunk) {
    return view_chunk(reload(p), pages, kv_head, chunk, n_visible);
  };
  if (kAhead && begin < end) copy_rows<kHeadDim>(view(begin), 0, shared);
  GPU_NO_UNROLL for (int chunk = begin; chunk < end; chunk++) {
    if (!kAhead) {
      __syncthreads();
      copy_rows<kHeadDim>(view(chunk), 0, shared);
    }
    wait_for_copies<0>();
    __syncthreads();
    if (kAhead) copy_rows<kHeadDim>(view(chunk), 1, shared);
    score_rows<kHeadDim>(reload(p).scale, shared);
    __syncthreads();
    copy_rows<kHeadDim>(view(kAhead ? min(chunk + 1, end - 1) : chunk), kAhead ? 0 : 1, shared);
    weigh_rows<kHeadDim>(chunk, begin / kPartChunks, shared);
    wait_for_copies<kAhead ? 1 : 0>();
    __syncthreads();
    outputs.add_chunk(shared);
  }
  wait_for_copies<0>();  // the last chunk's K has been copied again
  __syncthreads();
}

/// Stores the outputs of the rows or, if there are several parts, of this part; the last thread
/// block to finish then merges the parts. Outputs replace the queries in shared memory, so that one
/// loop serves all rows.
template <int kHeadDim>
GPU_DEVICE void finish_rows(const AttentionParams& p, int n_parts,
                            const RowOutputs<kHeadDim>& outputs, RowsShared<kHeadDim>& shared) {
  using O = RowOutputs<kHeadDim>;
  constexpr int kLanes = kHeadDim / 4, kAll = attention_rows(kHeadDim) * kLanes;
  GPU_UNROLL for (int r = 0; r < O::kRows; r++) {
    const float(&total)[4] = outputs.total[r];
    float* to = shared.queries[O::first_row() + r] + O::first_dim();
    *reinterpret_cast<float4*>(to) = {total[0], total[1], total[2], total[3]};
  }
  __syncthreads();
  const auto result = [&](int i) {
    const float4 v = *reinterpret_cast<const float4*>(shared.queries[i / kLanes] + i % kLanes * 4);
    return HeadResult{shared.total[i / kLanes], {v.x, v.y, v.z, v.w}};
  };
  if (n_parts > 1) {
    GPU_NO_UNROLL for (int i = reload_thread(); i < kAll; i += kPrefillAttentionThreads) {
      const AttentionRow row = shared.rows[i / kLanes];
      const int part = blockIdx.z;
      if (part >= part_at(row.first) && part < row.count_parts())
        store_part(p, row.token, row.head, part, i % kLanes * 4, result(i));
    }
    if (!arrives_last(p, n_parts, shared.is_last)) return;
  }
  GPU_NO_UNROLL for (int i = reload_thread(); i < kAll; i += kPrefillAttentionThreads) {
    const AttentionRow row = shared.rows[i / kLanes];
    const int dim = i % kLanes * 4;
    const HeadResult mine = n_parts == 1 ? result(i)
                                         : merge_parts(p, row.token, row.head, part_at(row.first),
                                                       row.count_parts(), dim);
    store_head<kHeadDim>(p, row.token, row.head, dim, mine, row.n_visible > 0);
  }
}

/// Grid (thread blocks of rows, KV heads, parts).
template <int kHeadDim>
GPU_DEVICE void attention(const AttentionParams& p) {
  GPU_DYNAMIC_SHARED(uint4, memory);
  auto& shared = *reinterpret_cast<RowsShared<kHeadDim>*>(memory);
  static_assert(sizeof shared <= attention_bytes(kHeadDim, GPU_COPIES_AHEAD));
  constexpr int kRows = attention_rows(kHeadDim), kLanes = kHeadDim / 4;
  let_next_start();
  // The batch can be read before wait_for_previous(): it was complete before any kernel but the
  // first could start. The last tokens go first, since they have the most positions. Lane i has row
  // i % kRows; the rows see only positions in [least, most).
  const int kv_head = blockIdx.y, lane = threadIdx.x % GPU_LANES;
  const int first_row = (static_cast<int>(gridDim.x) - 1 - static_cast<int>(blockIdx.x)) * kRows;
  const auto row = AttentionRow::of(p, kv_head, first_row + lane % kRows);
  const int table = p.batch.table_offset[row.token];
  const int most = warp_max(row.n_visible), least = -warp_max(row.n_visible ? -row.first : -most);
  const int all_chunks = (most + kChunk - 1) / kChunk, first_chunk = least / kChunk;
  const int n_parts =
      p.n_parts == 1 ? 1 : (all_chunks + kPartChunks - 1) / kPartChunks - part_at(least);
  const int own = blockIdx.z * kPartChunks;
  const int begin = p.n_parts == 1 ? first_chunk : max(own, first_chunk);
  const int end = p.n_parts == 1 ? all_chunks : min(own + kPartChunks, all_chunks);
  if (threadIdx.x < kRows) shared.rows[threadIdx.x] = row;
  __syncthreads();
  wait_for_previous();
  if (begin >= end) return;

  GPU_UNROLL for (int k = 0; k < kRows * kLanes / kPrefillAttentionThreads; k++) {
    const int i = threadIdx.x + k * kPrefillAttentionThreads, at = i / kLanes;
    const AttentionRow from = shared.rows[at];
    const int64_t head = static_cast<int64_t>(from.token) * p.pool.n_heads + from.head;
    float* to = shared.queries[at % 4 * (kRows / 4) + at / 4] + i % kLanes * 4;
    *reinterpret_cast<float4*>(to) =
        *reinterpret_cast<const float4*>(p.q + head * kHeadDim + i % kLanes * 4);
  }
  RowOutputs<kHeadDim> outputs = {};
  // Takes one sequence after another (usually there is only one), each time the sequence of the
  // first waiting row. waiting: n_visible of the lane's row, or 0 once its sequence has been taken.
  int waiting = row.n_visible;
  GPU_NO_UNROLL while (true) {
    const int first = GPU_LANES - warp_max(waiting ? GPU_LANES - lane : 0);
    if (first == GPU_LANES) break;
    const int own_table = shuffle(table, first);
    const bool is_in = waiting && table == own_table;
    const int n_visible = warp_max(is_in ? waiting : 0);
    if (threadIdx.x < kRows) shared.n_visible[lane] = is_in ? waiting : 0;
    const int own_end = min(end, (n_visible + kChunk - 1) / kChunk);
    attend_rows<kHeadDim>(p, reload(p).batch.page_ids + own_table, kv_head, begin, own_end,
                          n_visible, outputs, shared);
    if (is_in) waiting = 0;
  }
  finish_rows<kHeadDim>(reload(p), n_parts, outputs, shared);
}

}  // namespace hearth::kernels::hip
