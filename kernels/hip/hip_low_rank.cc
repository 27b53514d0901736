#include "hip_low_rank.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "cpu/half.h"

namespace hearth::kernels::hip {
namespace {

int filled_up(int rank) { return ceil_div(rank, kRankStep) * kRankStep; }

/// How many f16 values the matrices have. Ranks are multiples of eight, so that rows of both
/// matrices begin at a multiple of 16 bytes.
struct LowRankSizes {
  LowRankSizes(int n_parts, int greatest_rank, int n_rows, int n_cols)
      : rank(filled_up(greatest_rank)),
        n_ranks(n_parts * rank),
        n_down(static_cast<size_t>(n_ranks) * n_cols),
        n_up(static_cast<size_t>(n_rows) * rank),
        n_bytes((n_down + n_up) * sizeof(uint16_t) +
                static_cast<size_t>(n_rows / kTileRows) * sizeof(RankTile)) {}
  int rank, n_ranks;
  size_t n_down, n_up, n_bytes;
};

void to_halves(std::span<const float> from, uint16_t* to) {
  std::transform(from.begin(), from.end(), to, [](float x) { return cpu::f32_to_f16(x); });
}

}  // namespace

size_t low_rank_bytes(int n_parts, int greatest_rank, int n_rows, int n_cols) {
  return LowRankSizes(n_parts, greatest_rank, n_rows, n_cols).n_bytes;
}

std::unique_ptr<HipLowRank> pack_low_rank(Device& device, int n_cols,
                                          std::span<const LowRankSource> sources) {
  int greatest_rank = 0, n_rows = 0;
  for (const LowRankSource& s : sources) {
    const size_t rank = static_cast<size_t>(s.rank);
    if (n_cols % kTileRows != 0 || s.first_row % kTileRows != 0 || s.n_rows % kTileRows != 0 ||
        s.first_row < n_rows || s.rank < 1 || s.rank > kMaxRank ||
        s.a.size() != rank * static_cast<size_t>(n_cols) ||
        s.b.size() != rank * static_cast<size_t>(s.n_rows))
      throw std::invalid_argument("an adapter's matrix to pack has a size that is impossible");
    greatest_rank = std::max(greatest_rank, s.rank);
    n_rows = s.first_row + s.n_rows;
  }
  const LowRankSizes sizes(static_cast<int>(sources.size()), greatest_rank, n_rows, n_cols);
  std::vector<uint16_t> halves(sizes.n_down + sizes.n_up);
  std::vector<RankTile> tiles(static_cast<size_t>(n_rows / kTileRows));
  uint16_t* const b = halves.data() + sizes.n_down;
  for (size_t part = 0; part < sources.size(); part++) {
    const LowRankSource& s = sources[part];
    const int first_rank = static_cast<int>(part) * sizes.rank;
    to_halves(s.a, halves.data() + static_cast<size_t>(first_rank) * n_cols);
    for (int row = 0; row < s.n_rows; row++)
      to_halves(s.b.subspan(static_cast<size_t>(row) * s.rank, s.rank),
                b + static_cast<size_t>(s.first_row + row) * sizes.rank);
    std::fill_n(tiles.begin() + s.first_row / kTileRows, s.n_rows / kTileRows,
                RankTile{first_rank, s.scale});
  }
  auto packed = std::make_unique<HipLowRank>();
  packed->n_bytes = sizes.n_bytes;
  packed->memory = device.allocate(sizes.n_bytes, "the adapter");
  std::byte* const data = packed->memory.as();
  const size_t half_bytes = halves.size() * sizeof(uint16_t);
  device.upload(data, halves.data(), half_bytes);
  device.upload(data + half_bytes, tiles.data(), tiles.size() * sizeof(RankTile));
  packed->a = packed->memory.as<uint16_t>();
  packed->added.b = packed->a + sizes.n_down;
  packed->added.tiles = reinterpret_cast<const RankTile*>(data + half_bytes);
  packed->added.rank = sizes.rank;
  packed->added.n_ranks = sizes.n_ranks;
  packed->added.n_rows = n_rows;
  return packed;
}

}  // namespace hearth::kernels::hip
