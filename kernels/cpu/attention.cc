#include "attention.h"

#include <algorithm>
#include <cmath>

namespace hearth::kernels::cpu {
namespace {

// The maximum number of queries that share one pass over K and V. With 60, the pass is bound by
// arithmetic, not by the L2 cache. 60 is a multiple of 12, the most queries that a kernel handles
// at once.
constexpr int kBlockQueries = 60;
// In batches of at most this many tokens, as in decoding with drafts or alternatives, each split
// (row_kernels.h) may be a chunk of its own, so that several threads share the splits of a
// sequence.
constexpr int kMaxSplitTokens = 16;

}  // namespace

Attention::Attention(const RowKernels& kernels, const AttentionShape& shape, int n_pages,
                     int n_threads)
    : kernels_(kernels),
      kv_kernels_(shape.kv_type == KvType::kF16 ? kernels.f16 : kernels.int8),
      shape_(shape),
      n_threads_(n_threads),
      scale_(shape.softmax_scale()),
      block_queries_(std::max(kBlockQueries, shape.n_heads / shape.n_kv_heads)),
      pool_(shape, n_pages),
      balance_(shape.kv_type == KvType::kInt8 ? KeyBalance(shape) : KeyBalance()),
      queries_(static_cast<size_t>(n_threads)) {
  for (const bool slides : {false, true}) {
    if (slides && shape.is_sliding.empty()) continue;
    for (int i = 0; i < shape.head_dim / 2; i++)
      frequencies_[slides].push_back(shape.rope_frequency(i, slides));
    angles_[slides].resize(static_cast<size_t>(kMaxBatch * shape.head_dim));
  }
  const size_t partial_bytes = partial_floats(shape.head_dim) * sizeof(float);
  const size_t max_splits =
      static_cast<size_t>((shape.max_positions + kSplitPositions - 1) / kSplitPositions);
  thread_partials_ = Arena(partial_bytes * static_cast<size_t>(n_threads * 2 * block_queries_));
  split_partials_ =
      Arena(partial_bytes * max_splits * static_cast<size_t>(kMaxSplitTokens * shape.n_heads));
  blocks_.reserve(kMaxBatch);
  for (Queries& queries : queries_) {
    queries.q.resize(static_cast<size_t>(block_queries_));
    queries.partials.resize(static_cast<size_t>(block_queries_));
    queries.n_hidden.resize(static_cast<size_t>(block_queries_));
    queries.n_visible.resize(static_cast<size_t>(block_queries_));
  }
}

int Attention::tokens_per_block(int n) const {
  // Large blocks share passes over K and V; but there must be enough blocks for all threads.
  const int shared = std::max(1, kBlockQueries / group());
  const int spread = n * shape_.n_kv_heads / (4 * n_threads_);
  return std::clamp(spread, 1, shared);
}

int Attention::n_splits_of(int token) const {
  return batch_.positions[static_cast<size_t>(token)] / kSplitPositions + 1;
}

/// The first position that the token sees.
int Attention::first_visible(int layer, int token) const {
  return shape_.first_visible(layer, batch_.positions[static_cast<size_t>(token)]);
}

int Attention::first_split_of(int layer, int token) const {
  return first_visible(layer, token) / kSplitPositions;
}

void Attention::begin(const Batch& batch) {
  batch_ = batch;
  blocks_.clear();
  n_splits_ = 0;
  const int max_tokens = tokens_per_block(batch.size());
  for (int token = 0; token < batch.size(); token++) {
    const bool continues = !blocks_.empty() && blocks_.back().n < max_tokens &&
                           batch.sequences[static_cast<size_t>(token)] ==
                               batch.sequences[static_cast<size_t>(token - 1)];
    if (!continues) blocks_.push_back({token, 0});
    blocks_.back().n++;
    n_splits_ = std::max(n_splits_, n_splits_of(token));
  }
  is_split_ = n_threads_ > 1 && n_splits_ > 1 && batch.size() <= kMaxSplitTokens;
}

void Attention::fill_angles(int token) {
  const size_t half = frequencies_[0].size();
  const double position = batch_.positions[static_cast<size_t>(token)];
  for (const bool slides : {false, true}) {
    if (angles_[slides].empty()) continue;
    const float magnitude = slides ? 1 : shape_.rope_magnitude;
    float* cosines = angles_[slides].data() + static_cast<size_t>(token) * 2 * half;
    for (size_t i = 0; i < half; i++) {
      const double angle = position * frequencies_[slides][i];
      cosines[i] = static_cast<float>(std::cos(angle)) * magnitude;
      cosines[half + i] = static_cast<float>(std::sin(angle)) * magnitude;
    }
  }
}

const float* Attention::angles_of(int layer, int token) const {
  return angles_[shape_.slides(layer)].data() + token * shape_.head_dim;
}

void Attention::norm_head(const std::vector<float>& norms, int layer, float* head) const {
  if (norms.empty()) return;
  const int dim = shape_.head_dim;
  kernels_.rmsnorm(head, norms.data() + layer * dim, shape_.norm_eps, dim, head);
}

void Attention::rotate_key(int layer, int token, int kv_head, float* k) const {
  norm_head(shape_.k_norms, layer, k);
  kernels_.rope(k, angles_of(layer, token), shape_.head_dim);
  balance_.divide_key(layer, kv_head, k);
}

void Attention::rotate_query(int layer, int token, int head, float* q) const {
  norm_head(shape_.q_norms, layer, q);
  kernels_.rope(q, angles_of(layer, token), shape_.head_dim);
  balance_.multiply_query(layer, head / group(), q);
}

void Attention::append(int layer, int token, int kv_head, const float* k, const float* v) const {
  const size_t i = static_cast<size_t>(token);
  const int position = batch_.positions[i];
  const int page = batch_.page_tables[static_cast<size_t>(batch_.sequences[i])]
                                     [static_cast<size_t>(position / kPageTokens)];
  kv_kernels_.append(pool_.page_head(page, layer, kv_head), position % kPageTokens, k, v,
                     shape_.head_dim);
}

float* Attention::thread_partial(int thread, int set, int query) const {
  const size_t index = static_cast<size_t>((thread * 2 + set) * block_queries_ + query);
  return reinterpret_cast<float*>(thread_partials_.data()) +
         index * partial_floats(shape_.head_dim);
}

float* Attention::split_partial(int token, int head, int split) const {
  const size_t index = static_cast<size_t>(split) * kMaxSplitTokens * shape_.n_heads +
                       static_cast<size_t>(token * shape_.n_heads + head);
  return reinterpret_cast<float*>(split_partials_.data()) + index * partial_floats(shape_.head_dim);
}

// Runs one split for those queries of a block that see any of its positions. Query i of the block
// belongs to its token i / group(); its partial result is stored at partial_of(i).
void Attention::attend(const Step& step, const Block& block, int kv_head, int split,
                       Queries& queries, const auto& partial_of) const {
  int n_queries = 0, max_visible = 0;
  for (int i = 0; i < block.n * group(); i++) {
    const int token = block.first + i / group();
    const int first = split * kSplitPositions;
    const int visible = batch_.positions[static_cast<size_t>(token)] + 1 - first;
    const int hidden = first_visible(step.layer, token) - first;
    if (visible <= 0 || hidden >= kSplitPositions) continue;
    const int head = kv_head * group() + i % group();
    const size_t k = static_cast<size_t>(n_queries++);
    queries.q[k] = step.q + head_at(token, head);
    queries.partials[k] = partial_of(i);
    queries.n_hidden[k] = std::max(hidden, 0);
    queries.n_visible[k] = std::min(visible, kSplitPositions);
    max_visible = std::max(max_visible, queries.n_visible[k]);
  }
  if (n_queries == 0) return;
  const int sequence = batch_.sequences[static_cast<size_t>(block.first)];
  const std::span<const int32_t> table = batch_.page_tables[static_cast<size_t>(sequence)];
  for (int page = 0; page * kPageTokens < max_visible; page++) {
    const int id = table[static_cast<size_t>(split * kSplitPages + page)];
    queries.pages[page] = pool_.page_head(id, step.layer, kv_head);
  }
  kv_kernels_.attend_split(queries.q.data(), queries.partials.data(), queries.n_hidden.data(),
                           queries.n_visible.data(), n_queries, queries.pages, shape_.head_dim,
                           scale_);
}

// Runs all splits for a block, one after another.
void Attention::attend_whole(const Step& step, const Block& block, int kv_head, int thread) {
  const auto total = [&](int query) { return thread_partial(thread, 0, query); };
  const auto partial = [&](int query) { return thread_partial(thread, 1, query); };
  const auto first_split = [&](int query) {
    return first_split_of(step.layer, block.first + query / group());
  };
  Queries& queries = queries_[static_cast<size_t>(thread)];
  const int n_splits = n_splits_of(block.first + block.n - 1);
  for (int split = first_split(0); split < n_splits; split++) {
    attend(step, block, kv_head, split, queries,
           [&](int query) { return split == first_split(query) ? total(query) : partial(query); });
    for (int i = 0; i < block.n * group(); i++) {
      if (split > first_split(i) && split < n_splits_of(block.first + i / group())) {
        kernels_.merge_split(total(i), partial(i), shape_.head_dim);
      }
    }
  }
  for (int i = 0; i < block.n * group(); i++) {
    const int token = block.first + i / group(), head = kv_head * group() + i % group();
    kernels_.finish_attention(total(i), shape_.head_dim, step.out + head_at(token, head));
  }
}

void Attention::chunk(const Step& step, int chunk, int thread) {
  // Chunks are numbered [split][block][KV head], with the last block first: it sees the most
  // positions, and no thread should end on a long chunk.
  const int kv_head = chunk % shape_.n_kv_heads;
  const size_t n_blocks = blocks_.size();
  const Block& block =
      blocks_[n_blocks - 1 - static_cast<size_t>(chunk / shape_.n_kv_heads) % n_blocks];
  if (!is_split_) return attend_whole(step, block, kv_head, thread);
  const int split = chunk / n_merges();
  attend(step, block, kv_head, split, queries_[static_cast<size_t>(thread)], [&](int query) {
    return split_partial(block.first + query / group(), kv_head * group() + query % group(), split);
  });
}

void Attention::merge(const Step& step, int chunk) const {
  const Block& block = blocks_[static_cast<size_t>(chunk / shape_.n_kv_heads)];
  const int first_head = chunk % shape_.n_kv_heads * group();
  for (int token = block.first; token < block.first + block.n; token++) {
    for (int head = first_head; head < first_head + group(); head++) {
      const int first = first_split_of(step.layer, token);
      float* total = split_partial(token, head, first);
      for (int split = first + 1; split < n_splits_of(token); split++) {
        kernels_.merge_split(total, split_partial(token, head, split), shape_.head_dim);
      }
      kernels_.finish_attention(total, shape_.head_dim, step.out + head_at(token, head));
    }
  }
}

}  // namespace hearth::kernels::cpu
