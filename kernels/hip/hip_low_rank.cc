#include "hip_low_rank.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "cpu/q8_0_block.h"

namespace hearth::kernels::hip {
namespace {

static_assert(kGroup == cpu::kQ8_0Values);

int rounded_up(int n, int multiple) { return ceil_div(n, multiple) * multiple; }

/// The sizes of the matrices. If a has more than eight bits, each rank of the adapter takes two:
/// one for the values rounded to eight bits, and one for the remainders, also rounded to eight
/// bits. Both use the same b.
struct LowRankSizes {
  LowRankSizes(int n_parts, int greatest_rank, int n_rows, int n_cols, bool is_quantized)
      : n_planes(is_quantized ? 1 : 2),
        plane(rounded_up(greatest_rank, kRankStep)),
        rank(n_planes * plane),
        n_ranks(n_parts * rank),
        n_cols(rounded_up(n_cols, kGroup)),
        n_tiles(n_rows / kTileRows),
        tile_bytes(rank_tile_bytes(rank)),
        n_bytes(packed_bytes(BlockType::kQ8_0, n_ranks, this->n_cols) +
                static_cast<size_t>(n_tiles) * tile_bytes) {}
  int n_planes, plane, rank, n_ranks, n_cols, n_tiles, tile_bytes;
  size_t n_bytes;
};

/// Writes a row of a as n_planes rows of Q8_0, `apart` bytes apart.
void put_row(std::span<const float> values, int n_planes, std::byte* to, size_t apart) {
  float block[kGroup];
  for (; !values.empty(); to += cpu::kQ8_0Bytes) {
    const size_t n = std::min<size_t>(values.size(), kGroup);
    std::fill(std::copy_n(values.begin(), n, block), block + kGroup, 0.0f);
    values = values.subspan(n);
    for (int plane = 0; plane < n_planes; plane++) {
      std::byte* codes = to + plane * apart;
      const float scale = n_planes == 1 ? cpu::exact_scale_of(block) : cpu::scale_of(block);
      cpu::put_q8_0(block, scale, codes);
      for (int i = 0; i < kGroup; i++) block[i] -= scale * static_cast<int8_t>(codes[2 + i]);
    }
  }
}

/// Writes the rows of b for 16 rows of the matrix (RankTile).
void put_tile(const LowRankSource& source, int row, const LowRankSizes& sizes, int first_rank,
              std::byte* to) {
  const RankTile head = {first_rank, source.scale, {}};
  std::memcpy(to, &head, sizeof head);
  to += sizeof head;
  for (int i = 0; i < kTileRows * sizes.rank; i++, to += sizeof(uint16_t)) {
    const int rank = (i / (kTileRows * kRankStep) * kRankStep + i % kRankStep) % sizes.plane;
    if (rank < source.rank)
      cpu::put_half(source.b[(row + i / kRankStep % kTileRows) * source.rank + rank], to);
  }
}

bool is_possible(const LowRankSource& s, int n_cols) {
  const size_t rank = static_cast<size_t>(s.rank);
  return n_cols % kTileRows == 0 && s.first_row % kTileRows == 0 && s.n_rows % kTileRows == 0 &&
         s.rank >= 1 && s.rank <= kMaxRank && s.a.size() == rank * static_cast<size_t>(n_cols) &&
         s.b.size() == rank * static_cast<size_t>(s.n_rows);
}

}  // namespace

size_t low_rank_bytes(int n_parts, int greatest_rank, int n_rows, int n_cols, bool is_quantized) {
  return LowRankSizes(n_parts, greatest_rank, n_rows, n_cols, is_quantized).n_bytes;
}

std::unique_ptr<HipLowRank> pack_low_rank(Device& device, int n_cols,
                                          std::span<const LowRankSource> sources) {
  int greatest_rank = 0, n_rows = 0;
  bool is_quantized = true;
  for (const LowRankSource& source : sources) {
    if (!is_possible(source, n_cols) || source.first_row < n_rows)
      throw std::invalid_argument("an adapter's matrix to pack has a size that is impossible");
    greatest_rank = std::max(greatest_rank, source.rank);
    n_rows = source.first_row + source.n_rows;
    is_quantized &= source.is_quantized;
  }
  const LowRankSizes sizes(static_cast<int>(sources.size()), greatest_rank, n_rows, n_cols,
                           is_quantized);
  const size_t row_bytes = kernels::row_bytes(BlockType::kQ8_0, sizes.n_cols);
  std::vector<std::byte> a(sizes.n_ranks * row_bytes), b(size_t(sizes.n_tiles) * sizes.tile_bytes);
  for (size_t part = 0; part < sources.size(); part++) {
    const LowRankSource& source = sources[part];
    const int first_rank = static_cast<int>(part) * sizes.rank;
    for (int i = 0; i < source.rank; i++)
      put_row(source.a.subspan(size_t(i) * n_cols, n_cols), sizes.n_planes,
              a.data() + (first_rank + i) * row_bytes, sizes.plane * row_bytes);
    for (int row = 0; row < source.n_rows; row += kTileRows)
      put_tile(source, row, sizes, first_rank,
               b.data() + size_t(source.first_row + row) / kTileRows * sizes.tile_bytes);
  }
  auto packed = std::make_unique<HipLowRank>();
  packed->n_bytes = sizes.n_bytes;
  const MatrixSource matrix = {BlockType::kQ8_0, a.data(), sizes.n_ranks, sizes.n_cols};
  packed->matrix = pack_matrix(device, std::span(&matrix, 1), "the adapter", b.size());
  uint8_t* const tiles = packed->matrix->memory.as<uint8_t>() + packed->matrix->n_bytes;
  device.upload(tiles, b.data(), b.size());
  const HipStrip& strip = packed->a();
  Added& added = packed->added;
  added.tiles = tiles;
  added.a = strip.data;
  added.rank = sizes.rank;
  added.n_ranks = sizes.n_ranks;
  added.n_rows = n_rows;
  added.a_tile_bytes = static_cast<int>(strip.type.tile_bytes);
  added.log2_slices = std::countr_zero(static_cast<unsigned>(strip.slices.n));
  return packed;
}

}  // namespace hearth::kernels::hip
