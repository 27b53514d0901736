// Attention of one batch on the CPU: its KV pages, its RoPE angles, and the division of its tokens
// and heads into chunks for the threads. The division does not change any bit of the result: a
// query's splits are fixed ranges of positions and are merged in order (split-KV, row_kernels.h).
#pragma once

#include <span>
#include <vector>

#include "arena.h"
#include "key_balance.h"
#include "kv_pool.h"
#include "ops.h"
#include "row_kernels.h"

namespace hearth::kernels::cpu {

class Attention {
 public:
  Attention(const RowKernels& kernels, const AttentionShape& shape, int n_pages, int n_threads);

  const AttentionShape& shape() const { return shape_; }
  const KvPool& pool() const { return pool_; }

  /// Plans the batch. The caller then calls fill_angles() for each token.
  void begin(const Batch& batch);
  void fill_angles(int token);

  /// Used only for int8 keys (key_balance.h).
  KeyBalance& balance() { return balance_; }

  /// Both work in place. They apply the head's norm if it has one, RoPE at the token's position
  /// and, for int8 keys, the key balance.
  void rotate_key(int layer, int token, int kv_head, float* k) const;
  void rotate_query(int layer, int token, int head, float* q) const;
  /// Stores the token's k and v [head_dim] of one KV head into its page.
  void append(int layer, int token, int kv_head, const float* k, const float* v) const;

  /// Attention of one layer. The caller runs chunk() for [0, n_chunks()); then, if is_split(), it
  /// runs merge() for [0, n_merges()).
  struct Step {
    int layer = 0;
    const float* q = nullptr;
    float* out = nullptr;
  };
  int n_chunks() const { return n_merges() * (is_split() ? n_splits_ : 1); }
  void chunk(const Step& step, int chunk, int thread);
  /// Whether each chunk is a single split. If so, merge() must combine the splits.
  bool is_split() const { return is_split_; }
  int n_merges() const { return static_cast<int>(blocks_.size()) * shape_.n_kv_heads; }
  void merge(const Step& step, int chunk) const;

 private:
  /// Consecutive tokens of one sequence, whose queries share each pass over K and V.
  struct Block {
    int first = 0;
    int n = 0;
  };
  /// One thread's arguments of attend_split.
  struct Queries {
    std::vector<const float*> q;
    std::vector<float*> partials;
    std::vector<int32_t> n_hidden, n_visible;
    const std::byte* pages[kSplitPages];
  };

  void norm_head(const std::vector<float>& norms, int layer, float* head) const;
  int group() const { return shape_.n_heads / shape_.n_kv_heads; }
  int tokens_per_block(int n) const;
  int n_splits_of(int token) const;
  int first_visible(int layer, int token) const;
  int first_split_of(int layer, int token) const;
  const float* angles_of(int layer, int token) const;
  /// The index of a head's first float in q and out.
  size_t head_at(int token, int head) const {
    return static_cast<size_t>(token * shape_.n_heads + head) * shape_.head_dim;
  }
  /// Set 0 holds a thread's totals, set 1 the partials of the split that it is working on.
  float* thread_partial(int thread, int set, int query) const;
  float* split_partial(int token, int head, int split) const;
  void attend(const Step& step, const Block& block, int kv_head, int split, Queries& queries,
              const auto& partial_of) const;
  void attend_whole(const Step& step, const Block& block, int kv_head, int thread);

  const RowKernels& kernels_;
  const KvKernels& kv_kernels_;
  const AttentionShape shape_;
  const int n_threads_;
  const float scale_;
  const int block_queries_;  // the maximum number of queries in a block
  KvPool pool_;
  KeyBalance balance_;
  // For RoPE. [0] is for layers without a sliding window, [1] for layers with one.
  std::vector<double> frequencies_[2];  // [head_dim / 2]: radians per position
  std::vector<float> angles_[2];        // [kMaxBatch][2][head_dim / 2]: cosines, sines
  Arena thread_partials_;               // [n_threads][2][block_queries_] partials
  Arena split_partials_;                // [split][kMaxSplitTokens][n_heads] partials
  std::vector<Queries> queries_;        // [n_threads]

  Batch batch_;
  std::vector<Block> blocks_;
  int n_splits_ = 0;  // number of splits that the token at the largest position sees
  bool is_split_ = false;
};

}  // namespace hearth::kernels::cpu
