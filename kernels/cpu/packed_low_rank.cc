#include "packed_low_rank.h"

#include <stdexcept>

#include "half.h"

namespace hearth::kernels::cpu {
namespace {

constexpr int kLanes = kTileRows;

int filled_up(int rank) { return (rank + kLanes - 1) / kLanes * kLanes; }

/// Sets lanes[column][lane] to rows[first + lane][column], for those of the 16 rows that exist.
void pack_lanes(std::span<const float> rows, int n_rows, int n_cols, int first, uint16_t* lanes) {
  for (int lane = 0; lane < kLanes && first + lane < n_rows; lane++)
    for (int column = 0; column < n_cols; column++)
      lanes[static_cast<size_t>(column) * kLanes + lane] =
          f32_to_f16(rows[static_cast<size_t>(first + lane) * n_cols + column]);
}

}  // namespace

PackedLowRank::PackedLowRank(Slabs& slabs, int n_cols, std::span<const LowRankSource> sources)
    : n_cols_(n_cols) {
  size_t n_up = 0;  // how many numbers all b have
  for (const LowRankSource& source : sources) {
    const size_t rank = static_cast<size_t>(source.rank),
                 n_rows = static_cast<size_t>(source.n_rows);
    if (n_cols % kLanes != 0 || source.first_row % kLanes != 0 || source.n_rows % kLanes != 0 ||
        source.rank < 1 || source.rank > kMaxRank ||
        source.a.size() != rank * static_cast<size_t>(n_cols) || source.b.size() != n_rows * rank)
      throw std::invalid_argument("an adapter's matrix to pack has a size that is impossible");
    parts_.push_back(
        {source.first_row, source.n_rows, source.rank, n_ranks_, nullptr, source.scale});
    n_ranks_ += filled_up(source.rank);
    n_up += source.b.size();
  }
  const size_t n_down = static_cast<size_t>(n_ranks_) * static_cast<size_t>(n_cols);
  n_bytes = (n_down + n_up) * sizeof(uint16_t);
  memory_ = slabs.take(n_bytes);
  uint16_t* next = reinterpret_cast<uint16_t*>(memory_.data);
  a_ = next;
  for (const LowRankSource& source : sources)
    for (int rank = 0; rank < source.rank; rank += kLanes, next += n_cols * kLanes)
      pack_lanes(source.a, source.rank, n_cols, rank, next);
  for (size_t i = 0; i < sources.size(); i++) {
    const LowRankSource& source = sources[i];
    parts_[i].b = next;
    for (int row = 0; row < source.n_rows; row += kLanes, next += source.rank * kLanes)
      pack_lanes(source.b, source.n_rows, source.rank, row, next);
  }
}

const PackedLowRank::Part* PackedLowRank::part_of(int row) const {
  for (const Part& part : parts_)
    if (row >= part.first_row && row < part.first_row + part.n_rows) return &part;
  return nullptr;
}

}  // namespace hearth::kernels::cpu
