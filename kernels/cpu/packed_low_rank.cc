#include "packed_low_rank.h"

#include <algorithm>
#include <stdexcept>

#include "q8_0_block.h"

namespace hearth::kernels::cpu {
namespace {

int rounded_up(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

/// Rows of values as F16 or Q8_0, with zeros after them.
class Rows {
 public:
  /// values [][n_cols]; the result has n_rows rows of `width` >= n_cols columns.
  Rows(ThreadPool& pool, bool is_quantized, std::span<const float> values, int n_cols, int n_rows,
       int width)
      : source_{is_quantized ? BlockType::kQ8_0 : BlockType::kF16, nullptr, n_rows, width} {
    const size_t columns = static_cast<size_t>(n_cols), filled = static_cast<size_t>(width);
    const size_t row_bytes = kernels::row_bytes(source_.type, width);
    bytes_.resize(row_bytes * static_cast<size_t>(n_rows));
    std::vector<float> filled_rows(filled * static_cast<size_t>(pool.n_threads()));
    pool.parallel_for_once(static_cast<int>(values.size() / columns), [&](int i, int thread) {
      float* row = filled_rows.data() + filled * static_cast<size_t>(thread);
      std::copy_n(values.data() + columns * static_cast<size_t>(i), columns, row);
      std::byte* to = bytes_.data() + row_bytes * static_cast<size_t>(i);
      for (int k = 0; is_quantized && k < width; k += kGroup)
        put_q8_0(row + k, scale_of(row + k), to + kernels::row_bytes(source_.type, k));
      for (int k = 0; !is_quantized && k < width; k++) put_half(row[k], to + 2 * k);
    });
    source_.data = bytes_.data();
  }
  const MatrixSource& source() const { return source_; }

 private:
  std::vector<std::byte> bytes_;
  MatrixSource source_;
};

void check_size(int n_cols, const LowRankSource& source) {
  const size_t rank = static_cast<size_t>(source.rank), columns = static_cast<size_t>(n_cols),
               n_rows = static_cast<size_t>(source.n_rows);
  if (source.first_row % kTileRows != 0 || source.n_rows % kTileRows != 0 || source.rank < 1 ||
      source.rank > kMaxRank || source.a.size() != rank * columns ||
      source.b.size() != n_rows * rank)
    throw std::invalid_argument("an adapter's matrix to pack has a size that is impossible");
}

PackedMatrix stack_a(const RowKernels& kernels, ThreadPool& pool, Slabs& slabs, int n_cols,
                     std::span<const LowRankSource> sources) {
  std::vector<Rows> rows;
  std::vector<MatrixSource> stacked;
  for (const LowRankSource& source : sources) {
    check_size(n_cols, source);
    rows.emplace_back(pool, source.is_quantized, source.a, n_cols,
                      rounded_up(source.rank, kTileRows), n_cols);
    stacked.push_back(rows.back().source());
  }
  return {kernels, pool, slabs, stacked};
}

}  // namespace

PackedLowRank::PackedLowRank(const RowKernels& kernels, ThreadPool& pool, Slabs& slabs, int n_cols,
                             std::span<const LowRankSource> sources)
    : a_(stack_a(kernels, pool, slabs, n_cols, sources)) {
  n_bytes = a_.n_bytes;
  int first_rank = 0;
  for (const LowRankSource& source : sources) {
    const Rows b(pool, source.is_quantized, source.b, source.rank, source.n_rows,
                 source.is_quantized ? rounded_up(source.rank, kGroup) : source.rank);
    parts_.push_back({source.first_row, source.n_rows, source.rank, first_rank, source.scale,
                      PackedMatrix(kernels, pool, slabs, std::span(&b.source(), 1))});
    n_bytes += parts_.back().b.n_bytes;
    first_rank += rounded_up(source.rank, kTileRows);
  }
}

}  // namespace hearth::kernels::cpu
