// The ops of one step. Each is one or two parallel loops: first the inputs of all tokens are
// normalized and quantized, then threads multiply chunks of row tiles and finish them (bias, RoPE,
// residual, SwiGLU).
#include <algorithm>
#include <cassert>
#include <cstring>

#include "cpu_ops.h"

namespace hearth::kernels::cpu {
// --- inputs ---

/// Quantizes `in` [n][n_cols] for the weights and, if they have an adapter, lowers it.
const Activations& CpuOps::quantize(const Weights& w, int n, const float* in) {
  const int n_cols = w.matrix.n_cols;
  Activations& activations = workspace_.activations(n, n_cols);
  for_token_tiles(n, [&](int begin, int end, int) {
    kernels_.quantize_tokens(in + static_cast<size_t>(begin) * n_cols, begin, end - begin,
                             input_formats(w), activations);
  });
  lower(w.added, activations);
  return activations;
}

/// Normalizes n tokens of x [][n_cols] and does the same with them: the tokens with indices `rows`
/// or, if that is null, the first n.
const Activations& CpuOps::norm_and_quantize(const float* norm, float eps, const Weights& w, int n,
                                             const float* x, const int32_t* rows) {
  Activations& activations = workspace_.activations(n, w.matrix.n_cols);
  const size_t n_cols = static_cast<size_t>(w.matrix.n_cols);
  for_token_tiles(n, [&](int begin, int end, int thread) {
    float* normed = workspace_.rows(thread);
    for (int token = begin; token < end; token++) {
      const int row = rows != nullptr ? rows[token] : token;
      kernels_.rmsnorm(x + row * n_cols, norm, eps, w.matrix.n_cols,
                       normed + (token - begin) * n_cols);
    }
    kernels_.quantize_tokens(normed, begin, end - begin, input_formats(w), activations);
  });
  lower(w.added, activations);
  return activations;
}

// --- products ---

// The number of row tiles in a chunk. A chunk is long enough that its overhead does not matter, and
// short enough that all threads finish together, even if one loses its core for a while. The time
// for a tile is estimated for an AVX-512 core, which is bound by streaming the weights or, when
// many tokens share them, by arithmetic. For a prompt the number is even, since some panels take
// two tiles.
int CpuOps::tiles_per_chunk(double tile_bytes, int n_cols, int n_tiles, int n, int n_parts) const {
  constexpr double kBytesPerUs = 35e3, kOperationsPerUs = 500e3;
  const bool is_prompt = n > kTileTokens;
  // Longer chunks make prefill 5-7 % faster, because more tiles share a panel's activations in the
  // L2 cache. (AMX needs a third of the estimated time.)
  const double least_us = is_prompt ? 5 : 1, max_us = is_prompt ? 800 : 20;
  const int per_thread = is_prompt ? 4 : 8;
  const double tile_us =
      std::max(tile_bytes / kBytesPerUs, 2.0 * kTileRows * n_cols * n / kOperationsPerUs);
  const double share_us = tile_us * n_tiles / (per_thread * pool_.n_threads());
  const double tiles = std::clamp(share_us, least_us, max_us) / tile_us;
  const int all = std::clamp(static_cast<int>(tiles), 1, kChunkRows / kTileRows);
  const int whole = std::max(1, all / n_parts);
  return is_prompt ? (whole + 1) / 2 * 2 : whole;
}

int CpuOps::tiles_per_chunk(const PackedMatrix& w, int n, int n_parts) const {
  return tiles_per_chunk(static_cast<double>(w.tile_bytes()), w.n_cols, w.n_tiles(), n, n_parts);
}

/// Multiplies weights by the input. The weights consist of one part or of two parts of equal size
/// (n_parts), such as gate and up. A chunk is a range of tiles, the same in each part. For each
/// token, it calls finish(token, row, n_rows, products, products of the second part), where row is
/// the first row of the range.
///
/// With many tokens a chunk takes long. So every thread gets the same number of chunks, whose sizes
/// differ by at most two tiles; otherwise all threads would wait for a thread with one chunk more.
void CpuOps::multiply(const Weights& weights, int n_parts, const Activations& input,
                      const auto& finish) {
  const PackedMatrix& w = packed(weights.matrix);
  const int n = input.n, n_rows = w.n_rows / n_parts, n_tiles = tiles_of(n_rows);
  const auto chunk = [&](int begin, int end, int thread) {
    const size_t stride = chunk_stride(end - begin);
    float* products = workspace_.tiles(thread);
    float* second_products = products + n * stride;
    const int row = begin * kTileRows, chunk_rows = std::min(n_rows, end * kTileRows) - row;
    multiply_rows(weights, input, row, chunk_rows, products, stride);
    if (n_parts == 2)
      multiply_rows(weights, input, n_rows + row, chunk_rows, second_products, stride);
    for (int token = 0; token < n; token++)
      finish(token, row, chunk_rows, products + token * stride, second_products + token * stride);
  };
  const int per_chunk = tiles_per_chunk(w, n, n_parts);
  if (n <= kTileTokens) return for_ranges(n_tiles, per_chunk, chunk);
  const int n_threads = pool_.n_threads(), n_pairs = (n_tiles + 1) / 2;
  const int n_rounds = (n_tiles + per_chunk * n_threads - 1) / (per_chunk * n_threads);
  const int n_chunks = std::min(n_pairs, n_rounds * n_threads);
  const auto first_tile = [&](int i) {
    return 2 * static_cast<int>(int64_t{n_pairs} * i / n_chunks);
  };
  for_chunks(n_chunks, [&](int i, int thread) {
    chunk(first_tile(i), std::min(n_tiles, first_tile(i + 1)), thread);
  });
}

/// Computes out [n][w.n_rows].
void CpuOps::product(const PackedMatrix& w, const Activations& input, float* out) {
  multiply(w, 1, input, [&](int token, int row, int n_rows, const float* product, const float*) {
    std::memcpy(out + static_cast<size_t>(token) * w.n_rows + row, product, sizeof(float) * n_rows);
  });
}

// --- the ops ---

void CpuOps::begin(const Batch& batch) {
  batch_ = batch;
  if (!attention_) return;
  attention_->begin(batch);
  for_ranges(batch.size(), 8, [&](int begin, int end, int) {
    for (int token = begin; token < end; token++) attention_->fill_angles(token);
  });
}

void CpuOps::embed(const Matrix& table, float* x) {
  for_ranges(batch_.size(), 8, [&](int begin, int end, int) {
    for (int token = begin; token < end; token++) {
      packed(table).unpack_row(static_cast<int>(batch_.tokens[static_cast<size_t>(token)]),
                               x + static_cast<size_t>(token) * table.n_cols);
    }
  });
}

void CpuOps::norm_qkv(int layer, const float* norm, float eps, const Weights& qkv,
                      const float* bias, const float* x, float* q) {
  const PackedMatrix& w = packed(qkv.matrix);
  assert(w.rows_fill_tiles());
  const int n = batch_.size();
  attention_->balance().compute_factors(layer, w, norm, bias, workspace_.rows(0));
  const Qkv task{layer, qkv, bias, norm_and_quantize(norm, eps, qkv, n, x), q};
  const AttentionShape& shape = attention_->shape();
  const int tiles_per_head = shape.head_dim / kTileRows;
  const int heads_per_chunk = std::max(1, tiles_per_chunk(w, n, 1) / tiles_per_head);
  const int n_query_chunks = (shape.n_heads + heads_per_chunk - 1) / heads_per_chunk;
  for_chunks(shape.n_kv_heads + n_query_chunks, [&](int chunk, int thread) {
    if (chunk < shape.n_kv_heads) return key_value_chunk(task, chunk, thread);
    const int first = (chunk - shape.n_kv_heads) * heads_per_chunk;
    query_chunk(task, first, std::min(shape.n_heads, first + heads_per_chunk));
  });
}

// Computes K and V of one KV head together, because one call appends both to a page.
void CpuOps::key_value_chunk(const Qkv& qkv, int kv_head, int thread) {
  const AttentionShape& shape = attention_->shape();
  const int dim = shape.head_dim;
  const int k_row = (shape.n_heads + kv_head) * dim;
  const int v_row = k_row + shape.n_kv_heads * dim;
  float* keys = workspace_.tiles(thread);  // [n][dim]
  float* values = keys + static_cast<size_t>(qkv.input.n) * dim;
  const size_t stride = static_cast<size_t>(dim);
  multiply_rows(qkv.weights, qkv.input, k_row, dim, keys, stride);
  multiply_rows(qkv.weights, qkv.input, v_row, dim, values, stride);
  for (int token = 0; token < qkv.input.n; token++, keys += dim, values += dim) {
    if (qkv.bias != nullptr) {
      kernels_.add(keys, qkv.bias + k_row, dim);
      kernels_.add(values, qkv.bias + v_row, dim);
    }
    attention_->rotate_key(qkv.layer, token, kv_head, keys);
    attention_->append(qkv.layer, token, kv_head, keys, values);
  }
}

void CpuOps::query_chunk(const Qkv& qkv, int head_begin, int head_end) {
  const AttentionShape& shape = attention_->shape();
  const int dim = shape.head_dim, row = head_begin * dim;
  const size_t stride = static_cast<size_t>(shape.n_heads * dim);
  multiply_rows(qkv.weights, qkv.input, row, (head_end - head_begin) * dim, qkv.q + row, stride);
  for (int token = 0; token < qkv.input.n; token++) {
    float* heads = qkv.q + static_cast<size_t>(token) * stride + row;
    if (qkv.bias != nullptr) kernels_.add(heads, qkv.bias + row, (head_end - head_begin) * dim);
    for (int head = head_begin; head < head_end; head++, heads += dim)
      attention_->rotate_query(qkv.layer, token, head, heads);
  }
}

ProductInput CpuOps::attention(int layer, const float* q, float* out, const Matrix*) {
  const Attention::Step step{layer, q, out};
  for_chunks(attention_->n_chunks(),
             [&](int chunk, int thread) { attention_->chunk(step, chunk, thread); });
  if (attention_->is_split())
    for_chunks(attention_->n_merges(), [&](int chunk, int) { attention_->merge(step, chunk); });
  return out;
}

void CpuOps::matmul_add(const Weights& weights, ProductInput in, float* x) {
  const PackedMatrix& w = packed(weights.matrix);
  assert(w.rows_fill_tiles());
  const Activations& input = quantize(weights, batch_.size(), in.data);
  multiply(weights, 1, input, [&](int token, int row, int n_rows, float* product, float*) {
    if (residual_scale != 1)
      for (int i = 0; i < n_rows; i++) product[i] *= residual_scale;
    kernels_.add(x + static_cast<size_t>(token) * w.n_rows + row, product, n_rows);
  });
}

ProductInput CpuOps::norm_gate_up(const float* norm, float eps, const Weights& gate_up,
                                  const float* x, float* h, const Matrix*) {
  const PackedMatrix& w = packed(gate_up.matrix);
  const int n_ff = w.n_rows / 2;
  assert(w.lane_of(n_ff) == 0);
  multiply(gate_up, 2, norm_and_quantize(norm, eps, gate_up, batch_.size(), x),
           [&](int token, int row, int n_rows, const float* gate, const float* up) {
             kernels_.silu_mul(gate, up, n_rows, h + static_cast<size_t>(token) * n_ff + row);
           });
  return h;
}

void CpuOps::norm_head(const float* norm, float eps, const Matrix& head, const float* x,
                       std::span<const int32_t> rows, float* logits) {
  const PackedMatrix& w = packed(head);
  assert(w.rows_fill_tiles());
  const int n = static_cast<int>(rows.size());
  product(w, norm_and_quantize(norm, eps, w, n, x, rows.data()), logits);
}

void CpuOps::norm_head_candidates(const float* norm, float eps, const Matrix& head, const float* x,
                                  int32_t row, std::span<const uint32_t> candidates,
                                  float* logits) {
  const PackedMatrix& w = packed(head);
  const Activations& input = norm_and_quantize(norm, eps, w, 1, x, &row);
  for_ranges(static_cast<int>(candidates.size()), 64, [&](int begin, int end, int) {
    float rows[kTileRows];
    int computed = -1;
    for (int i = begin; i < end; i++) {
      const int candidate = static_cast<int>(candidates[static_cast<size_t>(i)]);
      const int tile = w.tile_of(candidate);
      if (tile != computed) w.matmul(input, tile, tile + 1, rows, kTileRows);
      computed = tile;
      logits[i] = rows[w.lane_of(candidate)];
    }
  });
}

void CpuOps::argmax(const float* logits, int n_rows, int n_vocab, std::span<Argmax> out) {
  // For batch invariance, the division of a row of logits into ranges depends only on its length.
  // There are several ranges, so that every thread has work: a thread without work would go to
  // sleep.
  constexpr int kRanges = 8, kRows = 16;
  const int per_range = (n_vocab + kRanges - 1) / kRanges;
  const int n_ranges = (n_vocab + per_range - 1) / per_range;
  for (int row = 0; row < n_rows; row += kRows) {
    const int n = std::min(kRows, n_rows - row);
    RangeArgmax ranges[kRows * kRanges] = {};
    for_chunks(n * n_ranges, [&](int chunk, int) {
      const int begin = chunk % n_ranges * per_range;
      const float* first = logits + static_cast<size_t>(row + chunk / n_ranges) * n_vocab + begin;
      ranges[chunk] = kernels_.argmax(first, std::min(per_range, n_vocab - begin));
      ranges[chunk].id += static_cast<uint32_t>(begin);
    });
    for (int i = 0; i < n; i++)
      out[static_cast<size_t>(row + i)] = argmax_of_row(ranges + i * n_ranges, n_ranges);
  }
}

}  // namespace hearth::kernels::cpu
