// Adapters, which add scale * b (a h) to a product. A separate loop first lowers the quantized
// input h to the adapter's ranks (scale * a h). Then each chunk of the product also raises it to
// the chunk's rows (by b).
#include <algorithm>

#include "cpu_ops.h"

namespace hearth::kernels::cpu {

std::unique_ptr<LowRank> CpuOps::pack_low_rank(int n_cols, std::span<const LowRankSource> sources) {
  auto added = std::make_unique<PackedLowRank>(kernels_, pool_, slabs_, n_cols, sources);
  workspace_.reserve(n_cols);
  const size_t n_ranks = size_t{kMaxBatch} * static_cast<size_t>(added->a().n_rows);
  if (!ranks_ || ranks_->n_floats < n_ranks) ranks_ = buffer(n_ranks);
  if (lowered_.size() < sources.size()) {
    lowered_.resize(sources.size());
    lowered_memory_.allocate(kMaxBatch * static_cast<int>(sources.size()), kRowColumns);
  }
  return added;
}

InputFormats CpuOps::input_formats(const Weights& w) {
  InputFormats formats = packed(w.matrix).input_formats();
  if (!w.added) return formats;
  const InputFormats of_adapter = packed(*w.added).a().input_formats();
  formats.groups |= of_adapter.groups;
  formats.f32 |= of_adapter.f32;
  return formats;
}

/// Computes lowered_[part] = scale * a * input, quantized for the part's b.
void CpuOps::lower(const LowRank* added, const Activations& input) {
  if (!added) return;
  const PackedMatrix& a = packed(*added).a();
  const std::vector<PackedLowRank::Part>& parts = packed(*added).parts();
  product(a, input, ranks_->data);
  for (size_t i = 0; i < parts.size(); i++) {
    lowered_[i] = lowered_memory_.view(static_cast<int>(i) * kMaxBatch, input.n, parts[i].b.n_cols);
    lowered_[i].resume = true;
  }
  for_token_tiles(input.n, [&](int begin, int end, int thread) {
    for (size_t i = 0; i < parts.size(); i++) {
      const PackedLowRank::Part& part = parts[i];
      float* row = workspace_.rows(thread);
      for (int token = begin; token < end; token++, row += part.b.n_cols) {
        const float* ranks = ranks_->data + static_cast<size_t>(token) * a.n_rows + part.first_rank;
        for (int k = 0; k < part.rank; k++) row[k] = part.scale * ranks[k];
        std::fill(row + part.rank, row + part.b.n_cols, 0.0f);
      }
      kernels_.quantize_tokens(workspace_.rows(thread), begin, end - begin, part.b.input_formats(),
                               lowered_[i]);
    }
  });
}

/// Multiplies rows of the weights by the input, and adds the adapter's part. The rows all belong to
/// one part of the adapter, or to none. Prefetches their part of b, because each of its small reads
/// would wait for the full latency of memory.
void CpuOps::multiply_rows(const Weights& weights, const Activations& input, int row, int n_rows,
                           float* products, size_t stride) {
  const PackedMatrix& w = packed(weights.matrix);
  const int tile = w.tile_of(row), n_tiles = tiles_of(n_rows);
  const auto multiply_matrix = [&] { w.matmul(input, tile, tile + n_tiles, products, stride); };
  if (!weights.added) return multiply_matrix();
  const std::vector<PackedLowRank::Part>& parts = packed(*weights.added).parts();
  const auto part = std::find_if(parts.begin(), parts.end(), [&](auto& p) { return p.has(row); });
  if (part == parts.end()) return multiply_matrix();
  const int b_tile = (row - part->first_row) / kTileRows;
  part->b.prefetch(b_tile, b_tile + n_tiles);
  multiply_matrix();
  part->b.matmul(lowered_[static_cast<size_t>(part - parts.begin())], b_tile, b_tile + n_tiles,
                 products, stride);
}

}  // namespace hearth::kernels::cpu
